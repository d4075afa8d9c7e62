// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/annotation.h"
#include "core/solve/chain/rotor/chain_table.h"
#include "core/solve/chain/rotor/solve_chain.h"

#include "tests/property/any_schedule.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/unit/solve_chain/chain_examples.h"

#include <QTest>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

using namespace plimsoll;
using namespace plimsoll::solve;
using plimsoll::tests::ChainRandom;

namespace {

/// Every persistent schedule of stages i..k, one by one.
std::vector<Sequence> everySchedule(const Chain& chain, std::size_t i, std::size_t k)
{
    const auto op = [](ChainOpKind kind, std::size_t stage, std::size_t variant = 0) {
        return ChainOp{kind, static_cast<std::int32_t>(stage), static_cast<std::int32_t>(variant)};
    };
    if (i == chain.stages())
        return {{ChainOp{}}};
    std::vector<Sequence> all;
    const std::vector<Sequence> inside =
        i == k ? std::vector<Sequence>{{}} : everySchedule(chain, i + 1, k);
    const std::size_t variants = chain.variantsOnce && k < chain.stages() ? 1 : chain.variantsOf(i);
    for (const Sequence& inner : inside)
        for (std::size_t variant = 0; variant < variants; ++variant) {
            Sequence sequence{op(ChainOpKind::Enable, i, variant)};
            sequence.insert(sequence.end(), inner.begin(), inner.end());
            sequence.push_back(op(ChainOpKind::Backward, i));
            all.push_back(std::move(sequence));
        }
    for (std::size_t j = i + 1; j <= k; ++j) {
        if (!chain.regions.mayCheckpoint(i, j - 1))
            continue;
        Sequence head{op(ChainOpKind::Check, i)};
        for (std::size_t stage = i + 1; stage < j; ++stage)
            head.push_back(op(ChainOpKind::NoGrad, stage));
        for (const Sequence& right : everySchedule(chain, j, k))
            for (const Sequence& left : everySchedule(chain, i, j - 1)) {
                Sequence sequence = head;
                sequence.insert(sequence.end(), right.begin(), right.end());
                sequence.insert(sequence.end(), left.begin(), left.end());
                all.push_back(std::move(sequence));
            }
    }
    return all;
}

/// Least makespan by budget, from simulating every persistent schedule.
std::map<std::int64_t, double> bruteFrontier(const Chain& chain)
{
    std::map<std::int64_t, double> best;
    for (const Sequence& sequence : everySchedule(chain, 0, chain.stages())) {
        const auto run = simulate(chain, sequence);
        if (!run)
            qFatal("%s", run.error().message.c_str());
        const auto [at, isNew] = best.try_emplace(run->peak, run->makespan);
        if (!isNew)
            at->second = std::min(at->second, run->makespan);
    }
    return best;
}

double bruteBest(const std::map<std::int64_t, double>& best, std::int64_t budget)
{
    double least = kInfinity;
    for (const auto& [peak, makespan] : best)
        if (peak <= budget)
            least = std::min(least, makespan);
    return least;
}

Chain familyChain(ChainRandom& random, std::size_t stages)
{
    const bool zeroTimes = random.below(4) == 0;
    return tests::randomChain(random, stages, 8, random.below(3) * 4, zeroTimes);
}

bool near(double a, double b)
{
    return a == b || std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b));
}

} // namespace

class ChainRotorTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bruteForceAgrees_data();
    void bruteForceAgrees();
    void noScheduleOfAnyKindBeatsTheBounds();
    void exampleSixHasAFasterScheduleOutsideTheClass();
    void tenThousandChainsStayWithinTheirBudget();
    void thePeerIsNeverFasterWhereItsPlanFits();
    void labelDepthCountsForwards();
    void scalingChangesNothing();
    void slotsAreNeverFasterThanExactSizes();
};

void ChainRotorTest::bruteForceAgrees_data()
{
    QTest::addColumn<bool>("restricted");
    QTest::addColumn<bool>("tails");
    QTest::addColumn<int>("variants"); // 0: one, 1: several, 2: several, but not of recomputations
    QTest::newRow("every region allowed") << false << false << 0;
    QTest::newRow("random regions forbidden") << true << false << 0;
    QTest::newRow("recomputations stop early") << false << true << 0;
    QTest::newRow("both") << true << true << 0;
    QTest::newRow("several ways") << false << false << 1;
    QTest::newRow("several ways, all of that") << true << true << 1;
    QTest::newRow("several ways once") << true << true << 2;
}

void ChainRotorTest::bruteForceAgrees()
{
    QFETCH(bool, restricted);
    QFETCH(bool, tails);
    QFETCH(int, variants);
    // Four rows of one way: ten thousand chains.
    ChainRandom random{(tails ? 10U : 0U) + (restricted ? 2U : 1U)};
    std::ptrdiff_t otherWays = 0;
    for (int round = 0; round < (variants == 0 ? 2'500 : 1'000) / tests::kShare; ++round) {
        const auto stages = static_cast<std::size_t>(random.between(1, variants == 0 ? 5 : 4));
        Chain chain = familyChain(random, stages);
        if (restricted) {
            chain.regions = RegionMask{stages, true};
            for (std::size_t last = 0; last < stages; ++last)
                for (std::size_t first = 0; first <= last; ++first)
                    chain.regions.set(first, last, random.below(3) > 0);
        }
        for (std::size_t stage = 0; tails && stage < stages; ++stage)
            chain.ftail.push_back(chain.ftime[stage] * static_cast<double>(random.below(5)) / 4);
        if (variants > 0)
            tests::addVariants(random, chain, tails);
        chain.variantsOnce = variants == 2;
        const auto brute = bruteFrontier(chain);
        QVERIFY(brute.begin()->first >= peakLowerBound(chain));
        const std::int64_t most = brute.rbegin()->first + 2;
        const auto table = buildRotorTable(chain, most, {}, {});
        QVERIFY(table.has_value() && (*table)->exact());
        const std::vector<ChainFrontierPoint> frontier = (*table)->frontier();
        for (std::int64_t budget = 0; budget <= most; ++budget) {
            const auto sequence = (*table)->sequence(budget);
            const double least = bruteBest(brute, budget);
            QCOMPARE(sequence.has_value(), least < kInfinity);
            if (!sequence)
                continue;
            otherWays +=
                std::ranges::count_if(*sequence, [](ChainOp op) { return op.variant > 0; });
            const auto run = simulate(chain, *sequence);
            QVERIFY(run.has_value());
            QVERIFY(run->peak <= budget);
            QVERIFY(near(run->makespan, least));
            const auto above =
                std::ranges::upper_bound(frontier, budget, {}, &ChainFrontierPoint::budget);
            QVERIFY(above != frontier.begin() && near(std::prev(above)->makespan, least));
        }
    }
    QCOMPARE(otherWays > 1'000 / tests::kShare, variants > 0);
}

void ChainRotorTest::noScheduleOfAnyKindBeatsTheBounds()
{
    ChainRandom random{4};
    for (int round = 0; round < 60; ++round) {
        const auto stages = static_cast<std::size_t>(random.between(1, 3));
        const Chain chain = familyChain(random, stages);
        const std::int64_t bound = peakLowerBound(chain);
        QCOMPARE((tests::AnySchedule{chain, bound - 1}.best()), kInfinity);
        for (std::int64_t budget = bound; budget < bound + 12; ++budget) {
            ChainQuery query;
            query.budget = budget;
            const auto answer = solveChain(chain, query, {});
            QVERIFY(answer.has_value());
            const double best = tests::AnySchedule{chain, budget}.best();
            QVERIFY(answer->status != Status::Infeasible);
            if (answer->status == Status::Optimal)
                QVERIFY(near(answer->makespan, best));
            if (answer->status == Status::Feasible)
                QVERIFY(best <= answer->makespan * (1 + 1e-9));
        }
    }
}

void ChainRotorTest::exampleSixHasAFasterScheduleOutsideTheClass()
{
    QCOMPARE((tests::AnySchedule{tests::e6(), 23}.best()), 56.0);
}

void ChainRotorTest::tenThousandChainsStayWithinTheirBudget()
{
    ChainRandom random{6};
    for (int round = 0; round < 10'000 / tests::kShare; ++round) {
        const auto stages = static_cast<std::size_t>(random.between(2, 12));
        const bool large = random.below(4) == 0;
        const Chain chain = large ? tests::randomChain(random, stages, 1'000'000'000, 400'000'000)
                                  : familyChain(random, stages);
        const std::int64_t whole = simulate(chain, keepEverything(chain))->peak;
        const std::int64_t budget = random.between(whole / 4, whole);
        RotorOptions options;
        if (large || random.below(2) == 0)
            options.slots = static_cast<int>(std::min(random.between(10, 100), budget));
        if (options.slots && *options.slots < 1)
            continue;
        const auto table = buildRotorTable(chain, budget, options, {});
        QVERIFY(table.has_value());
        for (const std::int64_t at : {budget, budget * 3 / 4}) {
            const auto sequence = (*table)->sequence(at);
            if (!sequence)
                continue;
            const auto run = simulate(chain, *sequence);
            QVERIFY(run.has_value());
            QVERIFY(run->peak <= at);
        }
    }
}

void ChainRotorTest::thePeerIsNeverFasterWhereItsPlanFits()
{
    ChainRandom random{8};
    int slower = 0;
    int overspent = 0;
    for (int round = 0; round < 1'500; ++round) {
        const auto stages = static_cast<std::size_t>(random.between(2, 7));
        Chain chain = tests::randomChain(random, stages, 6, 12);
        for (std::int64_t& size : chain.btmp) // large forward, small backward temporaries
            size = std::min<std::int64_t>(size, 2);
        const std::int64_t whole = simulate(chain, keepEverything(chain))->peak;
        RotorOptions peerOptions;
        peerOptions.recurrence = Recurrence::Peer;
        const auto ours = buildRotorTable(chain, whole + 10, {}, {});
        const auto peer = buildRotorTable(chain, whole + 10, peerOptions, {});
        for (std::int64_t budget = 5; budget <= whole + 10; ++budget) {
            const auto theirs = (*peer)->sequence(budget);
            if (!theirs)
                continue;
            const auto run = simulate(chain, *theirs);
            QVERIFY(run.has_value());
            if (run->peak > budget) {
                ++overspent;
                continue;
            }
            const auto right = (*ours)->sequence(budget);
            QVERIFY(right.has_value());
            const double time = simulate(chain, *right)->makespan;
            QVERIFY(time <= run->makespan * (1 + 1e-9));
            slower += time < run->makespan ? 1 : 0;
        }
    }
    QVERIFY(slower > 0);
    QVERIFY(overspent > 0);
}

void ChainRotorTest::labelDepthCountsForwards()
{
    ChainRandom random{9};
    for (int round = 0; round < 500; ++round) {
        const auto stages = static_cast<std::size_t>(random.between(2, 10));
        const Chain chain = familyChain(random, stages);
        const auto table = buildRotorTable(chain, 1'000'000, {}, {});
        for (const ChainFrontierPoint& point : (*table)->frontier()) {
            const auto sequence = (*table)->sequence(point.budget);
            QVERIFY(sequence.has_value());
            std::vector<int> forwards(stages, 0);
            for (const ChainOp op : *sequence)
                if (op.kind != ChainOpKind::Loss && op.kind != ChainOpKind::Backward)
                    ++forwards[static_cast<std::size_t>(op.stage)];
            const Labels labels = annotate(*sequence, stages);
            for (std::size_t i = 0; i < stages; ++i) {
                const auto depth =
                    std::count_if(labels[i].begin(), labels[i].end(),
                                  [](const auto& label) { return label.has_value(); });
                QCOMPARE(forwards[i], static_cast<int>(depth) + 1);
            }
        }
    }
}

void ChainRotorTest::scalingChangesNothing()
{
    ChainRandom random{10};
    for (int round = 0; round < 300; ++round) {
        const auto stages = static_cast<std::size_t>(random.between(2, 8));
        const Chain chain = familyChain(random, stages);
        Chain scaled = chain;
        for (auto* sizes : {&scaled.x, &scaled.xbar, &scaled.ftmp, &scaled.btmp})
            for (std::int64_t& size : *sizes)
                size *= 7'000'003;
        const std::int64_t whole = simulate(chain, keepEverything(chain))->peak;
        const std::int64_t budget = random.between(whole / 2, whole);
        const auto small = buildRotorTable(chain, budget, {}, {}).value()->sequence(budget);
        const auto large = buildRotorTable(scaled, budget * 7'000'003, {}, {})
                               .value()
                               ->sequence(budget * 7'000'003);
        QCOMPARE(small.has_value(), large.has_value());
        if (small)
            QCOMPARE(*small, *large);
    }
}

void ChainRotorTest::slotsAreNeverFasterThanExactSizes()
{
    ChainRandom random{11};
    int slower = 0;
    for (int round = 0; round < 500; ++round) {
        const auto stages = static_cast<std::size_t>(random.between(2, 10));
        const Chain chain = tests::randomChain(random, stages, 60, 30);
        const std::int64_t whole = simulate(chain, keepEverything(chain))->peak;
        const std::int64_t budget = random.between(whole / 2, whole);
        RotorOptions rounded;
        rounded.slots = static_cast<int>(random.between(4, 40));
        const auto exact = buildRotorTable(chain, budget, {}, {});
        QVERIFY(exact && (*exact)->exact());
        const auto best = (*exact)->sequence(budget);
        const auto coarse = buildRotorTable(chain, budget, rounded, {}).value()->sequence(budget);
        QVERIFY(best.has_value() || !coarse.has_value());
        if (!coarse)
            continue;
        const double time = simulate(chain, *coarse)->makespan;
        const double least = simulate(chain, *best)->makespan;
        QVERIFY(least <= time * (1 + 1e-9));
        slower += least < time ? 1 : 0;
    }
    QVERIFY(slower > 0);
}

PLIMSOLL_TEST(ChainRotorTest, QCoreApplication)
#include "chain_rotor_test.moc"
