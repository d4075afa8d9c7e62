// SPDX-License-Identifier: Apache-2.0
// Training steps as rematerialization problems: simulate() and evaluate() agree on a plan, and the
// search's plans for random steps are legal.
#include "core/device/op_times.h"
#include "core/evaluate/certify.h"
#include "core/plan/pins.h"
#include "core/solve/remat/program_problem.h"
#include "core/solve/remat/search/solve_remat.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace plimsoll;

namespace {

class RematProgramTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theLinearPassEqualsTheEvaluation();
    void whatIsFoundIsLegalAndAsPredicted();
    void repetitionsAsOpsChangeNoFigure();
    void plansAroundPinnedValuesAreLegal();
};

/// The largest total of the steps that the runner runs, and the time of all its steps.
solve::RematFigures evaluated(const plan::Problem& problem, const plan::Plan& plan)
{
    const plan::EvaluationPtr seen = plan::evaluate(problem, plan);
    const std::size_t runner = problem.step()->countBeforeOptimizer();
    const std::size_t steps = runner < problem.step()->ops.size()
                                  ? static_cast<std::size_t>(seen->schedule->stepOfOp[runner])
                                  : seen->schedule->steps.size();
    const std::vector<base::Nanoseconds> times = plan::opTimes(*problem.step(), problem.device);
    solve::RematFigures figures;
    for (std::size_t step = 0; step < steps; ++step) {
        figures.peak = std::max(figures.peak, seen->timeline->totalAt(step).count());
        figures.time += static_cast<double>(times[seen->schedule->steps[step].op.index()].count());
    }
    return figures;
}

plan::Problem stepProblem(std::uint64_t seed)
{
    plan::Problem problem = tests::unlimitedProblem(seed % 3 == 0 ? tests::randomGatedProgram(seed)
                                                                  : tests::randomProgram(seed));
    problem.device.bandwidth = 1e9;
    problem.reserve = base::Bytes{static_cast<std::int64_t>(seed % 5) * 1000};
    return problem;
}

void RematProgramTest::theLinearPassEqualsTheEvaluation()
{
    int repeating = 0;
    int refused = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        const plan::Problem problem = stepProblem(seed);
        const solve::RematProblem small = solve::problemOf(problem);
        const plan::Plan plan = tests::randomStepPlan(*problem.step(), seed);
        const solve::RematPlan rows = solve::rematPlanOf(plan);
        QVERIFY(solve::stepPlanOf(rows).recomputeSteps() == plan.recomputeSteps());
        const base::Result<solve::RematFigures> seen = solve::simulate(small, rows);
        if (!seen) { // only where an op reads what a later one overwrites
            ++refused;
            QVERIFY2(seen.error().message.find("can't run again") != std::string::npos,
                     seen.error().message.c_str());
            continue;
        }
        const solve::RematFigures expected = evaluated(problem, plan);
        QCOMPARE(seen->peak, expected.peak);
        QCOMPARE(seen->time, expected.time);
        repeating += plan.recomputeSteps().empty() ? 0 : 1;
    }
    qInfo("%d plans repeat something, %d are refused", repeating, refused);
    QVERIFY(repeating > 500);
    QVERIFY(refused < 75);
}

void RematProgramTest::whatIsFoundIsLegalAndAsPredicted()
{
    int smaller = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        const plan::Problem problem = stepProblem(seed);
        const solve::RematProblem small = solve::problemOf(problem);
        const std::int64_t peak = solve::simulate(small, {})->peak;
        std::vector<std::int64_t> budgets(6);
        for (int point = 0; point < 6; ++point)
            budgets[static_cast<std::size_t>(point)] = peak - peak * point / 12;
        const auto points = solve::rematFrontier(small, budgets, {});
        QVERIFY2(points, points ? "" : points.error().message.c_str());
        for (std::size_t index = 0; index < budgets.size() && (*points)[index]; ++index) {
            const plan::Plan plan = solve::stepPlanOf((*points)[index]->plan);
            const plan::Verification replay = plan::verify(problem, plan);
            QVERIFY2(replay.faults.empty(),
                     qPrintable(QStringLiteral("seed %1: ").arg(seed) + tests::firstFault(replay)));
            QVERIFY(plan::certify(problem, plan).has_value());
            const solve::RematFigures expected = evaluated(problem, plan);
            QCOMPARE((*points)[index]->figures.peak, expected.peak);
            QVERIFY(expected.peak <= budgets[index]);
            smaller += plan.recomputeSteps().empty() ? 0 : 1;
        }
    }
    QVERIFY2(smaller > 50, qPrintable(QString::number(smaller)));
}

void RematProgramTest::repetitionsAsOpsChangeNoFigure()
{
    int repeating = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const plan::Problem problem = stepProblem(seed);
        const solve::RematProblem small = solve::problemOf(problem);
        const solve::RematPlan rows =
            solve::rematPlanOf(tests::randomStepPlan(*problem.step(), seed));
        const auto expected = solve::simulate(small, rows);
        if (!expected)
            continue; // an op reads what a later one overwrites
        const solve::RepeatedProblem repeated{small, rows.recomputeSteps};
        const auto seen = solve::simulate(repeated.problem(), {});
        QVERIFY2(seen, seen ? "" : seen.error().message.c_str());
        QCOMPARE(seen->peak, expected->peak);
        QCOMPARE(seen->time, expected->time);
        QVERIFY(repeated.original({}) == rows);
        repeating += rows.recomputeSteps.empty() ? 0 : 1;
    }
    QVERIFY2(repeating > 150, qPrintable(QString::number(repeating)));
}

/// One value recomputed by a pin, another one kept.
void RematProgramTest::plansAroundPinnedValuesAreLegal()
{
    int planned = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        plan::Problem problem = stepProblem(seed);
        const auto all = plan::resolvePin("keep:*", *problem.step());
        if (!all)
            continue; // nothing waits for backward
        const std::vector<graph::StorageId>& storages = all->storages;
        const std::size_t again = seed % storages.size();
        problem.pins = {{plan::PinKind::Recompute, "*", {storages[again]}}};
        if (storages.size() > 1)
            problem.pins.push_back(
                {plan::PinKind::Keep, "*", {storages[(again + 1) % storages.size()]}});
        const auto rows = solve::rowsOfPins(problem);
        if (!rows)
            continue; // the runner can't make it again
        const solve::RepeatedProblem repeated{solve::problemOf(problem), *rows};
        const auto plain = solve::simulate(repeated.problem(), {});
        if (!plain)
            continue; // making it again makes what is kept again
        const auto points =
            solve::rematFrontier(repeated.problem(), {plain->peak, plain->peak * 3 / 4}, {});
        QVERIFY(points);
        for (const std::optional<solve::RematPoint>& point : *points) {
            if (!point)
                continue;
            const plan::Plan plan = solve::stepPlanOf(repeated.original(point->plan));
            const plan::Verification replay = plan::verify(problem, plan);
            QVERIFY2(replay.faults.empty(),
                     qPrintable(QStringLiteral("seed %1: ").arg(seed) + tests::firstFault(replay)));
            ++planned;
        }
    }
    QVERIFY2(planned > 100, qPrintable(QString::number(planned)));
}

} // namespace

PLIMSOLL_TEST(RematProgramTest, QCoreApplication)
#include "remat_program_test.moc"
