// SPDX-License-Identifier: Apache-2.0
// Bounds on the repeated time: bound <= optimum <= plan, each bound by itself, against exhaustive
// search on tiny problems and against planted plans on larger ones.
#include "core/solve/bounds/remat_bounds.h"

#include "core/solve/remat/search/remat_exact.h"

#include "tests/support/remat/remat_families.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

using namespace plimsoll;
using solve::RematBound;
using solve::RematBounds;
using solve::RematProblem;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One value per op.
solve::RematOp op(double time, std::vector<std::uint32_t> reads, std::uint32_t made)
{
    return {.time = time, .reads = std::move(reads), .makes = {made}};
}

/// Values 0 and 1 wait for the last op while 2 is made: at op 2 one of them has to be gone.
RematProblem twoWait()
{
    RematProblem problem;
    problem.ops = {op(6, {}, 0), op(3, {}, 1), op(1, {}, 2), op(1, {0, 1, 2}, 3)};
    problem.values = {{4}, {6}, {10}, {0}};
    return problem;
}

class RematBoundsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachBoundOfAProblemByHand();
    void anOverwrittenValueCostsItsWritersToo();
    void whatMayNotRepeatBelongsToTheWorkingSet();
    void anOpPaysOnceForAllItsValues();
    void whatARepetitionReadsAndNobodyElseCostsToo();
    void whatARepetitionReadsAndSomebodyElseTooCostsToo();
    void separateCutsAddUp();
    void theWorkingSetNamesItsOp();
    void noBoundIsAboveTheOptimumOfTinyProblems();
    void noBoundIsAboveAPlantedPlan();
    void anyPricesProveABound();
    void noBoundIsAboveTheOptimumOfLayeredGraphs();
    void pricesOfANeighbourAreAGoodStart();
    void theClimbDoesNotStopEarly();
    void emptyProblemsHaveBounds();
};

/// Without the rounding margin.
void compareBounds(double bound, double expected)
{
    QVERIFY2(bound <= expected && bound >= expected - 1e-6,
             qPrintable(QStringLiteral("%1, not %2").arg(bound).arg(expected)));
}

void RematBoundsTest::eachBoundOfAProblemByHand()
{
    const RematBounds bounds{twoWait()};
    // Op 2 has 20 bytes, op 3 reads all of it; at op 1, value 0 waits.
    QCOMPARE(bounds.workingSet().bytes, 20);
    QCOMPARE(bounds.workingSet().op, 3U);
    RematProblem apart = twoWait();
    apart.ops[3].reads = {0, 1};
    const RematBounds open{apart};
    QCOMPARE(open.workingSet().bytes, 10);
    compareBounds(open.dearestCut(20).recomputeTime, 0);
    compareBounds(open.dearestCut(17).recomputeTime, 1.5); // half of value 1, at 0.5 per byte
    compareBounds(open.dearestCut(10).recomputeTime, 9);
    compareBounds(open.separateCuts(17).recomputeTime, 1.5);
    const RematBound best = open.lagrangian(17);
    compareBounds(best.recomputeTime, 1.5);
    QCOMPARE(best.prices, (std::vector<double>{0, 0, 0.5, 0}));
    QCOMPARE(open.dearestCut(9).recomputeTime, kInfinity);
    QCOMPARE(open.separateCuts(9).recomputeTime, kInfinity);
    QCOMPARE(open.lagrangian(9).recomputeTime, kInfinity);
    QCOMPARE(open.priced(9, {}).recomputeTime, kInfinity);
}

void RematBoundsTest::anOverwrittenValueCostsItsWritersToo()
{
    RematProblem problem;
    problem.ops = {op(5, {}, 0),
                   {.time = 7, .reads = {}, .makes = {}, .overwrites = {0}},
                   op(1, {}, 1),
                   op(1, {0}, 2)};
    problem.values = {{4}, {10}, {0}};
    compareBounds(RematBounds{problem}.dearestCut(10).recomputeTime, 12);
    compareBounds(tests::leastAgain(problem, 10), 12);
    // Before it's overwritten, its maker alone.
    problem.ops = {op(5, {}, 0),
                   op(1, {}, 1),
                   {.time = 7, .reads = {}, .makes = {}, .overwrites = {0}},
                   op(1, {0}, 2)};
    compareBounds(RematBounds{problem}.dearestCut(10).recomputeTime, 5);
    compareBounds(tests::leastAgain(problem, 10), 5);
}

void RematBoundsTest::whatMayNotRepeatBelongsToTheWorkingSet()
{
    RematProblem problem = twoWait();
    problem.ops[3].reads = {0, 1};
    problem.ops[1].mayRepeat = false;
    const RematBounds bounds{problem};
    QCOMPARE(bounds.workingSet().op, 2U);
    QCOMPARE(bounds.workingSet().bytes, 16);
    compareBounds(bounds.lagrangian(16).recomputeTime, 6);
    QCOMPARE(bounds.lagrangian(15).recomputeTime, kInfinity);
    QCOMPARE(tests::leastAgain(problem, 15), kInfinity);
    compareBounds(tests::leastAgain(problem, 16), 6);
}

void RematBoundsTest::anOpPaysOnceForAllItsValues()
{
    RematProblem problem;
    problem.ops = {{.time = 6, .reads = {}, .makes = {0, 1}}, op(1, {}, 2), op(1, {0, 1}, 3)};
    problem.values = {{2}, {4}, {10}, {0}};
    compareBounds(RematBounds{problem}.lagrangian(10).recomputeTime, 6);
    compareBounds(tests::leastAgain(problem, 10), 6);
    compareBounds(RematBounds{problem}.lagrangian(12).recomputeTime, 4);
}

/// Value 1 is dropped at op 2; by then its operand is gone, unless it's held, which wins nothing.
void RematBoundsTest::whatARepetitionReadsAndNobodyElseCostsToo()
{
    RematProblem problem;
    problem.ops = {op(5, {}, 0), op(1, {0}, 1), op(1, {}, 2), op(1, {1}, 3)};
    problem.values = {{4}, {4}, {10}, {0}};
    const RematBounds bounds{problem};
    compareBounds(bounds.dearestCut(10).recomputeTime, 1);
    compareBounds(bounds.lagrangian(10).recomputeTime, 6);
    compareBounds(tests::leastAgain(problem, 10), 6);
    // A small operand is held.
    problem.values[0].size = 1;
    compareBounds(RematBounds{problem}.lagrangian(11).recomputeTime, 1);
    compareBounds(tests::leastAgain(problem, 11), 1);
    // Two read it: it's made once.
    problem.ops = {op(5, {}, 0), op(1, {0}, 1), op(2, {0}, 2), op(1, {}, 3), op(1, {1, 2}, 4)};
    problem.values = {{2}, {4}, {4}, {10}, {0}};
    compareBounds(RematBounds{problem}.lagrangian(10).recomputeTime, 8);
    compareBounds(tests::leastAgain(problem, 10), 8);
}

/// Values 0 and 1 are both dropped at op 2, and 1 is made from 0, which waits on until op 5.
void RematBoundsTest::whatARepetitionReadsAndSomebodyElseTooCostsToo()
{
    RematProblem problem;
    problem.ops = {op(5, {}, 0),  op(1, {0}, 1), op(1, {}, 2),
                   op(1, {1}, 3), op(1, {}, 4),  op(1, {0}, 5)};
    problem.values = {{4}, {4}, {10}, {0}, {10}, {0}};
    // In between, op 0 runs again for each of them: there's no room for it to wait at op 4.
    compareBounds(tests::leastAgain(problem, 10), 11);
    compareBounds(RematBounds{problem}.dearestCut(10).recomputeTime, 6);
    compareBounds(RematBounds{problem}.lagrangian(10).recomputeTime, 11);
    // With room at op 4 once is enough.
    problem.values[4].size = 6;
    compareBounds(tests::leastAgain(problem, 10), 6);
    compareBounds(RematBounds{problem}.lagrangian(10).recomputeTime, 6);
    // With room at op 2 for one of them, value 1 waits.
    problem.values[2].size = 6;
    problem.values[4].size = 10;
    compareBounds(tests::leastAgain(problem, 10), 5);
    compareBounds(RematBounds{problem}.lagrangian(10).recomputeTime, 5);
}

void RematBoundsTest::separateCutsAddUp()
{
    // Two copies of a problem, one behind the other.
    RematProblem problem;
    problem.ops = {op(6, {}, 0), op(1, {}, 1), op(1, {0}, 2),
                   op(4, {}, 3), op(1, {}, 4), op(1, {3}, 5)};
    problem.values = {{4}, {10}, {0}, {4}, {10}, {0}};
    const RematBounds bounds{problem};
    compareBounds(bounds.dearestCut(10).recomputeTime, 6);
    compareBounds(bounds.separateCuts(10).recomputeTime, 10);
    compareBounds(bounds.lagrangian(10).recomputeTime, 10);
    compareBounds(tests::leastAgain(problem, 10), 10);
}

void RematBoundsTest::theWorkingSetNamesItsOp()
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        tests::Random random{seed};
        const RematProblem problem = tests::randomLayered(random, tests::layeredShape(100));
        const solve::RematWorkingSet set = RematBounds{problem}.workingSet();
        std::int64_t bytes = 0;
        for (const auto* values : {&problem.ops[set.op].reads, &problem.ops[set.op].makes})
            for (const std::uint32_t value : *values)
                bytes += problem.values[value].size;
        QVERIFY(set.bytes >= bytes); // kept values of ops without time are droppable, too
        QCOMPARE(RematBounds{problem}.lagrangian(set.bytes - 1).recomputeTime, kInfinity);
        QVERIFY(RematBounds{problem}.lagrangian(set.bytes).recomputeTime < kInfinity);
    }
}

void RematBoundsTest::noBoundIsAboveTheOptimumOfTinyProblems()
{
    constexpr std::uint64_t kProblems = 1500;
    std::size_t checked = 0;
    std::size_t costly = 0;
    double share = 0;
    for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
        tests::Random random{seed};
        const RematProblem problem = tests::randomTiny(random);
        const RematBounds bounds{problem};
        const std::int64_t least = bounds.workingSet().bytes;
        for (std::int64_t budget = least - 1; budget < tests::plainPeak(problem); ++budget) {
            const double optimum = tests::leastAgain(problem, budget);
            const double cut = bounds.dearestCut(budget).recomputeTime;
            const double cuts = bounds.separateCuts(budget).recomputeTime;
            const double best = bounds.lagrangian(budget, {.rounds = 60}).recomputeTime;
            const QString what =
                QStringLiteral("seed %1, budget %2: cut %3, cuts %4, prices %5, optimum %6")
                    .arg(seed)
                    .arg(budget)
                    .arg(cut)
                    .arg(cuts)
                    .arg(best)
                    .arg(optimum);
            QVERIFY2(cut <= cuts && cuts <= best && best <= optimum, qPrintable(what));
            if (budget < least)
                QVERIFY2(optimum == kInfinity && best == kInfinity, qPrintable(what));
            ++checked;
            if (optimum > 0 && optimum < kInfinity) {
                ++costly;
                share += best / optimum;
            }
        }
        QCOMPARE(tests::leastAgain(problem, tests::plainPeak(problem)), 0.0);
        const tests::Planted planted = tests::plantPlan(problem, random, 20);
        QVERIFY(tests::leastAgain(problem, planted.figures.peak)
                <= planted.figures.time - tests::plainTime(problem));
    }
    share /= static_cast<double>(costly);
    qInfo("%zu budgets, %zu of them with repetitions; the bound is %.3f of the optimum on average",
          checked, costly, share);
    QVERIFY(costly > 500);
    QVERIFY(share > 0.3);
}

void RematBoundsTest::noBoundIsAboveAPlantedPlan()
{
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
        tests::Random random{seed};
        const RematProblem problem = seed % 3 == 0
                                         ? tests::randomLayered(random, tests::layeredShape(250))
                                     : seed % 3 == 1 ? tests::randomTrainingChain(random, 60)
                                                     : tests::transformerStep(300);
        const tests::Planted planted = tests::plantPlan(problem, random, 400);
        const double plain = tests::plainTime(problem);
        QVERIFY(planted.figures.peak < tests::plainPeak(problem));
        const RematBounds bounds{problem};
        const RematBound best = bounds.lagrangian(planted.figures.peak);
        qInfo("seed %d: planted at %.3f of the peak +%.2f %%, bound +%.2f %%",
              static_cast<int>(seed),
              static_cast<double>(planted.figures.peak)
                  / static_cast<double>(tests::plainPeak(problem)),
              100 * (planted.figures.time / plain - 1), 100 * best.recomputeTime / plain);
        QVERIFY(best.recomputeTime <= planted.figures.time - plain);
        QVERIFY(best.recomputeTime >= bounds.separateCuts(planted.figures.peak).recomputeTime);
        QVERIFY(bounds.workingSet().bytes <= planted.figures.peak);
    }
}

void RematBoundsTest::anyPricesProveABound()
{
    for (std::uint64_t seed = 0; seed < 1200; ++seed) {
        tests::Random random{seed};
        const RematProblem problem = tests::randomTiny(random);
        const RematBounds bounds{problem};
        const std::int64_t budget = tests::budgetOf(problem, seed % 2 == 0 ? 0.8 : 0.6);
        std::vector<double> prices;
        for (std::size_t op = 0; op < problem.ops.size(); ++op)
            prices.push_back(0.1 * random.between(-5, 20));
        prices[0] = kInfinity;
        const double optimum = tests::leastAgain(problem, budget);
        QVERIFY(bounds.priced(budget, prices).recomputeTime <= optimum);
        const RematBound best = bounds.lagrangian(budget, {.rounds = 30, .prices = prices});
        QVERIFY(best.recomputeTime <= optimum);
        if (best.recomputeTime < kInfinity)
            QVERIFY(bounds.priced(budget, best.prices).recomputeTime
                    >= best.recomputeTime * (1 - 1e-6));
    }
}

/// Deeper graphs than the exhaustive search takes, against A*, which knows of no charges.
void RematBoundsTest::noBoundIsAboveTheOptimumOfLayeredGraphs()
{
    std::size_t proven = 0;
    double share = 0;
    for (std::uint64_t seed = 0; seed < 240; ++seed) {
        tests::Random random{seed};
        tests::LayeredShape shape = tests::layeredShape(100);
        shape.ops = 12 + seed % 9;
        const RematProblem problem = tests::randomLayered(random, shape);
        const RematBounds bounds{problem};
        for (const double of : {0.85, 0.7, 0.6}) {
            const std::int64_t budget = tests::budgetOf(problem, of);
            const solve::RematExact exact =
                solve::solveExactly(problem, budget, {.states = 20'000}, {});
            const double optimum = exact.plan ? exact.recomputeTime : kInfinity;
            if (!exact.isProven)
                continue;
            const RematBound best = bounds.lagrangian(budget);
            QVERIFY2(best.recomputeTime <= optimum,
                     qPrintable(QStringLiteral("seed %1").arg(seed)));
            std::vector<double> prices = best.prices;
            for (double& price : prices)
                price *= 3 * random.unit();
            QVERIFY(bounds.priced(budget, std::move(prices)).recomputeTime <= optimum);
            if (optimum > 0 && optimum < kInfinity) {
                ++proven;
                share += best.recomputeTime / optimum;
            }
        }
    }
    share /= static_cast<double>(proven);
    qInfo("%zu optima; the bound is %.3f of them on average", proven, share);
    QVERIFY(proven > 100);
    QVERIFY(share > 0.5);
}

void RematBoundsTest::pricesOfANeighbourAreAGoodStart()
{
    tests::Random random{7};
    const RematProblem problem = tests::randomLayered(random, tests::layeredShape(250));
    const RematBounds bounds{problem};
    const RematBound near = bounds.lagrangian(tests::budgetOf(problem, 0.82));
    const std::int64_t budget = tests::budgetOf(problem, 0.8);
    const RematBound cold = bounds.lagrangian(budget, {.rounds = 20});
    const RematBound warm = bounds.lagrangian(budget, {.rounds = 20, .prices = near.prices});
    const RematBound full = bounds.lagrangian(budget, {.rounds = 1000});
    qInfo("20 rounds: %.2f cold, %.2f warm; 1000 rounds: %.2f", cold.recomputeTime,
          warm.recomputeTime, full.recomputeTime);
    QVERIFY(warm.recomputeTime > 0);
    QVERIFY(warm.recomputeTime >= bounds.priced(budget, near.prices).recomputeTime);
    QVERIFY(warm.recomputeTime >= 0.97 * full.recomputeTime);
}

void RematBoundsTest::theClimbDoesNotStopEarly()
{
    double standard = 0;
    double full = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        tests::Random random{seed};
        const RematProblem problem = tests::randomLayered(random, tests::layeredShape(250));
        const RematBounds bounds{problem};
        const std::int64_t budget = tests::budgetOf(problem, 0.8);
        const double some = bounds.lagrangian(budget).recomputeTime;
        const double most = bounds.lagrangian(budget, {.rounds = 5000}).recomputeTime;
        if (most == kInfinity)
            continue;
        standard += some;
        full += most;
    }
    qInfo("%.1f, with 5000 rounds %.1f", standard, full);
    QVERIFY(full > 0);
    QVERIFY(standard >= 0.95 * full);
}

void RematBoundsTest::emptyProblemsHaveBounds()
{
    const RematBounds bounds{RematProblem{}};
    QCOMPARE(bounds.workingSet().bytes, 0);
    QCOMPARE(bounds.lagrangian(0).recomputeTime, 0.0);
    QCOMPARE(bounds.separateCuts(0).recomputeTime, 0.0);
}

} // namespace

PLIMSOLL_TEST(RematBoundsTest, plimsoll::tests::NoApplication)
#include "remat_bounds_test.moc"
