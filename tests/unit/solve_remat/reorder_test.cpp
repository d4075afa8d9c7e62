// SPDX-License-Identifier: Apache-2.0
// Other orders of a step's ops: which there are, what they need, and what the planner makes of
// them.
#include "core/solve/remat/search/reorder.h"

#include "core/evaluate/certify.h"
#include "core/plan/pins.h"
#include "core/solve/remat/program_problem.h"
#include "core/solve/remat/remat_planner.h"

#include "tests/support/planned_samples.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

using namespace plimsoll;
using graph::Phase;
using graph::StorageClass;

namespace {

constexpr int kBranches = 6;

/// A large value for each branch, then a small one of each: 0..5 are large, 6..11 small.
plan::Problem branches()
{
    tests::ProgramBuilder program = tests::aProgram();
    program.storage("w", 1, StorageClass::Parameter);
    const auto name = [](const char* what, int branch) { return what + std::to_string(branch); };
    for (int branch = 0; branch < kBranches; ++branch)
        program.storage(name("a", branch), 1000, StorageClass::Activation,
                        {.alloc = branch, .python = kBranches + branch});
    std::vector<std::string> small;
    for (int branch = 0; branch < kBranches; ++branch) {
        small.push_back(name("c", branch));
        program.storage(small.back(), 10, StorageClass::Activation,
                        {.alloc = kBranches + branch, .python = 2 * kBranches});
    }
    program.storage("l", 100, StorageClass::Output, {.alloc = 2 * kBranches})
        .storage("gw", 1, StorageClass::Gradient, {.alloc = 2 * kBranches + 1});
    for (int branch = 0; branch < kBranches; ++branch)
        program.op("aten.exp.default", {.reads = {"w"}, .outputs = {name("a", branch)}});
    for (int branch = 0; branch < kBranches; ++branch)
        program.op("aten.sum.default",
                   {.reads = {name("a", branch)}, .outputs = {name("c", branch)}});
    program.op("aten.stack.default", {.reads = small, .outputs = {"l"}, .phase = Phase::Loss})
        .op("aten.mul.Tensor", {.reads = {"l"}, .outputs = {"gw"}, .phase = Phase::Backward})
        .call("", 0, 2 * kBranches - 1, {"w"}, small);
    return tests::unlimitedProblem(program.build());
}

solve::StepOrder recorded(const plan::Problem& problem)
{
    solve::StepOrder order(problem.step()->countBeforeOptimizer());
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

/// Of the runner's ops, in an order of them.
std::int64_t fullest(const plan::Problem& problem, const solve::StepOrder& order)
{
    const std::vector<std::int64_t> totals =
        plan::evaluate(problem, *solve::stepPlanOf({}, order))->timeline->totals();
    return *std::max_element(totals.begin(),
                             totals.begin() + static_cast<std::ptrdiff_t>(order.size()));
}

class ReorderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsTheOrderOfBranches();
    void aPlanNamesWhatRunsAhead();
    void lowestIsLegalAndNeverHigher();
    void thePlannerReordersOnlyWhenAsked();
    void pinsAreHonouredOnOtherOrders();
    void whatCantBeReorderedIsRefused();
};

void ReorderTest::findsTheOrderOfBranches()
{
    const plan::Problem problem = branches();
    QCOMPARE(fullest(problem, recorded(problem)), std::int64_t{6011}); // with the parameter
    const solve::StepOrder lowest = solve::lowestOrder(problem, {});
    QCOMPARE(fullest(problem, lowest), std::int64_t{1061});
    QVERIFY(lowest == solve::lowestOrder(problem, {}));
}

void ReorderTest::aPlanNamesWhatRunsAhead()
{
    const auto rows = [](const solve::RematPlan& plan, const solve::StepOrder& order) {
        const std::optional<plan::Plan> made = solve::stepPlanOf(plan, order);
        return made ? made->recomputeSteps() : std::vector<plan::RecomputeStep>{{-1, {}}};
    };
    using graph::OpId;
    QVERIFY(rows({}, {0, 1, 2, 3}).empty());
    QVERIFY(rows({}, {0, 2, 3, 1}) == (std::vector<plan::RecomputeStep>{{1, {OpId{2}, OpId{3}}}}));
    QVERIFY(rows({}, {2, 0, 3, 1})
            == (std::vector<plan::RecomputeStep>{{0, {OpId{2}}}, {1, {OpId{3}}}}));
    // Before the third of them the first runs again.
    QVERIFY(rows({{{2, {0}}}}, {0, 2, 1, 3})
            == (std::vector<plan::RecomputeStep>{{1, {OpId{0}, OpId{2}}}}));
    // A row can't hold an op twice: 2 ahead of 1, and again ahead of 1.
    QVERIFY(rows({{{2, {1}}}}, {0, 2, 1, 3}) == (std::vector<plan::RecomputeStep>{{-1, {}}}));
    QVERIFY(solve::runnersOrder({3, 2, 0, 1}) == (solve::StepOrder{2, 3, 0, 1}));
}

/// Evaluation and replay agree that the order is legal, takes as long and needs less.
void ReorderTest::lowestIsLegalAndNeverHigher()
{
    int lower = 0;
    for (std::uint64_t seed = 0; seed < 240; ++seed) {
        const plan::Problem problem = tests::unlimitedProblem(tests::randomProgram(seed));
        const solve::StepOrder plain = recorded(problem);
        const solve::StepOrder order = solve::lowestOrder(problem, {});
        if (order == plain)
            continue;
        const plan::Plan plan = *solve::stepPlanOf({}, order);
        const auto verified = plan::certify(problem, plan);
        QVERIFY2(verified, verified ? "" : verified.error().message.c_str());
        QCOMPARE((*verified)->evaluation().stepTime,
                 plan::evaluate(problem, *solve::stepPlanOf({}, plain))->stepTime);
        QVERIFY(fullest(problem, order) < fullest(problem, plain));
        ++lower;
    }
    qInfo("%d of 240 lower", lower);
    QVERIFY(lower >= 20);
}

/// Without the option, no op runs ahead of its place; with it, no budget has a slower plan.
void ReorderTest::thePlannerReordersOnlyWhenAsked()
{
    const auto isAhead = [](const plan::VerifiedPlanPtr& point) {
        return std::ranges::any_of(
            point->plan().recomputeSteps(), [](const plan::RecomputeStep& row) {
                return row.ops.back().index() > static_cast<std::size_t>(row.before);
            });
    };
    int gains = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        plan::Problem problem =
            seed == 0 ? branches() : tests::unlimitedProblem(tests::randomProgram(seed));
        problem.device.bandwidth = 1e9;
        const auto planner = solve::makeRematPlanner({});
        const plan::FrontierPtr plain = planner->frontier(problem, {{"points", 8}}, {}).value();
        const plan::FrontierPtr free =
            planner->frontier(problem, {{"points", 8}, {"reorder", 1}}, {}).value();
        QVERIFY(std::ranges::none_of(plain->points(), isAhead));
        for (const plan::VerifiedPlanPtr& point : plain->points()) {
            const plan::VerifiedPlanPtr same = free->at(point->evaluation().peak);
            QVERIFY(same && same->evaluation().stepTime <= point->evaluation().stepTime);
        }
        gains += std::ranges::any_of(free->points(), isAhead) ? 1 : 0;
        if (seed == 0) { // nothing is repeated, and still it's the least that there is
            QCOMPARE(free->points().front()->evaluation().peak.count(), std::int64_t{1061});
            QCOMPARE(free->points().front()->evaluation().recomputeTime.count(), std::int64_t{0});
        }
    }
    qInfo("%d of 20 gain", gains);
    QVERIFY(gains >= 3);
}

/// Pins are honoured on the other order, too, which gains as much as without pins.
void ReorderTest::pinsAreHonouredOnOtherOrders()
{
    const auto least = [](const plan::Problem& problem, const solve::Options& options) {
        const plan::FrontierPtr found =
            solve::makeRematPlanner({})->frontier(problem, options, {}).value();
        for (const plan::VerifiedPlanPtr& point : found->points())
            if (point->problem().pins != problem.pins
                || !plan::honoursPins(problem, *point->evaluation().schedule))
                qFatal("a pin is broken");
        return found->points().front()->evaluation().peak.count();
    };
    const solve::Options recorded{{"points", 8}};
    const solve::Options reordered{{"points", 8}, {"reorder", 1}};
    int gains = 0;
    for (const plan::PinKind kind : {plan::PinKind::Keep, plan::PinKind::Recompute})
        for (const std::uint64_t seed : {1U, 39U, 48U, 56U, 58U, 79U, 99U, 109U}) {
            plan::Problem problem = tests::unlimitedProblem(tests::randomProgram(seed));
            problem.device.bandwidth = 1e9;
            problem.pins = {{kind, "*", {}}};
            for (std::size_t storage = 0; storage < problem.step()->storages.size(); ++storage) {
                const graph::Storage& row = problem.step()->storages[storage];
                const auto forward = static_cast<graph::OpIndex>(problem.step()->forwardCount());
                if (row.alloc >= 0 && row.alloc < forward && row.free > forward) {
                    problem.pins.front().storages = {graph::StorageId{storage}};
                    break;
                }
            }
            if (problem.pins.front().storages.empty()
                || !solve::makeRematPlanner({})->frontier(problem, recorded, {})
                || !solve::rowsOfPins(problem))
                continue;
            const std::int64_t plain = least(problem, recorded);
            const std::int64_t free = least(problem, reordered);
            QVERIFY(free <= plain);
            gains += free < plain ? 1 : 0;
        }
    QVERIFY2(gains >= 10, qPrintable(QString::number(gains)));
}

void ReorderTest::whatCantBeReorderedIsRefused()
{
    const auto refused =
        solve::makeRematPlanner({})->frontier(branches(), {{"runtime", 0}, {"reorder", 1}}, {});
    QVERIFY(!refused && refused.error().kind == base::ErrorKind::Usage);
}

} // namespace

PLIMSOLL_TEST(ReorderTest, QCoreApplication)
#include "reorder_test.moc"
