// SPDX-License-Identifier: Apache-2.0
// A plan written out as a graph, opened in the window: its step without a plan is the planned one.
#include "core/solve/registry.h"
#include "core/workspace/export.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QTest>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using namespace plimsoll::tests;

class WrittenPlanTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void opensAsTheStepThatWasPlanned();
};

void WrittenPlanTest::opensAsTheStepThatWasPlanned()
{
    PlannerPage* sample = open(sampleFile("resnet18"));
    QVERIFY(sample != nullptr);
    plan::Problem problem = sample->document().planned()->unplanned->problem();
    problem.budget = plan::kUnlimited;
    const auto frontier = solve::findPlanner("capuchin").value()->frontier(problem, {}, {});
    QVERIFY(frontier);
    const plan::VerifiedPlanPtr plan = (*frontier)->points().front();
    QVERIFY(plan->evaluation().peak < sample->document().planned()->unplanned->evaluation().peak);
    const std::string path = m_folder->file("planned.plimsoll.json");
    QVERIFY(workspace::exportPlan(plan, path, {sample->document().document().graph.path}));
    PlannerPage* written = open(QString::fromStdString(path));
    QVERIFY(written != nullptr && written != sample);
    const plan::Evaluation& evaluation = written->document().planned()->unplanned->evaluation();
    QCOMPARE(evaluation.peak, plan->evaluation().peak);
    QCOMPARE(evaluation.stepTime, plan->evaluation().stepTime);
    QCOMPARE(evaluation.timeline->totals(), plan->evaluation().timeline->totals());
    // It is planned like others, but not by regions: that is said.
    QVERIFY(QTest::qWaitFor([&] { return !written->document().isPlanning(); }, kPatience));
}

} // namespace

PLIMSOLL_TEST(WrittenPlanTest, QApplication)

#include "written_plan_test.moc"
