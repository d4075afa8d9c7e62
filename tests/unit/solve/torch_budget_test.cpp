// SPDX-License-Identifier: Apache-2.0
// activation_memory_budget: the knapsack, what is computed again, and what that does to the peak.
#include "core/solve/baseline/baselines.h"
#include "core/solve/baseline/budgeted_boundary.h"
#include "core/solve/baseline/exact_knapsack.h"

#include "tests/support/programs.h"
#include "tests/support/random.h"
#include "tests/unit/solve/planned_samples.h"

#include <QTest>

#include <algorithm>
#include <set>

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

plan::Plan budgetPlan(const solve::BudgetedBoundary& boundary, std::int64_t permille)
{
    plan::Plan plan = plan::keepEverything();
    plan.runtime = plan::Runtime::Step;
    plan.again = boundary.rows(permille);
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
    void noOpRunsMoreThanTwice();
    void theRawPeaksRiseAndFallAndOursOnlyFall();
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

void TorchBudgetTest::noOpRunsMoreThanTwice()
{
    const plan::Problem problem = tests::problemOf("gpt2", 0);
    for (const bool isGreedy : {false, true}) {
        const solve::BudgetedBoundary boundary{problem, isGreedy};
        QVERIFY(boundary.rows(1000).empty());
        std::set<graph::OpId> again;
        std::size_t count = 0;
        for (const plan::Again& row : boundary.rows(0)) {
            again.insert(row.ops.begin(), row.ops.end());
            count += row.ops.size();
        }
        QVERIFY(count > 150); // nearly all ops of forward that aren't views
        QCOMPARE(again.size(), count);
    }
}

/// checkpointing.md 12.4: the budget bounds what is kept at the boundary, and the chains that are
/// computed again may need more than it spares.
void TorchBudgetTest::theRawPeaksRiseAndFallAndOursOnlyFall()
{
    const plan::Problem problem = tests::problemOf("llama", 0);
    const solve::BudgetedBoundary boundary{problem, false};
    const auto peakAt = [&](std::int64_t permille) {
        return plan::evaluate(problem, budgetPlan(boundary, permille))->peak;
    };
    QVERIFY(peakAt(0) > peakAt(300));
    QVERIFY(peakAt(300) < peakAt(1000));

    const auto planner = solve::makeTorchBudgetPlanner();
    const auto found = planner->frontier(problem, {}, {});
    QVERIFY(found);
    const std::vector<plan::VerifiedPlanPtr>& points = (*found)->points();
    QVERIFY(points.size() > 10);
    base::Bytes least = peakAt(1000);
    for (std::int64_t permille = 0; permille <= 1000; permille += 25)
        least = std::min(least, peakAt(permille));
    QCOMPARE(points.front()->evaluation().peak, least);
    for (std::size_t point = 1; point < points.size(); ++point) {
        QVERIFY(points[point - 1]->evaluation().peak < points[point]->evaluation().peak);
        QVERIFY(points[point - 1]->evaluation().stepTime > points[point]->evaluation().stepTime);
    }
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

/// Whatever it proposes passes its check: an error would be a bug of it.
void TorchBudgetTest::randomPrograms()
{
    std::size_t planned = 0;
    const auto planner = solve::makeTorchBudgetPlanner();
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
        for (const graph::ProgramPtr& program :
             {tests::randomProgram(seed), tests::randomGatedProgram(seed)}) {
            const plan::Problem problem = tests::unlimitedProblem(program);
            const solve::BudgetedBoundary boundary{problem, seed % 2 == 0};
            for (const std::int64_t permille : {0, 100, 500, 900}) {
                const plan::Plan plan = budgetPlan(boundary, permille);
                const auto verified = plan::certify(problem, plan);
                QVERIFY2(verified, verified ? "" : verified.error().message.c_str());
                planned += plan.again.empty() ? 0U : 1U;
            }
            QVERIFY(planner->frontier(problem, {}, {}));
        }
    QVERIFY(planned > 100);
}

} // namespace

QTEST_GUILESS_MAIN(TorchBudgetTest)
#include "torch_budget_test.moc"
