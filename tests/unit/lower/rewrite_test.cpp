// SPDX-License-Identifier: Apache-2.0
// A plan written out by hand: what is repeated stands where the plan repeats it, under the name of
// what it repeats, and later ops take from it.
#include "core/lower/lower.h"

#include "tests/support/programs/programs.h"
#include "tests/support/rewritten.h"
#include "tests/support/rewritten_step.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace plimsoll;
using graph::OpIndex;
using graph::Phase;
using graph::StorageClass;

/// With apostrophes for quotes, ` for a quote inside of a text.
std::string json(std::string text)
{
    std::ranges::replace(text, '\'', '"');
    for (std::size_t at = text.find('`'); at != std::string::npos; at = text.find('`', at))
        text.replace(at, 1, "\\\"");
    return text;
}

/// 0 batch norm of x (writes its running mean), 1 relu, 2 exp, 3 loss; 4 ones, 5 and 6 backward.
/// Module "bn" runs op 0, "act" ops 1 and 2, "empty" none.
graph::ProgramPtr program()
{
    tests::ProgramBuilder builder = tests::aProgram();
    builder.storage("x", 1, StorageClass::Input)
        .storage("mean", 10, StorageClass::Buffer)
        .storage("n", 100, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 6})
        .storage("r", 1000, StorageClass::Activation, {.alloc = 1, .python = 2, .free = 5})
        .storage("e", 10000, StorageClass::Temporary, {.alloc = 2, .python = 3})
        .storage("l", 100000, StorageClass::Output, {.alloc = 3})
        .storage("one", 1000000, StorageClass::Temporary, {.alloc = 4, .python = 5})
        .storage("gr", 10000000, StorageClass::Temporary, {.alloc = 5, .python = 6})
        .storage("gx", 100000000, StorageClass::Gradient, {.alloc = 6})
        .view("v", "n");
    builder
        .op("aten.native_batch_norm.default",
            {.reads = {"x", "mean"}, .writes = {"mean"}, .outputs = {"n"}})
        .op("aten.relu.default", {.reads = {"n"}, .outputs = {"r"}})
        .op("aten.exp.default", {.reads = {"r"}, .outputs = {"e"}})
        .op("aten.sum.default", {.reads = {"e"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("aten.ones_like.default",
            {.reads = {"l"}, .outputs = {"one"}, .phase = Phase::Backward})
        .op("aten.mul.Tensor", {.reads = {"one", "r"}, .outputs = {"gr"}, .phase = Phase::Backward})
        .op("aten.threshold_backward.default",
            {.reads = {"gr", "v"}, .outputs = {"gx"}, .phase = Phase::Backward});
    builder.call("", 0, 2, {"x"}, {"e"})
        .call("bn", 0, 0, {"x"}, {"n"})
        .call("act", 1, 2, {"n"}, {"e"})
        .call("empty", 3, 2, {"e"}, {"e"});
    auto made = std::make_shared<graph::Program>(*builder.build());
    made->parameters.push_back({"x", graph::StorageId{0}, graph::StorageId{8}, {}});
    for (const char* const args :
         {"[{'t':0},null,{'t':1},true,1e-05]", "[{'t':2}]", "[{'t':3}]", "[{'t':4},[]]",
          "[{'t':5}]", "[{'t':6},{'t':3}]", "[{'t':7},{'t':9},'{`t`:9}']"}) {
        made->callTexts.add(json(args));
        made->callTexts.add(json("{'dtype':{'dtype':'float32'}}"));
    }
    made->ops[1].isRandom = made->ops[1].inGradMode = true;
    made->ops[5].forwardOp = graph::OpId{2};
    made->ops[1].sequence = 7;
    return made;
}

plan::VerifiedPlanPtr planned(std::vector<plan::RecomputeStep> rows)
{
    plan::Plan plan;
    plan.planner = "hand";
    plan.decisions = plan::RecomputeSchedule{std::move(rows)};
    plan::Problem problem = tests::unlimitedProblem(program());
    problem.rounding = graph::Rounding::Exact;
    return plan::certify(problem, plan).value();
}

/// Batch norm and relu run again before the ops that need them.
graph::Program rewritten()
{
    return tests::rewritten(
               *planned({{5, {graph::OpId{0}, graph::OpId{1}}}, {6, {graph::OpId{0}}}}))
        .value();
}

std::vector<std::size_t> numbers(const std::vector<graph::TensorId>& tensors)
{
    std::vector<std::size_t> found;
    found.reserve(tensors.size());
    for (const graph::TensorId tensor : tensors)
        found.push_back(tensor.index());
    return found;
}

using Numbers = std::vector<std::size_t>;

class RewriteTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void repetitionsAreOpsUnderTheNamesOfWhatTheyRepeat();
    void laterUsesTakeFromTheNewestCopy();
    void callsAreRenamedAndDoWithoutStatistics();
    void storagesLiveAsThePlanSays();
    void callsOfModulesMoveWithTheirOps();
    void aResultThatIsMadeAgainIsNoResultBefore();
    void lossesMadeAgainInBackwardStayTheOnlyResults();
    void aPlanWithoutRepetitionsIsTheStepOfTheRunner();
    void plansOfRegionsAreRefused();
    void otherOrdersAreRefused();
};

void RewriteTest::repetitionsAreOpsUnderTheNamesOfWhatTheyRepeat()
{
    const graph::Program program = rewritten();
    QVERIFY(program.isRewritten());
    QCOMPARE(program.header.planner, std::string{"hand"});
    std::vector<std::string> lines;
    for (const graph::Op& op : program.ops)
        lines.push_back(std::string{graph::phaseName(op.phase)} + " " + program.label(op)
                        + (op.isRepetition ? " again" : ""));
    const std::vector<std::string> expected{"forward bn · aten.native_batch_norm",
                                            "forward act · aten.relu",
                                            "forward act · aten.exp",
                                            "loss aten.sum",
                                            "backward aten.ones_like",
                                            "backward bn · aten.native_batch_norm again",
                                            "backward act · aten.relu again",
                                            "backward aten.mul",
                                            "backward bn · aten.native_batch_norm again",
                                            "backward aten.threshold_backward"};
    QCOMPARE(lines, expected);
    QCOMPARE(program.ops[5].recomputeOf->index(), std::size_t{0});
    QCOMPARE(program.ops[6].recomputeOf->index(), std::size_t{1});
    QCOMPARE(program.ops[8].recomputeOf->index(), std::size_t{0});
    QVERIFY(program.ops[6].isRandom && program.ops[6].inGradMode);
    QCOMPARE(program.ops[1].sequence, std::int64_t{7});
    QCOMPARE(program.ops[6].sequence, std::int64_t{-1});
    QCOMPARE(program.ops[7].forwardOp->index(), std::size_t{2});
    QCOMPARE(program.saved.size(), std::size_t{0});
    QCOMPARE(program.checks, graph::recount(program));
}

/// Storages 9 and 10 are those of ops 5 and 6, 11 that of op 8; tensors stand behind the recorded
/// ten in order of their first use.
void RewriteTest::laterUsesTakeFromTheNewestCopy()
{
    const graph::Program program = rewritten();
    QCOMPARE(numbers(program.ops[5].reads), (Numbers{0}));
    QCOMPARE(numbers(program.ops[5].writes), (Numbers{}));
    QCOMPARE(numbers(program.ops[5].outputs), (Numbers{10}));
    QCOMPARE(numbers(program.ops[6].reads), (Numbers{10}));
    QCOMPARE(numbers(program.ops[6].outputs), (Numbers{11}));
    QCOMPARE(numbers(program.ops[7].reads), (Numbers{6, 11}));
    QCOMPARE(numbers(program.ops[8].outputs), (Numbers{12}));
    QCOMPARE(numbers(program.ops[9].reads), (Numbers{7, 13})); // the view of the newest copy
    std::vector<std::size_t> storages;
    for (std::size_t row = 10; row < program.tensors.size(); ++row)
        storages.push_back(program.tensors[row].storage.index());
    QCOMPARE(storages, (Numbers{9, 10, 11, 11}));
}

void RewriteTest::callsAreRenamedAndDoWithoutStatistics()
{
    const graph::Program program = rewritten();
    const auto args = [&](std::size_t op) {
        return std::string{program.callTexts.of(graph::OpId{op}, 0)};
    };
    QCOMPARE(args(0), json("[{'t':0},null,{'t':1},true,1e-05]"));
    QCOMPARE(args(5), json("[{'t':0},null,null,true,1e-05]"));
    QCOMPARE(args(6), json("[{'t':10}]"));
    QCOMPARE(args(7), json("[{'t':6},{'t':11}]"));
    QCOMPARE(args(9), json("[{'t':7},{'t':13},'{`t`:9}']"));
    QCOMPARE(std::string{program.callTexts.of(graph::OpId{9}, 1)},
             json("{'dtype':{'dtype':'float32'}}"));
}

void RewriteTest::storagesLiveAsThePlanSays()
{
    const graph::Program program = rewritten();
    const std::vector<std::vector<OpIndex>> expected{
        {graph::kBeforeStep, graph::kNever, 8}, // x, which the last batch norm reads
        {graph::kBeforeStep, graph::kNever, 0}, // the running mean, which none of them touches
        {0, 1, 1},
        {1, 2, 2},
        {2, 3, 3},
        {3, graph::kNever, 4}, // the loss
        {4, 7, 7},
        {7, 9, 9},
        {9, graph::kNever, 9}, // the gradient
        {5, 6, 6},
        {6, 7, 7},
        {8, 9, 9},
    };
    QCOMPARE(program.storages.size(), expected.size());
    for (std::size_t row = 0; row < expected.size(); ++row) {
        const graph::Storage& storage = program.storages[row];
        QCOMPARE((std::vector<OpIndex>{storage.alloc, storage.free, storage.lastUse}),
                 expected[row]);
        QCOMPARE(storage.pythonFree, storage.free);
    }
    QCOMPARE(program.storages[9].bytes.count(), std::int64_t{100});
    QCOMPARE(program.storages[10].storageClass, StorageClass::Activation);
}

void RewriteTest::callsOfModulesMoveWithTheirOps()
{
    const graph::Program program =
        tests::rewritten(*planned({{2, {graph::OpId{0}, graph::OpId{1}}}, {3, {graph::OpId{0}}}}))
            .value();
    std::vector<std::vector<OpIndex>> spans;
    for (const graph::Call& call : program.calls)
        spans.push_back({call.first, call.last});
    const std::vector<std::vector<OpIndex>> expected{{0, 4}, {0, 0}, {1, 4}, {5, 4}};
    QCOMPARE(spans, expected);
    QCOMPARE(program.ops[2].phase, Phase::Forward);
    QCOMPARE(program.ops[5].phase, Phase::Loss);
    QCOMPARE(program.forwardCount(), std::size_t{7});
}

void RewriteTest::aResultThatIsMadeAgainIsNoResultBefore()
{
    const graph::Program program =
        tests::rewritten(*planned({{4, {graph::OpId{2}, graph::OpId{3}}}})).value();
    QCOMPARE(program.storages[5].storageClass, StorageClass::Activation);
    QCOMPARE(program.storages.back().storageClass, StorageClass::Output);
    QCOMPARE(program.ops[4].phase, Phase::Backward); // which it runs again for
    // Planned once more, it still ends with that loss.
    plan::Plan nothing = plan::keepEverything();
    nothing.decisions = plan::RecomputeSchedule{};
    const plan::EvaluationPtr again = plan::evaluate(
        tests::unlimitedProblem(std::make_shared<const graph::Program>(program)), nothing);
    QCOMPARE(again->schedule->instances.back().free, graph::kNever);
    QCOMPARE(again->schedule->instances[5].free, 3);
}

/// Backward starts from the first loss, which is no result any more; what else the recorded step
/// returned (here e) is none for that.
void RewriteTest::lossesMadeAgainInBackwardStayTheOnlyResults()
{
    auto recorded = std::make_shared<graph::Program>(*program());
    recorded->storages[4].storageClass = StorageClass::Output;
    plan::Problem problem = tests::unlimitedProblem(recorded);
    problem.rounding = graph::Rounding::Exact;
    const std::vector<graph::OpId> loss{graph::OpId{2}, graph::OpId{3}};
    const auto madeAgain =
        [&problem](const graph::ProgramPtr& program,
                   const std::vector<plan::RecomputeStep>& rows) -> graph::ProgramPtr {
        problem.program = program;
        plan::Plan plan;
        plan.decisions = plan::RecomputeSchedule{rows};
        const plan::VerifiedPlanPtr planned = plan::certify(problem, plan).value();
        auto rewritten = std::make_shared<const graph::Program>(tests::rewritten(*planned).value());
        [&] {
            QCOMPARE(rewritten->storages[5].storageClass, StorageClass::Activation);
            QCOMPARE(rewritten->storages.back().storageClass, StorageClass::Output);
            QCOMPARE(tests::differenceOf(*planned, rewritten), QString{});
        }();
        return rewritten;
    };
    const graph::ProgramPtr once = madeAgain(recorded, {{5, loss}}); // behind backward's first op
    madeAgain(recorded, {{4, loss}, {5, loss}});                     // before and behind it
    madeAgain(once, {{8, {graph::OpId{5}, graph::OpId{6}}}});        // the repetitions once more
}

void RewriteTest::aPlanWithoutRepetitionsIsTheStepOfTheRunner()
{
    const graph::Program program = tests::rewritten(*planned({})).value();
    QCOMPARE(program.ops.size(), std::size_t{7});
    QCOMPARE(program.storages[2].free, 6);
    QCOMPARE(program.storages[3].free, 5);
}

void RewriteTest::plansOfRegionsAreRefused()
{
    plan::Problem problem = tests::unlimitedProblem(program());
    const base::Result<graph::Program> refused =
        tests::rewritten(*plan::certify(problem, plan::keepEverything()).value());
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, base::ErrorKind::Usage);
    // And none can be laid over what is written out.
    problem.program = std::make_shared<const graph::Program>(rewritten());
    plan::Plan regions = plan::keepEverything();
    regions.asRegions().regions = {tests::regionOf(*problem.step(), {2})};
    const plan::Verification seen = plan::verify(problem, regions);
    QCOMPARE(seen.faults.size(), std::size_t{1});
    QVERIFY(seen.faults.front().sentence.starts_with("The graph is a plan written out"));
}

/// The runner could not tell which op of the model each of the graph's is.
void RewriteTest::otherOrdersAreRefused()
{
    tests::ProgramBuilder builder = tests::aProgram();
    builder.storage("x", 1, StorageClass::Input)
        .storage("a", 10, StorageClass::Temporary, {.alloc = 0})
        .storage("b", 10, StorageClass::Temporary, {.alloc = 1})
        .storage("l", 10, StorageClass::Output, {.alloc = 2})
        .storage("g", 10, StorageClass::Gradient, {.alloc = 3})
        .op("a", {.reads = {"x"}, .outputs = {"a"}})
        .op("b", {.reads = {"x"}, .outputs = {"b"}})
        .op("l", {.reads = {"a", "b"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("g", {.reads = {"l"}, .outputs = {"g"}, .phase = Phase::Backward});
    plan::Plan plan;
    plan.decisions = plan::RecomputeSchedule{{{0, {graph::OpId{1}}}}};
    const auto planned = plan::certify(tests::unlimitedProblem(builder.build()), plan);
    QVERIFY2(planned, planned ? "" : planned.error().message.c_str());
    const base::Result<graph::Program> found = tests::rewritten(**planned);
    QVERIFY(!found);
    QCOMPARE(found.error().kind, base::ErrorKind::Usage);
    QCOMPARE(
        found.error().message,
        std::string{
            "This plan reorders ops: op 1 runs before op 0, and a graph of such a step doesn't "
            "identify the model's ops. Export the plan itself, or plan with reorder off."});
}

} // namespace

PLIMSOLL_TEST(RewriteTest, QCoreApplication)

#include "rewrite_test.moc"
