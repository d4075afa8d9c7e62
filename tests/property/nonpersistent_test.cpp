// SPDX-License-Identifier: Apache-2.0

#include "core/solve/chain/rotor/chain_table.h"
#include "core/solve/chain/rotor/solve_chain.h"

#include "tests/property/any_schedule.h"
#include "tests/support/chain_sequence.h"
#include "tests/support/test_main.h"
#include "tests/unit/solve_chain/chain_examples.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>

using namespace plimsoll;
using namespace plimsoll::solve;
using plimsoll::tests::AnySchedule;
using plimsoll::tests::ChainRandom;

namespace {

constexpr double kEqual = 1 + 1e-9;

/// Chains of the family on which the gap between persistent and any schedules was measured.
Chain gapChain(ChainRandom& random, std::size_t stages)
{
    return tests::randomChain(random, stages, 8, random.below(3) * 4);
}

double timeAt(const Chain& chain, const base::Result<Sequence>& sequence, std::int64_t budget)
{
    if (!sequence)
        return kInfinity;
    const auto run = simulate(chain, *sequence);
    if (!run || run->peak > budget)
        qFatal("A schedule that can't run or is over its budget.");
    return run->makespan;
}

} // namespace

class NonPersistentTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void exampleSix();
    void exampleSixThroughTheVerbsSolver();
    void atLeastHalfOfTheGapIsRecovered();
    void neverWorseThanRotor();
    void roundedSizesStayWithinTheBudget();
    void largeChainsTooLargeForAnExactTable();
    void aStopIsObeyed();
};

void NonPersistentTest::exampleSix()
{
    const Chain chain = tests::e6();
    const auto table = buildNonPersistentTable(chain, 23, {}, {});
    QVERIFY(table.has_value());
    const auto sequence = (*table)->sequence(23);
    QVERIFY(sequence.has_value());
    QCOMPARE(sequenceText(*sequence), std::string{"CF_0 Fe_1 drop_1 Fe_2 L B_2 Fe_0 B_1 B_0"});
    QCOMPARE(timeAt(chain, sequence, 23), 56.0);
    const auto tight = (*table)->sequence(22);
    QVERIFY(!tight || timeAt(chain, tight, 22) > 56);
}

void NonPersistentTest::exampleSixThroughTheVerbsSolver()
{
    ChainQuery query;
    query.budget = 23;
    query.frontier = true;
    const auto persistent = solveChain(tests::e6(), query, {});
    QCOMPARE(persistent->makespan, 65.0);
    QCOMPARE(persistent->labels.size(), std::size_t{3});
    query.nonPersistent = true;
    const auto answer = solveChain(tests::e6(), query, {});
    QVERIFY(answer.has_value());
    QCOMPARE(answer->makespan, 56.0);
    QCOMPARE(answer->peak, std::int64_t{23});
    QVERIFY(answer->status == Status::Feasible);
    QVERIFY(answer->labels.empty() && answer->regions.empty());
    const auto offers = [](const ChainAnswer& one) {
        return std::any_of(one.frontier.begin(), one.frontier.end(), [](const ChainTradeOff& at) {
            return at.budget == 23 && at.makespan == 56;
        });
    };
    QVERIFY(offers(*answer));
    QVERIFY(!offers(*persistent));
    query.options.recurrence = Recurrence::Peer;
    QVERIFY(solveChain(tests::e6(), query, {}).error().kind == base::ErrorKind::Usage);
}

void NonPersistentTest::atLeastHalfOfTheGapIsRecovered()
{
    ChainRandom random{20};
    double gap = 0; // sums of relative gains over the pairs where any schedule is faster
    double recovered = 0;
    int faster = 0;
    int exact = 0;
    int feasible = 0;
    for (int round = 0; round < 160; ++round) {
        const auto stages = static_cast<std::size_t>(random.between(2, 5));
        const Chain chain = gapChain(random, stages);
        const std::int64_t whole = simulate(chain, keepEverything(chain))->peak;
        const auto rotor = buildRotorTable(chain, whole, {}, {});
        const auto ours = buildNonPersistentTable(chain, whole, {}, {});
        QVERIFY(rotor.has_value() && ours.has_value());
        for (std::int64_t budget = peakLowerBound(chain); budget < whole; ++budget) {
            const double persistent = timeAt(chain, (*rotor)->sequence(budget), budget);
            const double found = timeAt(chain, (*ours)->sequence(budget), budget);
            const double best = AnySchedule{chain, budget}.best();
            QVERIFY(best <= found * kEqual);
            QVERIFY(found <= persistent * kEqual);
            // The least budget is that of persistent schedules.
            QCOMPARE(best < kInfinity, persistent < kInfinity);
            if (best == kInfinity)
                continue;
            ++feasible;
            if (best * kEqual >= persistent)
                continue;
            ++faster;
            exact += found <= best * kEqual ? 1 : 0;
            gap += persistent / best - 1;
            recovered += persistent / best - found / best;
        }
    }
    qInfo("%d of %d: mean gap %.2f %%, recovered %.1f %%, all of it in %d", faster, feasible,
          100 * gap / faster, 100 * recovered / gap, exact);
    QVERIFY(faster > 100);
    QVERIFY(recovered >= 0.5 * gap);
}

void NonPersistentTest::neverWorseThanRotor()
{
    ChainRandom random{21};
    int faster = 0;
    for (int round = 0; round < 250; ++round) {
        const auto stages = static_cast<std::size_t>(random.between(2, 14));
        Chain chain =
            tests::randomChain(random, stages, 8, random.below(3) * 4, random.below(4) == 0);
        if (random.below(2) == 0)
            tests::addVariants(random, chain, false);
        const std::int64_t whole = simulate(chain, keepEverything(chain))->peak;
        const auto rotor = buildRotorTable(chain, whole, {}, {});
        const auto ours = buildNonPersistentTable(chain, whole, {}, {});
        double before = kInfinity;
        for (std::int64_t budget = peakLowerBound(chain); budget <= whole; ++budget) {
            const double persistent = timeAt(chain, (*rotor)->sequence(budget), budget);
            const double found = timeAt(chain, (*ours)->sequence(budget), budget);
            QVERIFY(found <= persistent * kEqual);
            QVERIFY(found <= before * kEqual); // more memory never costs time
            faster += found * kEqual < persistent ? 1 : 0;
            before = found;
        }
        QVERIFY(std::abs(before - baseTime(chain)) < 1e-6);
    }
    QVERIFY(faster > 100);
}

void NonPersistentTest::roundedSizesStayWithinTheBudget()
{
    ChainRandom random{22};
    for (int round = 0; round < 300; ++round) {
        const auto stages = static_cast<std::size_t>(random.between(2, 12));
        const Chain chain = tests::randomChain(random, stages, 1'000'000'000, 400'000'000);
        const std::int64_t whole = simulate(chain, keepEverything(chain))->peak;
        ChainQuery query;
        query.budget = random.between(whole / 4, whole);
        if (random.below(2) == 0)
            query.options.slots = static_cast<int>(random.between(10, 100));
        else
            query.options.tableLimit = 1; // the fewest slots
        const auto persistent = solveChain(chain, query, {});
        query.nonPersistent = true;
        const auto answer = solveChain(chain, query, {});
        QVERIFY(answer.has_value());
        QCOMPARE(answer->operations.empty() && !persistent->operations.empty(), false);
        if (answer->operations.empty())
            continue;
        QVERIFY(answer->peak <= query.budget);
        if (!persistent->operations.empty())
            QVERIFY(answer->makespan <= persistent->makespan * kEqual);
    }
}

void NonPersistentTest::largeChainsTooLargeForAnExactTable()
{
    ChainRandom random{23};
    const Chain chain = tests::randomChain(random, 60, 1'000'000'000, 400'000'000);
    ChainQuery query;
    query.budget = simulate(chain, keepEverything(chain))->peak / 3;
    const auto persistent = solveChain(chain, query, {});
    query.nonPersistent = true;
    const auto answer = solveChain(chain, query, {});
    QVERIFY(!answer->operations.empty());
    QVERIFY(!answer->exact);
    QVERIFY(answer->makespan <= persistent->makespan);
    QCOMPARE(sequenceText(*tests::parseSequence(sequenceText(answer->operations))),
             sequenceText(answer->operations));
}

void NonPersistentTest::aStopIsObeyed()
{
    std::stop_source source;
    source.request_stop();
    const auto table =
        buildNonPersistentTable(tests::e1(), 21, {}, base::JobContext{source.get_token()});
    QVERIFY(!table && table.error().kind == base::ErrorKind::Cancelled);
}

PLIMSOLL_TEST(NonPersistentTest, QCoreApplication)
#include "nonpersistent_test.moc"
