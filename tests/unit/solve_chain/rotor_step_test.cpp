// SPDX-License-Identifier: Apache-2.0
// The planner rotor for the step runtime, on a shipped sample.
#include "core/solve/api/planner.h"

#include "tests/support/planned_samples.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;

namespace {

class RotorStepTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itsPlansRepeatOpsAndAreNoSlowerThanRegions();
    void boundsAreThoseOfTheRuntime();

private:
    plan::FrontierPtr m_frontier =
        solve::makeRotorPlanner()
            ->frontier(tests::problemOf("resnet18", 0), {{"runtime", 1}, {"slots", 200}}, {})
            .value();
};

void RotorStepTest::itsPlansRepeatOpsAndAreNoSlowerThanRegions()
{
    QVERIFY(m_frontier->points().size() > 5);
    QVERIFY(m_frontier->runtime() == plan::Runtime::CompiledStep);
    for (const plan::VerifiedPlanPtr& point : m_frontier->points()) {
        QVERIFY(point->plan().isCompiledStep());
        QVERIFY(point->plan().regions().empty());
        QVERIFY(plan::certify(point->problem(), point->plan()).has_value());
    }
    QVERIFY(m_frontier->points().back()->plan().recomputeSteps().empty());
    QVERIFY(!m_frontier->points().front()->plan().recomputeSteps().empty());
    const plan::FrontierPtr regions =
        solve::makeRotorPlanner()
            ->frontier(tests::problemOf("resnet18", 0), {{"slots", 200}}, {})
            .value();
    for (const plan::VerifiedPlanPtr& point : regions->points()) {
        const plan::VerifiedPlanPtr step = m_frontier->at(point->evaluation().peak);
        QVERIFY(step);
        QVERIFY(step->evaluation().stepTime <= point->evaluation().stepTime);
    }
}

void RotorStepTest::boundsAreThoseOfTheRuntime()
{
    const std::int64_t smallest = m_frontier->points().front()->evaluation().peak.count();
    const solve::Outcome outcome =
        solve::outcomeAt(tests::problemOf("resnet18", smallest), m_frontier);
    QVERIFY(outcome.status == solve::Status::Feasible);
    QVERIFY(outcome.peakBound.bytes.count() <= smallest);
    const solve::Outcome everything =
        solve::outcomeAt(tests::problemOf("resnet18", plan::kUnlimited.count()), m_frontier);
    QVERIFY(everything.status == solve::Status::Optimal);
    QVERIFY(everything.best->plan().recomputesNothing());
    const solve::Outcome none = solve::outcomeAt(
        tests::problemOf("resnet18", outcome.peakBound.bytes.count() - 1), m_frontier);
    QVERIFY(none.status == solve::Status::Infeasible);
}

} // namespace

PLIMSOLL_TEST(RotorStepTest, QCoreApplication)
#include "rotor_step_test.moc"
