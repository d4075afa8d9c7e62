// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/chen.h"

#include "core/solve/chain/rotor/sequence.h"
#include "core/solve/registry.h"

#include "tests/support/planned_samples.h"
#include "tests/support/test_main.h"
#include "tests/unit/solve_chain/chain_examples.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stop_token>

using namespace plimsoll;
using namespace plimsoll::solve;

namespace {

/// The greedy division of the widespread implementation, including its quirks: neither the first
/// two stages nor those after the last cut are in an interval. Its score is sqrt(x * y).
struct PeerDivision
{
    std::vector<StageRun> intervals;
    std::int64_t score = 0;
};

struct PeerStage
{
    std::int64_t in = 0;
    std::int64_t tmp = 0;
};

PeerDivision peerGreedy(const std::vector<PeerStage>& stages, std::int64_t limit)
{
    PeerDivision division;
    std::int64_t temp = 0;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::size_t previous = 2;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        temp += stages[stage].in + stages[stage].tmp;
        y = std::max(y, temp);
        if (temp <= limit || stage <= previous)
            continue;
        x += stages[stage].in;
        temp = 0;
        division.intervals.push_back({previous, stage + 1});
        previous = stage + 1;
    }
    division.score = static_cast<std::int64_t>(std::sqrt(static_cast<double>(x * y)));
    return division;
}

/// Intervals as one checkpoint each, everything else kept.
Sequence schedule(std::size_t stages, const std::vector<StageRun>& intervals)
{
    Sequence forward;
    std::vector<Sequence> blocks; // of backward, the last one is first to run
    const auto op = [](ChainOpKind kind, std::size_t stage) {
        return ChainOp{kind, static_cast<std::int32_t>(stage)};
    };
    for (std::size_t stage = 0; stage < stages;) {
        const auto at = std::find_if(intervals.begin(), intervals.end(),
                                     [stage](const StageRun& run) { return run.first == stage; });
        Sequence& block = blocks.emplace_back();
        if (at == intervals.end()) {
            forward.push_back(op(ChainOpKind::Enable, stage));
            block.push_back(op(ChainOpKind::Backward, stage));
            ++stage;
            continue;
        }
        for (std::size_t i = at->first; i < at->end; ++i) {
            forward.push_back(op(i == at->first ? ChainOpKind::Check : ChainOpKind::NoGrad, i));
            block.push_back(op(ChainOpKind::Enable, i));
        }
        for (std::size_t i = at->end; i-- > at->first;)
            block.push_back(op(ChainOpKind::Backward, i));
        stage = at->end;
    }
    forward.push_back({});
    for (std::size_t i = blocks.size(); i-- > 0;)
        forward.insert(forward.end(), blocks[i].begin(), blocks[i].end());
    return forward;
}

/// The least simulated peak of ours: every division, its last run kept or not.
std::int64_t leastPeak(const Chain& chain)
{
    const std::vector<std::int64_t> kept{chain.xbar.begin() + 1, chain.xbar.end()};
    std::int64_t least = simulate(chain, keepEverything(chain))->peak;
    for (std::vector<StageRun> runs : everyChenDivision(kept)) {
        least = std::min(least, simulate(chain, schedule(kept.size(), runs))->peak);
        runs.pop_back();
        least = std::min(least, simulate(chain, schedule(kept.size(), runs))->peak);
    }
    return least;
}

} // namespace

class ChenTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void thePeersWorkedExample();
    void oursNeedsLessThanThePeersChoice();
    void runsEndWhereTheLimitIsPassed();
    void noDivisionIsMissed();
    void plansOfRealModels_data();
    void plansOfRealModels();
    void stopsWhenAsked();
};

void ChenTest::thePeersWorkedExample()
{
    const std::vector<PeerStage> stages(10, {10, 20});
    const PeerDivision zero = peerGreedy(stages, 0);
    QCOMPARE(zero.score, std::int64_t{69});
    QVERIFY((zero.intervals == std::vector<StageRun>{{2, 4}, {4, 6}, {6, 8}, {8, 10}}));
    const std::map<std::int64_t, std::int64_t> grid{{48, 69}, {56, 69}, {64, 60}, {72, 60},
                                                    {80, 60}, {88, 60}, {96, 48}};
    for (const auto& [limit, score] : grid)
        QCOMPARE(peerGreedy(stages, limit).score, score);
    QVERIFY((peerGreedy(stages, 96).intervals == std::vector<StageRun>{{2, 4}, {4, 8}}));
    // The second case, on which the peer's step of the grid is 0.
    QCOMPARE(peerGreedy(std::vector<PeerStage>(6, {1, 0}), 0).score, std::int64_t{2});
    QCOMPARE(everyChenDivision(std::vector<std::int64_t>(6, 1)).size(), std::size_t{6});
}

void ChenTest::oursNeedsLessThanThePeersChoice()
{
    tests::ChainRandom random{3};
    const Chain equal = tests::homogeneous(10, 3);
    QVERIFY(leastPeak(equal)
            < simulate(equal, schedule(10, peerGreedy({10, {1, 2}}, 9).intervals))->peak);
    for (int round = 0; round < 200; ++round) {
        const auto count = static_cast<std::size_t>(random.between(4, 14));
        const Chain chain = tests::randomChain(random, count, 8, 4);
        const std::int64_t least = leastPeak(chain);
        QVERIFY(least >= peakLowerBound(chain));
        QVERIFY(least <= simulate(chain, keepEverything(chain))->peak);
    }
}

void ChenTest::runsEndWhereTheLimitIsPassed()
{
    using Runs = std::vector<StageRun>;
    QVERIFY((chenRuns({5, 5, 5, 5}, 0) == Runs{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
    QVERIFY((chenRuns({5, 5, 5, 5}, 5) == Runs{{0, 2}, {2, 4}}));
    QVERIFY((chenRuns({5, 5, 5, 5}, 10) == Runs{{0, 3}, {3, 4}}));
    QVERIFY((chenRuns({5, 5, 5, 5}, 20) == Runs{{0, 4}}));
    QVERIFY((chenRuns({0, 0, 9, 0}, 3) == Runs{{0, 3}, {3, 4}}));
    QVERIFY(chenRuns({}, 3).empty());
    QVERIFY((everyChenDivision({7}) == std::vector<Runs>{{{0, 1}}}));
}

void ChenTest::noDivisionIsMissed()
{
    tests::ChainRandom random{5};
    for (int round = 0; round < 200; ++round) {
        std::vector<std::int64_t> kept;
        for (std::int64_t i = random.between(1, 9); i > 0; --i)
            kept.push_back(random.between(0, 12));
        const std::int64_t sum = std::accumulate(kept.begin(), kept.end(), std::int64_t{0});
        std::vector<std::vector<StageRun>> each;
        for (std::int64_t limit = 0; limit <= sum; ++limit)
            if (std::vector<StageRun> runs = chenRuns(kept, limit);
                each.empty() || each.back() != runs)
                each.push_back(std::move(runs));
        QVERIFY(everyChenDivision(kept) == each);
    }
}

void ChenTest::plansOfRealModels_data()
{
    QTest::addColumn<QString>("sample");
    for (const char* sample : {"resnet18", "gpt2", "unet", "densenet121"})
        QTest::newRow(sample) << QString::fromLatin1(sample);
}

void ChenTest::plansOfRealModels()
{
    QFETCH(QString, sample);
    const plan::Problem problem = tests::problemOf(sample, 0);
    const auto chen = makeChenPlanner()->frontier(problem, {}, {});
    QVERIFY2(chen, chen ? "" : chen.error().message.c_str());
    const std::vector<plan::FrontierPoint>& points = (*chen)->points();
    QVERIFY(points.size() >= 3);
    QVERIFY(points.back()->plan().regions().empty());
    for (const plan::VerifiedPlanPtr& point : points)
        QCOMPARE(point->plan().planner, std::string{"chen"});
    const base::Bytes least = points.front()->evaluation().peak;
    const base::Bytes most = points.back()->evaluation().peak;
    QVERIFY(least.count() <= most.count() * 2 / 3);
    QVERIFY(least >= plan::peakLowerBound(problem, plan::Runtime::CheckpointedModule).bytes);
    for (const plan::VerifiedPlanPtr& point : points) {
        const plan::Problem budget = tests::problemOf(sample, point->evaluation().peak.count());
        QVERIFY(plan::verify(budget, point->plan()).faults.empty());
    }
}

void ChenTest::stopsWhenAsked()
{
    std::stop_source source;
    source.request_stop();
    const auto stopped = makeChenPlanner()->frontier(tests::problemOf(QStringLiteral("gpt2"), 0),
                                                     {}, {.stop = source.get_token()});
    QVERIFY(stopped.has_value());
    QCOMPARE((*stopped)->points().size(), std::size_t{1});
}

PLIMSOLL_TEST(ChenTest, QCoreApplication)
#include "chen_test.moc"
