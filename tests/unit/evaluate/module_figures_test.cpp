// SPDX-License-Identifier: Apache-2.0
// A plan by modules: sums that are the evaluation's, and what the plan does with each module.
#include "core/evaluate/module_figures.h"

#include "tests/support/messages.h"
#include "tests/support/planned_sample.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace plimsoll;

namespace {

using plan::ModuleDecision;
using plan::ModuleFigures;

constexpr std::uint64_t kPrograms = 60;
constexpr base::Bytes kReserve{1000};

class ModuleFiguresTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nestsCalledModules();
    void tellsWhatBecomesOfEachModule();
    void addsUpForRandomPlans();
    void addsUpForASample();
};

/// Sums over the nodes without parent and what is outside.
ModuleFigures sumOf(const graph::ModuleTree& tree, const std::vector<ModuleFigures>& figures)
{
    ModuleFigures sum = figures.back();
    for (std::size_t node = 0; node < tree.nodes.size(); ++node)
        if (tree.nodes[node].parent < 0)
            sum += figures[node];
    return sum;
}

/// What forward makes and its end finds in memory.
base::Bytes keptByForward(const graph::Program& program, const plan::Schedule& schedule,
                          graph::Rounding rounding)
{
    std::int32_t end = -1;
    for (std::size_t op = 0; op < program.forwardCount(); ++op)
        end = std::max(end, schedule.stepOfOp[op]);
    base::Bytes bytes;
    for (const plan::Instance& instance : schedule.instances)
        if (instance.alloc >= 0 && instance.alloc <= end && instance.free > end)
            bytes += graph::rounded(program.storage(instance.storage).bytes, rounding);
    return bytes;
}

void compareSums(const plan::Problem& problem, const plan::Evaluation& evaluation)
{
    const graph::Program& program = *problem.step();
    const graph::ModuleTree tree = graph::moduleTree(program);
    const ModuleFigures sum = sumOf(tree, plan::moduleFigures(program, tree, evaluation));
    QCOMPARE((sum.atPeak + problem.reserve).count(), evaluation.peak.count());
    QCOMPARE(sum.time.count(), evaluation.stepTime.count());
    QCOMPARE(sum.recomputeTime.count(), evaluation.recomputeTime.count());
    QCOMPARE(sum.saved.count(),
             keptByForward(program, *evaluation.schedule, problem.rounding).count());
    base::Bytes recomputed;
    for (const plan::Recomputed& value : evaluation.recomputed)
        recomputed += value.bytes;
    QCOMPARE(sum.recomputed.count(), recomputed.count());
}

/// Two blocks of two layers each, `a` before `b`, each of which saves its input.
graph::ProgramPtr twoBlocks()
{
    using graph::StorageClass;
    const std::vector<std::string> names{"x", "a0", "b0", "a1", "b1"};
    tests::ProgramBuilder builder = tests::aProgram();
    builder.storage("x", 100, StorageClass::Input)
        .storage("h.0.a.weight", 10, StorageClass::Parameter);
    for (int i = 0; i < 3; ++i)
        builder.storage(names[static_cast<std::size_t>(i) + 1], 100, StorageClass::Activation,
                        {.alloc = i, .python = i + 1, .free = 7 - i});
    builder.storage("b1", 100, StorageClass::Temporary, {.alloc = 3, .python = 4});
    for (std::size_t i = 0; i < 4; ++i)
        builder.op("aten.mul", {.reads = {names[i]}, .outputs = {names[i + 1]}});
    builder.op("aten.sum", {.reads = {"b1"}, .phase = graph::Phase::Loss});
    for (std::size_t i = 4; i-- > 0;)
        builder.op("aten.mul", {.reads = {names[i]}, .phase = graph::Phase::Backward});
    for (std::size_t block = 0; block < 2; ++block) {
        const auto first = static_cast<graph::OpIndex>(2 * block);
        const std::string path = "h." + std::to_string(block);
        const std::string input = names[2 * block];
        const std::string middle = names[2 * block + 1];
        const std::string output = names[2 * block + 2];
        builder.call(path, first, first + 1, {input}, {output})
            .call(path + ".a", first, first, {input}, {middle})
            .call(path + ".b", first + 1, first + 1, {middle}, {output});
    }
    for (int i = 0; i < 4; ++i)
        builder.saved(names[static_cast<std::size_t>(i)], i,
                      {.unpack = 8 - i, .dropped = 8 - i, .released = 8 - i});
    return builder.build();
}

std::size_t nodeOf(const graph::Program& program, const graph::ModuleTree& tree,
                   const std::string& path)
{
    const auto node = std::ranges::find(tree.nodes, path, [&](const graph::ModuleNode& candidate) {
        return program.module(candidate.module).path;
    });
    return static_cast<std::size_t>(node - tree.nodes.begin());
}

void ModuleFiguresTest::nestsCalledModules()
{
    const graph::ProgramPtr program = twoBlocks();
    const graph::ModuleTree tree = graph::moduleTree(*program);
    QCOMPARE(tree.nodes.size(), std::size_t{6});
    const graph::ModuleNode& block = tree.nodes[nodeOf(*program, tree, "h.1")];
    QCOMPARE(block.name, std::string{"h.1"}); // the list `h` is never called
    QCOMPARE(block.parent, -1);
    const graph::ModuleNode& layer = tree.nodes[nodeOf(*program, tree, "h.1.b")];
    QCOMPARE(layer.name, std::string{"b"});
    QCOMPARE(static_cast<std::size_t>(layer.parent), nodeOf(*program, tree, "h.1"));
    QCOMPARE(tree.ofStorage[0], -1); // the input
    QCOMPARE(static_cast<std::size_t>(tree.ofStorage[1]), nodeOf(*program, tree, "h.0.a"));
    QCOMPARE(static_cast<std::size_t>(tree.ofStorage[5]), nodeOf(*program, tree, "h.1.b"));
}

void ModuleFiguresTest::tellsWhatBecomesOfEachModule()
{
    const graph::ProgramPtr program = twoBlocks();
    const graph::ModuleTree tree = graph::moduleTree(*program);
    const plan::Problem problem = tests::unlimitedProblem(program);
    const auto figures = [&](const plan::Plan& plan) {
        return plan::moduleFigures(*program, tree, *plan::evaluate(problem, plan));
    };
    const std::vector<ModuleFigures> kept = figures(plan::keepEverything());
    for (const char* path : {"h.0", "h.0.a", "h.0.b", "h.1", "h.1.a"})
        QCOMPARE(kept[nodeOf(*program, tree, path)].decision, ModuleDecision::Keep);
    QCOMPARE(kept[nodeOf(*program, tree, "h.1.b")].decision, ModuleDecision::None);
    QCOMPARE(kept.back().decision, ModuleDecision::None);
    QCOMPARE(kept[nodeOf(*program, tree, "h.0")].saved.count(), std::int64_t{200});
    // At the loss all four results and the weight are live.
    QCOMPARE(kept[nodeOf(*program, tree, "h.0")].atPeak.count(), std::int64_t{210});
    QCOMPARE(kept[nodeOf(*program, tree, "h.0.a")].atPeak.count(), std::int64_t{110});
    QCOMPARE(kept.back().atPeak.count(), std::int64_t{100});

    plan::Plan plan = plan::keepEverything();
    plan.asRegions().regions = {tests::regionOf(*program, {0})};
    const std::vector<ModuleFigures> planned = figures(plan);
    const ModuleFigures& block = planned[nodeOf(*program, tree, "h.0")];
    QCOMPARE(block.decision, ModuleDecision::Recompute); // its result is kept by the next block
    QCOMPARE(block.saved.count(), std::int64_t{100});
    QCOMPARE(planned[nodeOf(*program, tree, "h.0.a")].decision, ModuleDecision::Recompute);
    QCOMPARE(planned[nodeOf(*program, tree, "h.0.b")].decision, ModuleDecision::Keep);
    QCOMPARE(planned[nodeOf(*program, tree, "h.1")].decision, ModuleDecision::Keep);
}

void ModuleFiguresTest::addsUpForRandomPlans()
{
    std::array<int, 4> seen{};
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const graph::ModuleTree tree = graph::moduleTree(*program);
        plan::Problem problem = tests::unlimitedProblem(program);
        problem.reserve = kReserve;
        problem.rounding = graph::Rounding::Cuda512;
        for (const plan::Plan& plan :
             {plan::keepEverything(), tests::randomLegalPlan(*program, seed),
              tests::randomOpPlan(*program, seed), tests::randomStepPlan(*program, seed)}) {
            const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan);
            compareSums(problem, *evaluation);
            for (const ModuleFigures& figures : plan::moduleFigures(*program, tree, *evaluation))
                ++seen.at(static_cast<std::size_t>(figures.decision));
        }
        if (QTest::currentTestFailed())
            return;
    }
    for (const int count : seen)
        QVERIFY(count > 0);
}

void ModuleFiguresTest::addsUpForASample()
{
    const auto sample = tests::planSample("resnet18", base::Bytes{std::int64_t{300} << 20});
    QVERIFY2(sample, tests::messageOf(sample));
    const plan::VerifiedPlan& unplanned = *sample->planned->unplanned;
    compareSums(unplanned.problem(), unplanned.evaluation());
    const plan::VerifiedPlan& smallest = *sample->planned->frontier->points().front();
    compareSums(smallest.problem(), smallest.evaluation());
}

} // namespace

PLIMSOLL_TEST(ModuleFiguresTest, plimsoll::tests::NoApplication)
#include "module_figures_test.moc"
