// SPDX-License-Identifier: Apache-2.0
// The planner capuchin on shipped samples.
#include "core/solve/remat/capuchin/capuchin_planner.h"

#include "core/device/op_times.h"

#include "tests/support/planned_samples.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace plimsoll;

namespace {

class CapuchinPlannerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void plansASample();
    void picksAreToldWithTheirPrice();
    void stoppedAtOnceItKeepsEverything();
    void refusesWhatIsNoTrainingStep();
    void explainsOnlyItsOwnPlans();

private:
    std::unique_ptr<const solve::Planner> m_planner = solve::makeCapuchinPlanner();
    plan::FrontierPtr m_frontier =
        m_planner->frontier(tests::problemOf("resnet18", 0), {}, {}).value();
};

/// As measured: half of the step's memory for a tenth of its time.
void CapuchinPlannerTest::plansASample()
{
    const std::vector<plan::FrontierPoint>& points = m_frontier->points();
    QVERIFY(points.size() >= 15);
    const plan::Evaluation& all = points.back()->evaluation();
    const plan::Evaluation& least = points.front()->evaluation();
    QVERIFY(points.back()->plan().recomputeSteps().empty());
    QVERIFY(static_cast<double>(least.peak.count()) < 0.5 * static_cast<double>(all.peak.count()));
    QVERIFY(static_cast<double>(least.stepTime.count())
            < 1.1 * static_cast<double>(all.stepTime.count()));
    for (const plan::VerifiedPlanPtr& point : points) {
        QVERIFY(point->plan().isCompiledStep());
        QVERIFY(plan::certify(point->problem(), point->plan()).has_value());
    }
}

void CapuchinPlannerTest::picksAreToldWithTheirPrice()
{
    const plan::VerifiedPlan& point = *m_frontier->points().front();
    const graph::Program& program = *point.problem().step();
    const std::vector<base::Nanoseconds> times = plan::opTimes(program, point.problem().device);
    const std::vector<solve::Pick> picks = m_planner->explain(point).value();
    QVERIFY(picks.size() >= 15);
    base::Bytes last = m_frontier->points().back()->evaluation().peak;
    for (const solve::Pick& pick : picks) {
        const graph::Storage& value = program.storage(pick.value);
        QCOMPARE(pick.op, graph::opAt(value.alloc));
        QCOMPARE(pick.bytes, graph::rounded(value.bytes, graph::Rounding::Cuda512));
        QVERIFY(pick.recomputeTime >= times[pick.op.index()]);
        QCOMPARE(pick.bytesPerNanosecond,
                 static_cast<double>(pick.bytes.count())
                     / static_cast<double>(pick.times * pick.recomputeTime.count()));
        QVERIFY(pick.peak <= last);
        last = pick.peak;
    }
    QCOMPARE(last, point.evaluation().peak);
    QVERIFY(picks.front().times == 1);
}

void CapuchinPlannerTest::stoppedAtOnceItKeepsEverything()
{
    std::stop_source over;
    over.request_stop();
    const auto frontier = m_planner->frontier(tests::problemOf("resnet18", 0), {},
                                              {.stop = over.get_token(), .progress = nullptr});
    QVERIFY(frontier);
    QCOMPARE((*frontier)->points().size(), std::size_t{1});
    QVERIFY((*frontier)->points().front()->plan().recomputeSteps().empty());
    QVERIFY((*frontier)->runtime() == plan::Runtime::CompiledStep);
}

void CapuchinPlannerTest::refusesWhatIsNoTrainingStep()
{
    const auto inference = m_planner->frontier(tests::problemOf("gpt2_prompt", 0), {}, {});
    QVERIFY(!inference);
    QVERIFY(inference.error().kind == base::ErrorKind::Usage);
    QVERIFY(inference.error().message.find("has no backward") != std::string::npos);
    const auto checkpoint =
        m_planner->frontier(tests::problemOf("resnet18", 0), {{"runtime", 0}}, {});
    QVERIFY(!checkpoint);
    QVERIFY(checkpoint.error().kind == base::ErrorKind::Usage);
}

void CapuchinPlannerTest::explainsOnlyItsOwnPlans()
{
    const auto rotor = solve::makeRotorPlanner();
    const auto frontier =
        rotor->frontier(tests::problemOf("resnet18", 0), {{"runtime", 1}, {"slots", 16}}, {});
    QVERIFY(frontier);
    const plan::VerifiedPlan& other = *(*frontier)->points().front();
    const auto nothing = m_planner->explain(other);
    QVERIFY(!nothing && nothing.error().kind == base::ErrorKind::CheckFailed);
    const auto usage = rotor->explain(other);
    QVERIFY(!usage && usage.error().kind == base::ErrorKind::Usage);
    QVERIFY(m_planner->descriptor().explains && !rotor->descriptor().explains);
}

} // namespace

PLIMSOLL_TEST(CapuchinPlannerTest, QCoreApplication)
#include "capuchin_planner_test.moc"
