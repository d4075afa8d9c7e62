// SPDX-License-Identifier: Apache-2.0
// activation_memory_budget: the knapsacks, what is recomputed, and the effect on the peak.
#include "core/solve/baseline/baselines.h"
#include "core/solve/baseline/exact_knapsack.h"
#include "core/solve/baseline/torch_budget_rows.h"

#include "tests/support/planned_samples.h"
#include "tests/support/programs/programs.h"
#include "tests/support/random.h"
#include "tests/support/rounded_knapsack.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <set>
#include <stop_token>

namespace {

using namespace plimsoll;
using solve::ExactKnapsack;
using solve::KnapsackItem;

KnapsackItem sumOf(const std::vector<KnapsackItem>& items, const std::vector<bool>& chosen)
{
    KnapsackItem sum;
    for (std::size_t item = 0; item < items.size(); ++item)
        if (chosen[item]) {
            sum.weight += items[item].weight;
            sum.value += items[item].value;
        }
    return sum;
}

std::int64_t bestByTrying(const std::vector<KnapsackItem>& items, std::int64_t capacity)
{
    std::int64_t best = 0;
    for (std::uint32_t mask = 0; mask < (1U << items.size()); ++mask) {
        std::vector<bool> chosen(items.size());
        for (std::size_t item = 0; item < items.size(); ++item)
            chosen[item] = (mask >> item & 1U) != 0;
        const KnapsackItem sum = sumOf(items, chosen);
        if (sum.weight <= capacity)
            best = std::max(best, sum.value);
    }
    return best;
}

/// At a budget, in a job that is never stopped.
std::vector<plan::RecomputeStep> rowsAt(solve::TorchBudgetRows& rows, std::int64_t permille)
{
    return rows.at(permille, {}).value();
}

plan::Plan budgetPlan(solve::TorchBudgetRows& rows, std::int64_t permille)
{
    plan::Plan plan = plan::keepEverything();
    plan.decisions = plan::RecomputeSchedule{rowsAt(rows, permille)};
    return plan;
}

class TorchBudgetTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theTableIsExact();
    void moreSumsThanAreFollowedNeverExceedTheCapacity();
    void ofEqualItemsTheFirstAreKept();
    void greedyTakesWhatFitsByTimePerByte();
    void theRoundedTableOverspends();
    void noOpRunsMoreThanTwice();
    void withoutABudgetOnlyCheapOpsRunAgain();
    void theRawPeaksRiseAndFallAndOursOnlyFall();
    void stopsWithWhatItHas();
    void refusesTheOtherRuntime();
    void stepsWithoutBackwardAreNoPlansMatter();
    void randomPrograms();
};

void TorchBudgetTest::theTableIsExact()
{
    tests::Random random{7};
    for (int round = 0; round < 60; ++round) {
        std::vector<KnapsackItem> items(10);
        std::int64_t all = 0;
        for (KnapsackItem& item : items) {
            item = {random.between(1, round % 2 == 0 ? 4 : 1000), random.between(0, 50)};
            all += item.weight;
        }
        const ExactKnapsack knapsack{items};
        for (const std::int64_t capacity :
             {std::int64_t{0}, all / 7, all / 3, all / 2, all - 1, all}) {
            const KnapsackItem sum = sumOf(items, knapsack.chosen(capacity));
            QVERIFY(sum.weight <= capacity);
            QCOMPARE(sum.value, bestByTrying(items, capacity));
        }
    }
}

void TorchBudgetTest::moreSumsThanAreFollowedNeverExceedTheCapacity()
{
    tests::Random random{11};
    std::vector<KnapsackItem> items(40);
    std::int64_t all = 0;
    for (KnapsackItem& item : items) {
        item = {random.between(1'000'000, 2'000'000'000), random.between(1, 1'000'000)};
        all += item.weight;
    }
    const ExactKnapsack knapsack{items};
    for (int part = 1; part <= 10; ++part) {
        const std::int64_t capacity = all / 10 * part;
        const KnapsackItem exact = sumOf(items, knapsack.chosen(capacity));
        QVERIFY(exact.weight <= capacity);
        QVERIFY(exact.value >= sumOf(items, solve::greedilyChosen(items, capacity)).value);
    }
}

void TorchBudgetTest::ofEqualItemsTheFirstAreKept()
{
    const std::vector<KnapsackItem> items(5, KnapsackItem{3, 2});
    QCOMPARE(ExactKnapsack{items}.chosen(7), (std::vector<bool>{true, true, false, false, false}));
}

void TorchBudgetTest::greedyTakesWhatFitsByTimePerByte()
{
    const std::vector<KnapsackItem> items{{10, 10}, {6, 9}, {5, 8}, {4, 0}};
    QCOMPARE(solve::greedilyChosen(items, 15), (std::vector<bool>{false, true, true, true}));
    QCOMPARE(ExactKnapsack{items}.chosen(15), (std::vector<bool>{true, false, true, false}));
}

/// checkpointing.md 12.4: PyTorch's own table rounds weights to 1/10000 and sums up in single
/// precision. Ours does neither.
void TorchBudgetTest::theRoundedTableOverspends()
{
    const std::vector<double> thirds(3, 0.33334);
    QCOMPARE(tests::roundedChoice(thirds, {1, 1, 1}, 1), (std::vector<bool>{true, true, true}));
    const std::vector<KnapsackItem> items(3, KnapsackItem{33334, 1});
    QCOMPARE(ExactKnapsack{items}.chosen(100000), (std::vector<bool>{true, true, false}));

    const double large = 1 << 25;
    QCOMPARE(tests::roundedChoice({0.5, 0.1}, {large, 1}, 1), (std::vector<bool>{true, false}));
    const std::vector<KnapsackItem> apart{{50, 1 << 25}, {10, 1}};
    QCOMPARE(ExactKnapsack{apart}.chosen(100), (std::vector<bool>{true, true}));
}

void TorchBudgetTest::noOpRunsMoreThanTwice()
{
    const plan::Problem problem = tests::problemOf("gpt2", 0);
    for (const bool isGreedy : {false, true}) {
        solve::TorchBudgetRows rows{problem, isGreedy};
        QVERIFY(rows.keepingAll().empty());
        std::set<graph::OpId> again;
        std::size_t count = 0;
        for (const plan::RecomputeStep& row : rowsAt(rows, 0)) {
            again.insert(row.ops.begin(), row.ops.end());
            count += row.ops.size();
        }
        QVERIFY(count > 150); // nearly all ops of forward that aren't views
        QCOMPARE(again.size(), count);
    }
}

/// Without a budget, the partitioner recomputes what costs a kernel nothing, and no matrix product.
void TorchBudgetTest::withoutABudgetOnlyCheapOpsRunAgain()
{
    const plan::Problem problem = tests::problemOf("gpt2", 0);
    solve::TorchBudgetRows rows{problem, false};
    std::size_t cheap = 0;
    for (const plan::RecomputeStep& row : rowsAt(rows, 1000))
        for (const graph::OpId op : row.ops) {
            QCOMPARE(problem.step()->op(op).flops, std::int64_t{0});
            ++cheap;
        }
    QVERIFY(cheap > 0);
}

/// checkpointing.md 12.4: the budget limits what is kept at the boundary, and the chains that are
/// recomputed may need more than it saves.
void TorchBudgetTest::theRawPeaksRiseAndFallAndOursOnlyFall()
{
    const plan::Problem problem = tests::problemOf("llama", 0);
    solve::TorchBudgetRows rows{problem, false};
    const auto peakAt = [&](std::int64_t permille) {
        return plan::evaluate(problem, budgetPlan(rows, permille))->peak;
    };
    std::vector<base::Bytes> peaks;
    for (std::int64_t permille = 0; permille <= 1000; permille += 25)
        peaks.push_back(peakAt(permille));
    const base::Bytes least = *std::ranges::min_element(peaks);
    QVERIFY(peaks.front() > least);
    QVERIFY(peaks.back() > least);

    const auto planner = solve::makeTorchBudgetPlanner();
    const auto found = planner->frontier(problem, {}, {});
    QVERIFY(found);
    const std::vector<plan::FrontierPoint>& points = (*found)->points();
    QVERIFY(points.size() > 10);
    QCOMPARE(points.front()->evaluation().peak, least);
    for (std::size_t point = 1; point < points.size(); ++point) {
        QVERIFY(points[point - 1]->evaluation().peak < points[point]->evaluation().peak);
        QVERIFY(points[point - 1]->evaluation().stepTime > points[point]->evaluation().stepTime);
    }
}

void TorchBudgetTest::stopsWithWhatItHas()
{
    std::stop_source stop;
    stop.request_stop();
    const auto found = solve::makeTorchBudgetPlanner()->frontier(
        tests::problemOf("gpt2", 0), {}, {.stop = stop.get_token(), .progress = nullptr});
    QVERIFY(found);
    QCOMPARE((*found)->points().size(), std::size_t{1});
    solve::TorchBudgetRows rows{tests::problemOf("gpt2", 0), false};
    QVERIFY(!rows.at(500, {.stop = stop.get_token(), .progress = nullptr}));
}

void TorchBudgetTest::refusesTheOtherRuntime()
{
    const auto found = solve::makeTorchBudgetPlanner()->frontier(tests::problemOf("gpt2", 0),
                                                                 {{"runtime", 0}}, {});
    QVERIFY(!found && found.error().kind == base::ErrorKind::Usage);
    QCOMPARE(found.error().message,
             std::string{"The option runtime of the planner torch-budget takes 1 to 1, not 0."});
}

void TorchBudgetTest::stepsWithoutBackwardAreNoPlansMatter()
{
    const auto found =
        solve::makeTorchBudgetPlanner()->frontier(tests::problemOf("gpt2_prompt", 0), {}, {});
    QVERIFY(!found && found.error().kind == base::ErrorKind::CheckFailed);
    QCOMPARE(found.error().message,
             std::string{"The graph has no backward, but runtime \"step\" executes training steps "
                         "only."});
}

/// Every proposal passes its check: an error would be a bug in the planner.
void TorchBudgetTest::randomPrograms()
{
    std::size_t planned = 0;
    const auto planner = solve::makeTorchBudgetPlanner();
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
        for (const graph::ProgramPtr& program :
             {tests::randomProgram(seed), tests::randomGatedProgram(seed)}) {
            const plan::Problem problem = tests::unlimitedProblem(program);
            solve::TorchBudgetRows rows{problem, seed % 2 == 0};
            for (const std::int64_t permille : {0, 100, 500, 900}) {
                const plan::Plan plan = budgetPlan(rows, permille);
                const auto verified = plan::certify(problem, plan);
                QVERIFY2(verified, verified ? "" : verified.error().message.c_str());
                planned += plan.recomputeSteps().empty() ? 0U : 1U;
            }
            QVERIFY(planner->frontier(problem, {}, {}));
        }
    QVERIFY(planned > 100);
}

} // namespace

PLIMSOLL_TEST(TorchBudgetTest, QCoreApplication)
#include "torch_budget_test.moc"
