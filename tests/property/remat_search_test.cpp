// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/solve_remat.h"

#include "tests/support/random.h"
#include "tests/support/remat_families.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace plimsoll;
using namespace plimsoll::solve;
using tests::Random;

class RematSearchTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tinyProblemsAreSolvedAlmostAsWellAsByExhaustion();
    void denseLayeredGraphsFitTightBudgets_data();
    void denseLayeredGraphsFitTightBudgets();
    void noPlanIsOverItsBudgetAndFrontiersAreMonotone();
    void plantedBudgetsAreReached();
    void belowAWorkingSetTheOpIsNamed();
    void aStoppedSearchAnswers();
};

/// The search runs all writers of a value again or none, so that with overwritten values it can't
/// make every plan. Everything else it must find.
void RematSearchTest::tinyProblemsAreSolvedAlmostAsWellAsByExhaustion()
{
    constexpr int kProblems = 700;
    int solvable = 0;
    int missed = 0;
    int slower = 0;
    int overwriting = 0; // not as good, where something is overwritten
    for (int seed = 0; seed < kProblems; ++seed) {
        Random random{static_cast<std::uint64_t>(seed)};
        const RematProblem problem = tests::randomTiny(random);
        const std::int64_t budget =
            tests::plainPeak(problem) - 1 - static_cast<std::int64_t>(random.below(4));
        const base::Result<RematAnswer> answer = solveRemat(problem, budget, {});
        QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
        const double least = tests::leastAgain(problem, budget);
        const double plain = tests::plainTime(problem);
        QVERIFY(answer->timeBound <= plain + least + 1e-9);
        if (std::isinf(least)) {
            QVERIFY(!answer->best);
            continue;
        }
        ++solvable;
        QVERIFY2(answer->status != RematStatus::Infeasible, qPrintable(QString::number(seed)));
        const bool overwrites = std::ranges::any_of(
            problem.ops, [](const RematOp& op) { return !op.overwrites.empty(); });
        const bool isSlower = answer->best && answer->best->figures.time > plain + least + 1e-9;
        if (overwrites)
            overwriting += !answer->best || isSlower ? 1 : 0;
        else
            (answer->best ? slower : missed) += !answer->best || isSlower ? 1 : 0;
        if (!answer->best)
            continue;
        QVERIFY(answer->best->figures.peak <= budget);
        QVERIFY(answer->best->figures.time >= plain + least - 1e-9);
    }
    qInfo("%d of %d problems can be solved: %d missed, %d slower, %d where values are overwritten",
          solvable, kProblems, missed, slower, overwriting);
    QVERIFY(solvable > 100);
    QCOMPARE(missed, 0);
    QCOMPARE(slower, 0);
    QVERIFY2(overwriting * 8 <= solvable, qPrintable(QString::number(overwriting)));
}

void RematSearchTest::denseLayeredGraphsFitTightBudgets_data()
{
    QTest::addColumn<double>("share");
    QTest::newRow("0.9") << 0.9;
    QTest::newRow("0.8") << 0.8;
}

void RematSearchTest::denseLayeredGraphsFitTightBudgets()
{
    QFETCH(double, share);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Random random{seed};
        const RematProblem problem = tests::randomLayered(random, tests::layeredShape(250));
        const base::Result<RematAnswer> answer =
            solveRemat(problem, tests::budgetOf(problem, share), {});
        QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
        QVERIFY2(answer->best, qPrintable(QString::number(seed)));
        QVERIFY(answer->best->figures.peak <= tests::budgetOf(problem, share));
        const double increase = answer->best->figures.time / answer->base.time - 1;
        QVERIFY2(increase <= (share > 0.85 ? 0.02 : 0.09), qPrintable(QString::number(increase)));
        QVERIFY(answer->timeBound <= answer->best->figures.time * (1 + 1e-9));
    }
}

void RematSearchTest::noPlanIsOverItsBudgetAndFrontiersAreMonotone()
{
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Random random{seed};
        const RematProblem problem = seed % 2 == 0
                                         ? tests::randomTrainingChain(random, 60)
                                         : tests::randomLayered(random, tests::layeredShape(80));
        std::vector<std::int64_t> budgets;
        for (int point = 0; point < 24; ++point)
            budgets.push_back(tests::budgetOf(problem, 1.02 - 0.04 * point));
        const auto points = rematFrontier(problem, budgets, {});
        QVERIFY2(points, points ? "" : points.error().message.c_str());
        QCOMPARE(points->size(), budgets.size());
        QVERIFY(points->front() && points->front()->plan.again.empty());
        std::set<std::int64_t> peaks;
        double time = 0;
        for (std::size_t point = 0; point < budgets.size() && (*points)[point]; ++point) {
            const base::Result<RematFigures> seen = simulate(problem, (*points)[point]->plan);
            QVERIFY(seen && seen->peak <= budgets[point]);
            QVERIFY(seen->time >= time);
            time = seen->time;
            peaks.insert(seen->peak);
        }
        QVERIFY(peaks.size() >= 5);
        const auto anew = rematFrontier(problem, budgets, {});
        for (std::size_t point = 0; point < budgets.size() && (*points)[point]; ++point)
            QCOMPARE((*anew)[point]->plan, (*points)[point]->plan);
    }
}

/// The peak of a hidden plan can be reached, and no slower than that plan does.
void RematSearchTest::plantedBudgetsAreReached()
{
    for (const std::size_t ops : {300U, 600U, 1200U}) {
        Random random{ops};
        const RematProblem problem = tests::randomLayered(random, tests::layeredShape(ops));
        const tests::Planted planted = tests::plantPlan(problem, random, 100);
        const base::Result<RematAnswer> answer = solveRemat(problem, planted.figures.peak, {});
        QVERIFY(answer && answer->best);
        QVERIFY(answer->best->figures.time <= planted.figures.time);
    }
}

void RematSearchTest::belowAWorkingSetTheOpIsNamed()
{
    Random random{3};
    const RematProblem problem = tests::randomTrainingChain(random, 30);
    const RematWorkingSet largest = RematBounds{problem}.workingSet();
    const base::Result<RematAnswer> answer = solveRemat(problem, largest.bytes - 1, {});
    QVERIFY(answer && !answer->best);
    QVERIFY(answer->status == RematStatus::Infeasible);
    QCOMPARE(answer->workingSet.op, largest.op);
    QCOMPARE(answer->workingSet.bytes, largest.bytes);
}

void RematSearchTest::aStoppedSearchAnswers()
{
    Random random{4};
    const RematProblem problem = tests::randomLayered(random, tests::layeredShape(100));
    std::stop_source source;
    int told = 0;
    const base::Result<RematAnswer> answer =
        solveRemat(problem, tests::budgetOf(problem, 0.9), {.stop = source.get_token()},
                   [&](const RematPoint& point) {
                       QVERIFY(point.figures.peak <= tests::budgetOf(problem, 0.9));
                       ++told;
                       source.request_stop();
                   });
    QVERIFY(answer && answer->best && answer->stopped);
    QCOMPARE(told, 1);
}

QTEST_GUILESS_MAIN(RematSearchTest)
#include "remat_search_test.moc"
