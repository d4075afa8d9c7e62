// SPDX-License-Identifier: Apache-2.0
// Regions turned into plans of the step runtime, on random programs: legal, seldom worse than the
// regions under torch.utils.checkpoint, within the proven bounds.
#include "core/solve/regions/step_plans.h"

#include "core/evaluate/bound.h"
#include "core/evaluate/certify.h"
#include "core/solve/bounds/time_bound.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;

namespace {

plan::Plan stepPlan(std::vector<plan::RecomputeStep> rows)
{
    plan::Plan plan;
    plan.planner = "given";
    plan.decisions = plan::RecomputeSchedule{std::move(rows)};
    return plan;
}

class StepPlansTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void regionsBecomeRepetitions();
    void noRegionsRepeatNothing();
};

void StepPlansTest::regionsBecomeRepetitions()
{
    int plans = 0;
    int repeating = 0;
    int smaller = 0;
    int slower = 0; // than the regions under checkpoint
    int larger = 0; // than the regions under checkpoint: what they read may live longer
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        plan::Problem problem = tests::unlimitedProblem(program);
        problem.device.bandwidth = 1e9;
        const plan::Plan regions = tests::randomLegalPlan(*program, seed);
        const auto rows =
            solve::stepRowsOf(regions.regions(), *program, solve::RecomputeClosure{*program});
        if (!rows)
            continue;
        ++plans;
        const plan::Plan plan = stepPlan(*rows);
        const plan::Verification replay = plan::verify(problem, plan);
        QVERIFY2(replay.faults.empty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + tests::firstFault(replay)));
        QVERIFY(plan::certify(problem, plan).has_value());
        const plan::EvaluationPtr step = plan::evaluate(problem, plan);
        const plan::EvaluationPtr plain = plan::evaluate(problem, stepPlan({}));
        repeating += rows->empty() ? 0 : 1;
        smaller += step->peak < plain->peak ? 1 : 0;
        QVERIFY(plan::peakLowerBound(problem, plan::Runtime::CompiledStep).bytes <= step->peak);
        QVERIFY(solve::stepTimeLowerBound(problem, plan::Runtime::CompiledStep) <= step->stepTime);
        const plan::EvaluationPtr checkpoint = plan::evaluate(problem, regions);
        slower += step->stepTime > checkpoint->stepTime ? 1 : 0;
        larger += step->peak > checkpoint->peak ? 1 : 0;
        for (const plan::RecomputeStep& row : *rows)
            for (const graph::OpId op : row.ops)
                QVERIFY2(op.index() < program->forwardCount(), "only forward runs again");
    }
    qInfo("%d plans, %d repeat something, %d need less than keeping everything, %d more than "
          "regions, %d slower",
          plans, repeating, smaller, larger, slower);
    QVERIFY(plans > 900);
    QVERIFY(repeating > 500);
    QVERIFY(smaller > 100);
    QVERIFY(larger < plans / 10);
    QVERIFY(slower < plans / 20);
}

void StepPlansTest::noRegionsRepeatNothing()
{
    const graph::ProgramPtr program = tests::randomProgram(1);
    const auto rows = solve::stepRowsOf({}, *program, solve::RecomputeClosure{*program});
    QVERIFY(rows.has_value());
    QVERIFY(rows->empty());
}

} // namespace

PLIMSOLL_TEST(StepPlansTest, QCoreApplication)
#include "step_plans_test.moc"
