// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/solve_chain.h"

#include "tests/support/test_main.h"
#include "tests/unit/solve_chain/chain_examples.h"

#include <QTest>

#include <limits>

using namespace plimsoll;
using namespace plimsoll::solve;
using plimsoll::tests::ChainRandom;

namespace {

ChainAnswer solved(const Chain& chain, const ChainQuery& query)
{
    base::Result<ChainAnswer> answer = solveChain(chain, query, {});
    if (!answer)
        qFatal("%s", answer.error().message.c_str());
    return std::move(*answer);
}

ChainQuery budgetOf(std::int64_t budget)
{
    ChainQuery query;
    query.budget = budget;
    return query;
}

} // namespace

class SolveChainTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void statusSaysOnlyWhatIsProven_data();
    void statusSaysOnlyWhatIsProven();
    void theAnswerIsComplete();
    void theFrontierHasEveryTradeOff();
    void aBudgetThatIsTooSmallNamesOneThatIsNot();
    void slotsTooCoarseHideNoSchedule();
    void thePeersOverspendingIsNotCalledAPlan();
    void roundedSizesKeepToTheBudget();
    void largeSizesLoseLittle();
    void badInputIsRefused();
    void aStoppedQueryAnswersCoarsely();
    void aStoppedLongQueryStillFitsItsBudget();
};

void SolveChainTest::statusSaysOnlyWhatIsProven_data()
{
    QTest::addColumn<qint64>("budget");
    QTest::addColumn<Status>("status");
    QTest::newRow("nothing") << qint64{0} << Status::Infeasible;
    QTest::newRow("below the bound") << qint64{6} << Status::Infeasible;
    QTest::newRow("least") << qint64{7} << Status::Feasible;
    QTest::newRow("some recomputation") << qint64{20} << Status::Feasible;
    QTest::newRow("everything kept") << qint64{21} << Status::Optimal;
    QTest::newRow("endless") << qint64{std::numeric_limits<qint64>::max()} << Status::Optimal;
}

void SolveChainTest::statusSaysOnlyWhatIsProven()
{
    QFETCH(qint64, budget);
    QFETCH(Status, status);
    const ChainAnswer answer = solved(tests::e1(), budgetOf(budget));
    QCOMPARE(answer.status, status);
    QCOMPARE(answer.baseMakespan, 18.0);
    QCOMPARE(answer.lowerBoundPeak, std::int64_t{7});
    QCOMPARE(answer.operations.empty(), status == Status::Infeasible);
    QVERIFY(answer.peak <= budget);
}

void SolveChainTest::theAnswerIsComplete()
{
    const ChainAnswer answer = solved(tests::e7(), budgetOf(9));
    QCOMPARE(answer.makespan, 38.0);
    QCOMPARE(answer.peak, std::int64_t{9});
    QCOMPARE(answer.unit, std::int64_t{1});
    QVERIFY(answer.exact);
    QCOMPARE(answer.labels.size(), std::size_t{8});
    QVERIFY(answer.regions == regionTree(answer.labels));
    QVERIFY(!answer.regions.empty());
    QVERIFY(answer.frontier.empty());
    QCOMPARE(statusName(answer.status), std::string_view{"feasible"});
}

void SolveChainTest::theFrontierHasEveryTradeOff()
{
    ChainQuery query = budgetOf(10);
    query.frontier = true;
    for (const std::int64_t budget : {std::int64_t{3}, std::int64_t{10}, std::int64_t{50}}) {
        query.budget = budget;
        const ChainAnswer answer = solved(tests::e1(), query);
        QCOMPARE(answer.frontier.size(), std::size_t{9});
        QCOMPARE(answer.frontier.front().budget, std::int64_t{7});
        QCOMPARE(answer.frontier.front().makespan, 33.0);
        QCOMPARE(answer.frontier.back().peak, std::int64_t{21});
        for (const ChainTradeOff& point : answer.frontier)
            QCOMPARE(solved(tests::e1(), budgetOf(point.budget)).makespan, point.makespan);
    }
}

void SolveChainTest::aBudgetThatIsTooSmallNamesOneThatIsNot()
{
    ChainRandom random{3};
    const Chain chain = tests::randomChain(random, 40, 1'000'000'000, 200'000'000);
    const ChainAnswer answer = solved(chain, budgetOf(1));
    QCOMPARE(answer.status, Status::Infeasible);
    QVERIFY(answer.smallestKnownBudget.has_value());
    QVERIFY(*answer.smallestKnownBudget >= answer.lowerBoundPeak);
    const ChainAnswer least = solved(chain, budgetOf(*answer.smallestKnownBudget));
    QCOMPARE(least.status, Status::Feasible);
    QVERIFY(least.peak <= *answer.smallestKnownBudget);
}

void SolveChainTest::slotsTooCoarseHideNoSchedule()
{
    Chain chain;
    chain.ftime = {1, 1, 1};
    chain.btime = {1, 1, 1, 1};
    chain.x = {1, 1, 1, 1};
    chain.xbar = {2, 2, 2, 2};
    chain.ftmp = {0, 0, 0};
    chain.btmp = {0, 0, 0, 0};
    ChainQuery query;
    query.budget = 20;
    query.options.slots = 1;
    const base::Result<ChainAnswer> answer = solveChain(chain, query, {});
    QVERIFY(answer);
    QVERIFY(answer->status == Status::Optimal);
    QVERIFY(answer->peak <= 20);
    QCOMPARE(answer->makespan, answer->baseMakespan);
}

void SolveChainTest::thePeersOverspendingIsNotCalledAPlan()
{
    ChainQuery query = budgetOf(15);
    query.options.recurrence = Recurrence::Peer;
    const ChainAnswer peer = solved(tests::e2(), query);
    QCOMPARE(peer.makespan, 87.0);
    QCOMPARE(peer.peak, std::int64_t{16});
    QCOMPARE(peer.status, Status::NotFound);
    QCOMPARE(solved(tests::e2(), budgetOf(15)).status, Status::Feasible);
}

void SolveChainTest::roundedSizesKeepToTheBudget()
{
    ChainRandom random{5};
    for (int round = 0; round < 50; ++round) {
        const Chain chain = tests::randomChain(random, 12, 100'000, 30'000);
        const std::int64_t whole = simulate(chain, keepEverything(chain))->peak;
        ChainQuery query = budgetOf(whole / 2);
        query.frontier = true;
        const ChainAnswer fine = solved(chain, query);
        query.options.slots = 40;
        const ChainAnswer coarse = solved(chain, query);
        QVERIFY(coarse.peak <= query.budget);
        QCOMPARE(coarse.unit, query.budget / 40);
        if (coarse.status != Status::Feasible)
            continue;
        QVERIFY(fine.makespan <= coarse.makespan);
        for (const ChainTradeOff& point : coarse.frontier)
            QVERIFY(point.peak <= point.budget);
    }
}

void SolveChainTest::largeSizesLoseLittle()
{
    // Sizes in units of 1000 can be solved exactly; one byte more per size can't.
    ChainRandom random{17};
    Chain chain = tests::randomChain(random, 25, 200, 60);
    const std::int64_t budget = simulate(chain, keepEverything(chain))->peak * 2 / 5;
    const ChainAnswer exact = solved(chain, budgetOf(budget));
    QVERIFY(exact.exact);
    constexpr std::int64_t kScale = 1'000'003;
    for (auto* sizes : {&chain.x, &chain.xbar, &chain.ftmp, &chain.btmp})
        for (std::int64_t& size : *sizes)
            size = size * kScale - (size > 0 ? random.below(3) : 0);
    const ChainAnswer adaptive = solved(chain, budgetOf(budget * kScale));
    QVERIFY(!adaptive.exact);
    QVERIFY(adaptive.makespan <= exact.makespan * 1.002);
}

void SolveChainTest::badInputIsRefused()
{
    QCOMPARE(solveChain({}, budgetOf(5), {}).error().kind, base::ErrorKind::File);
    QCOMPARE(solveChain(tests::e1(), budgetOf(-5), {}).error().kind, base::ErrorKind::Usage);
    ChainQuery query = budgetOf(20);
    query.options.slots = -3;
    QCOMPARE(solveChain(tests::e1(), query, {}).error().kind, base::ErrorKind::Usage);
    query.options.slots = 500;
    QCOMPARE(solveChain(tests::e1(), query, {}).error().kind, base::ErrorKind::Usage);
    query.budget = 0;
    QCOMPARE(solved(tests::e1(), query).status, Status::Infeasible);
}

void SolveChainTest::aStoppedQueryAnswersCoarsely()
{
    std::stop_source source;
    source.request_stop();
    const base::JobContext stopped{source.get_token(), nullptr};
    for (std::int64_t budget = 0; budget <= 22; ++budget) {
        ChainQuery query = budgetOf(budget);
        query.frontier = true;
        const ChainAnswer whole = solved(tests::e1(), query);
        const ChainAnswer answer = solveChain(tests::e1(), query, stopped).value();
        QVERIFY(answer.stopped);
        QVERIFY(!whole.stopped);
        // The sizes of this chain are whole slots even of the coarse table.
        QCOMPARE(answer.status, whole.status);
        QCOMPARE(answer.makespan, whole.makespan);
        QVERIFY(answer.peak <= budget);
        QVERIFY(answer.frontier.empty());
        QVERIFY(answer.smallestKnownBudget >= whole.smallestKnownBudget);
    }
}

void SolveChainTest::aStoppedLongQueryStillFitsItsBudget()
{
    std::stop_source source;
    source.request_stop();
    Chain chain;
    ChainRandom random{7};
    constexpr std::size_t kStages = 300;
    for (std::size_t i = 0; i <= kStages; ++i) {
        chain.x.push_back(1'000'000 + random.below(1'000'000));
        chain.xbar.push_back(chain.x.back() * 3);
        chain.btmp.push_back(chain.x.back());
        chain.btime.push_back(2);
        if (i < kStages) {
            chain.ftime.push_back(1);
            chain.ftmp.push_back(0);
        }
    }
    const std::int64_t whole = simulate(chain, keepEverything(chain)).value().peak;
    const ChainAnswer answer =
        solveChain(chain, budgetOf(whole / 2), {source.get_token(), nullptr}).value();
    QCOMPARE(answer.status, Status::Feasible);
    QVERIFY(answer.stopped);
    QVERIFY(answer.peak <= whole / 2);
    QCOMPARE(solveChain(chain, budgetOf(whole), {source.get_token(), nullptr}).value().status,
             Status::Optimal);
}

PLIMSOLL_TEST(SolveChainTest, QCoreApplication)
#include "solve_chain_test.moc"
