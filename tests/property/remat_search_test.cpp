// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/remat_search.h"

#include "core/solve/remat/search/remat_exact.h"
#include "core/solve/remat/search/solve_remat.h"

#include "tests/support/random.h"
#include "tests/support/remat/remat_families.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace plimsoll;
using namespace plimsoll::solve;
using tests::Random;
using tests::share;

class RematSearchTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tinyProblemsAreSolvedAsByExhaustion();
    void whereTheProofGivesUpItsBoundHolds();
    void theSearchAloneIsAlmostAsGood();
    void denseLayeredGraphsFitTightBudgets_data();
    void denseLayeredGraphsFitTightBudgets();
    void noPlanIsOverItsBudget_data();
    void noPlanIsOverItsBudget();
    void frontiersAreMonotone();
    void plantedBudgetsAreReached();
    void belowAWorkingSetTheOpIsNamed();
    void aStoppedSearchAnswers();
    void plansAndBoundsAreToldOf();
};

struct Tiny
{
    explicit Tiny(std::uint64_t seed)
    {
        Random random{seed};
        problem = tests::randomTiny(random);
        budget = tests::plainPeak(problem) - 1 - static_cast<std::int64_t>(random.below(4));
        least = tests::plainTime(problem) + tests::leastAgain(problem, budget);
    }

    RematProblem problem;
    std::int64_t budget = 0;
    double least = 0; ///< time of the fastest plan; infinity: none
};

void RematSearchTest::tinyProblemsAreSolvedAsByExhaustion()
{
    const std::uint64_t problems = 5000 / share<std::uint64_t>();
    int solvable = 0;
    for (std::uint64_t seed = 0; seed < problems; ++seed) {
        const Tiny tiny{seed};
        const base::Result<RematAnswer> answer = solveRemat(tiny.problem, tiny.budget, {});
        QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
        const RematBound bound = RematBounds{tiny.problem}.lagrangian(tiny.budget);
        const double raised = raisedToWholeTimes(tiny.problem, bound.recomputeTime);
        QVERIFY(tests::plainTime(tiny.problem) + raised <= tiny.least + 1e-9);
        if (std::isinf(tiny.least)) {
            QVERIFY(!answer->best && answer->status == Status::Infeasible);
            continue;
        }
        ++solvable;
        QVERIFY2(answer->best && answer->status == Status::Optimal,
                 qPrintable(QString::number(seed)));
        QVERIFY(answer->best->figures.peak <= tiny.budget);
        QCOMPARE(answer->best->figures.time, tiny.least);
        QCOMPARE(answer->timeBound, tiny.least);
    }
    qInfo("%d problems can be solved", solvable);
    QVERIFY(solvable > 1000 / share());
}

/// Chains, too, with the prices of a bound: what few states prove is never more than what many do.
void RematSearchTest::whereTheProofGivesUpItsBoundHolds()
{
    int given = 0;
    int raised = 0;
    for (std::uint64_t seed = 0; seed < 400 / share<std::uint64_t>(); ++seed) {
        Random random{seed};
        const RematProblem problem = tests::randomTrainingChain(random, 14 + seed % 8);
        const std::int64_t budget =
            tests::budgetOf(problem, 0.6 + 0.1 * static_cast<double>(seed % 3));
        const RematBound bound = RematBounds{problem}.lagrangian(budget);
        const RematExact plain = solveExactly(problem, budget, {.states = 1'000'000}, {});
        QVERIFY(plain.isProven);
        RematExactLimits limits{.states = 100'000, .prices = bound.prices};
        const RematExact priced = solveExactly(problem, budget, limits, {});
        QVERIFY(priced.isProven && priced.plan.has_value() == plain.plan.has_value());
        if (!plain.plan)
            continue;
        QCOMPARE(priced.recomputeTime, plain.recomputeTime);
        const base::Result<RematFigures> seen = simulate(problem, *priced.plan);
        QVERIFY(seen && seen->peak <= budget);
        QCOMPARE(seen->time, tests::plainTime(problem) + plain.recomputeTime);
        for (const std::size_t states : {1U, 10U, 100U}) {
            limits.states = states;
            const RematExact few = solveExactly(problem, budget, limits, {});
            QVERIFY(few.recomputeTime <= plain.recomputeTime + 1e-9);
            given += few.isProven ? 0 : 1;
            raised += !few.isProven && few.recomputeTime > bound.recomputeTime + 1e-9 ? 1 : 0;
        }
        limits.states = 100'000;
        limits.below = plain.recomputeTime; // no plan is
        const RematExact none = solveExactly(problem, budget, limits, {});
        QVERIFY(none.isProven && !none.plan);
    }
    qInfo("it gave up %d times, %d times with a better bound than it began with", given, raised);
    QVERIFY(given > 100 / share() && raised > 50 / share());
}

/// What larger problems rely on. The search recomputes all writers of a value or none, so with
/// overwritten values it can't make every plan; without them it finds the fastest.
void RematSearchTest::theSearchAloneIsAlmostAsGood()
{
    const std::uint64_t problems = 1000 / share<std::uint64_t>();
    int solvable = 0;
    int worse = 0;
    int overwriting = 0; // worse, where something is overwritten
    for (std::uint64_t seed = 0; seed < problems; ++seed) {
        const Tiny tiny{seed};
        if (std::isinf(tiny.least))
            continue;
        ++solvable;
        RematSearch search{tiny.problem};
        const bool isFound = refineRemat(search, tiny.budget, {40'000, 0}, {});
        const bool isWorse = !isFound || search.profile().time() > tiny.least + 1e-9;
        QVERIFY(!isFound || search.fits(tiny.budget));
        const bool overwrites = std::ranges::any_of(
            tiny.problem.ops, [](const RematOp& op) { return !op.overwrites.empty(); });
        (overwrites ? overwriting : worse) += isWorse ? 1 : 0;
    }
    qInfo("%d problems can be solved: %d worse, %d where values are overwritten", solvable, worse,
          overwriting);
    QVERIFY(solvable > 150 / share());
    QVERIFY2(worse <= 1, qPrintable(QString::number(worse)));
    QVERIFY2(overwriting * 5 <= solvable, qPrintable(QString::number(overwriting)));
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

void RematSearchTest::noPlanIsOverItsBudget_data()
{
    QTest::addColumn<int>("problems");
    QTest::newRow("tiny") << 24'000 / share();
    QTest::newRow("chains") << 4000 / share();
    QTest::newRow("layered") << 2000 / share();
}

/// Of 30,000 problems; the larger the budget, the larger the peak, and the faster the plan.
void RematSearchTest::noPlanIsOverItsBudget()
{
    QFETCH(int, problems);
    const QByteArray kind = QTest::currentDataTag();
    int repeating = 0;
    for (int seed = 0; seed < problems; ++seed) {
        Random random{static_cast<std::uint64_t>(seed)};
        const RematProblem problem =
            kind == "tiny" ? tests::randomTiny(random)
            : kind == "chains"
                ? tests::randomTrainingChain(random, 8 + random.below(12))
                : tests::randomLayered(random, tests::layeredShape(10 + random.below(20)));
        std::vector<std::int64_t> budgets;
        for (const double share : {0.95, 0.85, 0.7})
            budgets.push_back(tests::budgetOf(problem, share));
        const auto points = rematFrontier(problem, budgets, {});
        QVERIFY2(points, points ? "" : points.error().message.c_str());
        std::int64_t peak = tests::plainPeak(problem);
        double time = tests::plainTime(problem);
        for (std::size_t index = 0; index < budgets.size() && (*points)[index]; ++index) {
            const base::Result<RematFigures> seen = simulate(problem, (*points)[index]->plan);
            QVERIFY(seen && seen->peak <= budgets[index] && seen->peak <= peak);
            QVERIFY(seen->time >= time);
            peak = seen->peak;
            time = seen->time;
            ++repeating;
        }
    }
    qInfo("%d plans", repeating);
    QVERIFY(repeating > problems / 4);
}

void RematSearchTest::frontiersAreMonotone()
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
        QVERIFY(points->front() && points->front()->plan.recomputeSteps.empty());
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

/// The peak of a planted plan is reached, in no more time than that plan takes.
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
    QVERIFY(answer->status == Status::Infeasible);
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
                   [&](const RematAnswer& known) {
                       ++told;
                       QCOMPARE(known.best.has_value(), told > 1);
                       if (!known.best)
                           return;
                       QVERIFY(known.best->figures.peak <= tests::budgetOf(problem, 0.9));
                       source.request_stop();
                   });
    QVERIFY(answer && answer->best && answer->stopped);
    QCOMPARE(told, 2);
}

/// First the bound alone, then better plans and better bounds, one of them in each step, then the
/// answer.
void RematSearchTest::plansAndBoundsAreToldOf()
{
    int bounds = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Random random{seed};
        const RematProblem problem = tests::randomTrainingChain(random, 30);
        std::vector<RematAnswer> told;
        const base::Result<RematAnswer> answer =
            solveRemat(problem, tests::budgetOf(problem, 0.6), {},
                       [&told](const RematAnswer& known) { told.push_back(known); });
        QVERIFY(answer && !told.empty() && !told.front().best);
        for (std::size_t next = 1; next < told.size(); ++next) {
            const RematAnswer& before = told[next - 1];
            const RematAnswer& after = told[next];
            const bool isRaised = after.timeBound > before.timeBound;
            bounds += isRaised ? 1 : 0;
            QVERIFY(isRaised || after.timeBound == before.timeBound);
            QVERIFY(isRaised
                    || (after.best
                        && (!before.best || after.best->figures.time < before.best->figures.time)));
        }
        QCOMPARE(told.back().best.has_value(), answer->best.has_value());
        if (!answer->best)
            continue;
        QCOMPARE(told.back().timeBound, answer->timeBound);
        QCOMPARE(told.back().best->figures.time, answer->best->figures.time);
    }
    QVERIFY(bounds > 0);
}

PLIMSOLL_TEST(RematSearchTest, QCoreApplication)
#include "remat_search_test.moc"
