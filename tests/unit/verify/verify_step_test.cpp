// SPDX-License-Identifier: Apache-2.0
// The step runtime on small steps by hand: lives, versions, and a sentence for every fault.
#include "core/evaluate/certify.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <string>
#include <vector>

namespace {

using namespace plimsoll;
using graph::Phase;
using graph::StorageClass;

/// Ops 0..2 forward (a is written in place by op 1), 3 loss, 4..6 backward, 7 optimizer. Sizes are
/// powers of ten, so that a sum tells what is alive.
tests::ProgramBuilder builder()
{
    tests::ProgramBuilder program = tests::aProgram();
    program.storage("w", 1, StorageClass::Parameter)
        .storage("mean", 10, StorageClass::Buffer)
        .storage("a", 100, StorageClass::Activation, {.alloc = 0, .python = 2, .free = 6})
        .storage("b", 1000, StorageClass::Activation, {.alloc = 2, .python = 3, .free = 5})
        .storage("l", 10000, StorageClass::Output, {.alloc = 3})
        .storage("kept", 20000, StorageClass::Output, {.alloc = 3})
        .storage("gb", 100000, StorageClass::Temporary, {.alloc = 5, .python = 6})
        .storage("gw", 1000000, StorageClass::Gradient, {.alloc = 6})
        .storage("t", 10000000, StorageClass::Temporary, {.alloc = 4, .python = 7, .free = 7});
    program.op("aten.mul.Tensor", {.reads = {"w"}, .outputs = {"a"}})
        .op("aten.relu_.default", {.reads = {"a"}, .writes = {"a"}, .outputs = {"a"}})
        .op("aten.exp.default", {.reads = {"a"}, .outputs = {"b"}})
        .op("aten.sum.default", {.reads = {"b"}, .outputs = {"l", "kept"}, .phase = Phase::Loss})
        .op("aten.ones_like.default", {.reads = {"l"}, .outputs = {"t"}, .phase = Phase::Backward})
        .op("aten.mul.Tensor", {.reads = {"b"}, .outputs = {"gb"}, .phase = Phase::Backward})
        .op("aten.threshold_backward.default",
            {.reads = {"gb", "a"}, .outputs = {"gw"}, .phase = Phase::Backward})
        .op("aten.add_.Tensor",
            {.reads = {"w", "gw"}, .writes = {"w"}, .outputs = {"w"}, .phase = Phase::Optimizer});
    program.call("", 0, 2, {"w"}, {"b"}).call("act", 1, 1, {"a"}, {"a"});
    return program;
}

graph::ProgramPtr withGradient(const graph::ProgramPtr& program)
{
    auto copy = std::make_shared<graph::Program>(*program);
    copy->parameters.push_back({"w", graph::StorageId{0}, graph::StorageId{7}, {}});
    return copy;
}

plan::Plan again(std::vector<plan::RecomputeStep> rows)
{
    plan::Plan plan;
    plan.planner = "hand";
    plan.decisions = plan::RecomputeSchedule{std::move(rows)};
    return plan;
}

std::vector<graph::OpId> ops(std::initializer_list<std::size_t> ordinals)
{
    return {ordinals.begin(), ordinals.end()};
}

class VerifyStepTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void valuesDieAfterTheirLastUse();
    void repeatedValuesLiveBetweenTheirUses();
    void aRepeatedBatchNormLeavesItsStatistics();
    void opsAheadOfTheirPlaceRunOnce();
    void ordersThatChangeResultsAreRefused();
    void everyFaultIsNamed_data();
    void everyFaultIsNamed();
    void inferenceIsRefused();
    void aPlanOverBudgetNamesTheStep();
    void repeatedRandomOpsAreToldToKeepStates();
};

void VerifyStepTest::valuesDieAfterTheirLastUse()
{
    const plan::Problem problem = tests::unlimitedProblem(withGradient(builder().build()));
    const plan::Verification seen = plan::verify(problem, again({}));
    QVERIFY2(seen.faults.empty(), tests::firstFault(seen));
    std::vector<std::int64_t> live;
    for (const base::Bytes bytes : seen.liveBytes)
        live.push_back(bytes.count());
    // "kept" dies with the op that returns it, "t" with its own; l and gw are what the step gives.
    const std::vector<std::int64_t> expected{111,      111,    1111,    31111,
                                             10011111, 111111, 1110111, 1010011};
    QCOMPARE(live, expected);
    QVERIFY(plan::certify(problem, again({})).has_value());
}

void VerifyStepTest::repeatedValuesLiveBetweenTheirUses()
{
    const plan::Problem problem = tests::unlimitedProblem(withGradient(builder().build()));
    const plan::Plan plan = again({{5, ops({0, 1, 2})}, {6, ops({0, 1})}});
    const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan);
    // 0 1 2 3 4 | 0 1 2 5 | 0 1 6 | 7: a dies at step 2, 7 and lives again from 9 to 11.
    const std::vector<std::int64_t> expected{111,   111,    1111,   31011,  10010011, 10111,  10111,
                                             11111, 111011, 110111, 110111, 1110111,  1010011};
    QCOMPARE(evaluation->timeline->totals(), expected);
    QVERIFY(plan::certify(problem, plan).has_value());
    QCOMPARE(evaluation->schedule->steps[5].region, 0);
    QCOMPARE(evaluation->schedule->steps[9].region, 1);
    QCOMPARE(evaluation->schedule->stepOf(graph::OpId{0}, true), std::size_t{5});
    QCOMPARE(evaluation->schedule->opsIn(7, 10), // ops 2, 5 and once more 0
             (std::vector<bool>{true, false, true, false, false, true, false, false}));
    QCOMPARE(evaluation->schedule->opsIn(12, 99),
             (std::vector<bool>{false, false, false, false, false, false, false, true}));
    QCOMPARE(evaluation->recomputed.size(), std::size_t{2});
    QCOMPARE(evaluation->recomputed[0].spared.count(), std::int64_t{100});
    QCOMPARE(evaluation->recomputed[0].region, 1);
    QCOMPARE(evaluation->recomputed[1].spared.count(), std::int64_t{1000});
    std::vector<std::string> bands;
    for (const timeline::Band& band : evaluation->timeline->bands())
        bands.push_back(band.label + " " + std::to_string(band.begin) + "-"
                        + std::to_string(band.end));
    QCOMPARE(bands, (std::vector<std::string>{"Forward 0-2", "Loss 3-3", "Backward 4-11",
                                              "Optimizer 12-12"}));
}

void VerifyStepTest::aRepeatedBatchNormLeavesItsStatistics()
{
    const auto programOf = [](const char* target) {
        tests::ProgramBuilder program = tests::aProgram();
        program.storage("x", 1, StorageClass::Input)
            .storage("mean", 10, StorageClass::Buffer)
            .storage("y", 100, StorageClass::Activation, {.alloc = 0, .python = 2, .free = 2})
            .op(target, {.reads = {"x", "mean"}, .writes = {"mean"}, .outputs = {"y"}})
            .op("aten.add_.Tensor", {.reads = {"mean"}, .writes = {"mean"}, .outputs = {"mean"}})
            .op("aten.sum.default", {.reads = {"y"}, .phase = Phase::Backward})
            .call("norm", 0, 1, {"x"}, {"y"});
        return tests::unlimitedProblem(program.build());
    };
    const plan::Plan plan = again({{2, ops({0})}});
    const plan::Problem norm = programOf("aten.native_batch_norm.default");
    const auto verified = plan::certify(norm, plan);
    QVERIFY(verified.has_value());
    QCOMPARE((*verified)->evaluation().notModelled.size(), std::size_t{2});
    const plan::Verification other = plan::verify(programOf("aten.scale.default"), plan);
    QCOMPARE(std::string{tests::firstFault(other)},
             std::string{"aten.scale.default of norm (op 0) is recomputed before op 2, which "
                         "writes buffer 'mean', memory that is older than the step."});
}

/// Two branches, each of a large value and a small one: 0 1 are large, 2 3 small, 3 draws random
/// numbers as 1 does.
tests::ProgramBuilder branches()
{
    tests::ProgramBuilder program = tests::aProgram();
    program.storage("w", 1, StorageClass::Parameter)
        .storage("a", 1000, StorageClass::Activation, {.alloc = 0, .python = 2, .free = 2})
        .storage("b", 1000, StorageClass::Activation, {.alloc = 1, .python = 3, .free = 3})
        .storage("c", 10, StorageClass::Activation, {.alloc = 2, .python = 4, .free = 4})
        .storage("d", 10, StorageClass::Activation, {.alloc = 3, .python = 4, .free = 4})
        .storage("l", 100, StorageClass::Output, {.alloc = 4})
        .storage("t", 100, StorageClass::Temporary, {.alloc = 5, .python = 6, .free = 6})
        .storage("gw", 1, StorageClass::Gradient, {.alloc = 6})
        .op("aten.exp.default", {.reads = {"w"}, .outputs = {"a"}})
        .op("aten.dropout.default", {.reads = {"w"}, .outputs = {"b"}})
        .op("aten.sum.default", {.reads = {"a"}, .outputs = {"c"}})
        .op("aten.dropout.default", {.reads = {"b"}, .outputs = {"d"}})
        .op("aten.dot.default", {.reads = {"c", "d"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("aten.ones_like.default", {.reads = {"l"}, .outputs = {"t"}, .phase = Phase::Backward})
        .op("aten.mul.Tensor", {.reads = {"t"}, .outputs = {"gw"}, .phase = Phase::Backward})
        .call("", 0, 3, {"w"}, {"c", "d"});
    return program;
}

plan::Problem ofBranches()
{
    graph::Program program = *branches().build();
    program.ops[1].isRandom = program.ops[3].isRandom = true;
    return tests::unlimitedProblem(std::make_shared<const graph::Program>(std::move(program)));
}

void VerifyStepTest::opsAheadOfTheirPlaceRunOnce()
{
    const plan::Problem problem = ofBranches();
    QCOMPARE(plan::evaluate(problem, again({}))->peak.count(), std::int64_t{2011});
    const plan::Plan plan = again({{1, ops({2})}});
    const auto verified = plan::certify(problem, plan);
    QVERIFY2(verified, verified ? "" : verified.error().message.c_str());
    const plan::Evaluation& evaluation = (*verified)->evaluation();
    QCOMPARE(evaluation.timeline->totals(),
             (std::vector<std::int64_t>{1001, 1011, 1011, 1021, 121, 201, 202}));
    QCOMPARE(evaluation.recomputeTime.count(), std::int64_t{0});
    QVERIFY(evaluation.recomputed.empty());
    QCOMPARE(evaluation.schedule->stepOfOp, (std::vector<std::int32_t>{0, 2, 1, 3, 4, 5, 6}));
    // Moved ahead, then repeated: the second time is the repetition.
    const plan::Plan both = again({{1, ops({2})}, {3, ops({0, 2})}});
    QVERIFY(plan::certify(problem, both));
    QCOMPARE(plan::evaluate(problem, both)->schedule->steps.size(), std::size_t{9});
}

void VerifyStepTest::ordersThatChangeResultsAreRefused()
{
    const plan::Problem problem = ofBranches();
    const auto faultOf = [&](const plan::Plan& plan) {
        const plan::Verification seen = plan::verify(problem, plan);
        return plan::certify(problem, plan) ? std::string{"no fault"}
                                            : std::string{tests::firstFault(seen)};
    };
    QCOMPARE(faultOf(again({{0, ops({2})}})),
             std::string{"aten.sum.default (op 2) reads the result of aten.exp.default (op 0), "
                         "which isn't there."});
    QCOMPARE(faultOf(again({{1, ops({3})}})),
             std::string{"aten.dropout.default (op 1) runs after aten.dropout.default (op 3): ops "
                         "that draw random numbers, and collectives, must keep their order."});
    QCOMPARE(faultOf(again({{4, ops({6})}})),
             std::string{"aten.mul.Tensor (op 6) would run before op 4: backward begins with its "
                         "first op."});
    QCOMPARE(faultOf(again({{5, ops({6})}})),
             std::string{"aten.mul.Tensor (op 6) would run before op 5: backward begins with its "
                         "first op."});
    QCOMPARE(faultOf(again({{1, ops({2})}, {2, ops({0})}})),
             std::string{"aten.sum.default (op 2) has already run ahead of its place, so nothing "
                         "can run right before it there."});
}

void VerifyStepTest::everyFaultIsNamed_data()
{
    QTest::addColumn<plan::Plan>("plan");
    QTest::addColumn<std::string>("kind");
    QTest::addColumn<std::string>("sentence");
    const auto row = [](const char* name, const plan::Plan& plan, const char* kind,
                        const char* sentence) {
        QTest::newRow(name) << plan << std::string{kind} << std::string{sentence};
    };
    row("without a later write", again({{5, ops({0, 2})}}), "use_before_compute",
        "The recomputation of aten.exp.default (op 2) reads the result of aten.mul.Tensor (op 0), "
        "which was recomputed without aten.relu_.default of act (op 1), which then wrote it.");
    row("own op without a later write", again({{6, ops({0})}}), "use_before_compute",
        "aten.threshold_backward.default (op 6) reads the result of aten.mul.Tensor (op 0), which "
        "was recomputed without aten.relu_.default of act (op 1), which then wrote it.");
    row("write without making", again({{5, ops({1})}}), "overwritten_input",
        "The recomputation of aten.relu_.default of act (op 1) reads the result of aten.mul.Tensor "
        "(op 0), which was overwritten since it was recorded: what computed it must be recomputed "
        "first.");
    row("to come", again({{5, ops({5})}}), "illegal_repeat",
        "Op 5 is recomputed before op 5, but hasn't run by then.");
    row("out of order", again({{5, ops({2, 0})}}), "illegal_repeat",
        "aten.mul.Tensor (op 0) is recomputed before op 5 after op 2: recomputed ops must keep "
        "their order.");
    row("rows out of order", again({{5, ops({0, 1})}, {4, ops({0, 1})}}), "illegal_repeat",
        "Ops are recomputed before op 4, which must be an op of forward, loss or backward after op "
        "5.");
    row("before the optimizer", again({{7, ops({0, 1})}}), "illegal_repeat",
        "Ops are recomputed before op 7, which must be an op of forward, loss or backward after op "
        "-1.");
}

void VerifyStepTest::everyFaultIsNamed()
{
    QFETCH(plan::Plan, plan);
    QFETCH(std::string, kind);
    QFETCH(std::string, sentence);
    const plan::Problem problem = tests::unlimitedProblem(withGradient(builder().build()));
    const plan::Verification seen = plan::verify(problem, plan);
    QVERIFY(!seen.faults.empty());
    QCOMPARE(seen.faults.front().sentence, sentence);
    QCOMPARE(std::string{plan::faultName(seen.faults.front().kind)}, kind);
    QVERIFY(!plan::certify(problem, plan).has_value());
}

void VerifyStepTest::inferenceIsRefused()
{
    const graph::ProgramPtr program =
        tests::aProgram()
            .storage("x", 1, StorageClass::Input)
            .storage("y", 1, StorageClass::Output, {.alloc = 0})
            .op("aten.exp.default", {.reads = {"x"}, .outputs = {"y"}})
            .call("", 0, 0, {"x"}, {"y"})
            .build();
    const plan::Verification seen = plan::verify(tests::unlimitedProblem(program), again({}));
    QCOMPARE(seen.faults.size(), std::size_t{1});
    QCOMPARE(seen.faults.front().sentence,
             std::string{"The graph has no backward, but runtime \"step\" executes training steps "
                         "only."});
}

void VerifyStepTest::aPlanOverBudgetNamesTheStep()
{
    plan::Problem problem = tests::unlimitedProblem(withGradient(builder().build()));
    problem.budget = base::Bytes{10000000};
    const plan::Verification seen = plan::verify(problem, again({}));
    QCOMPARE(seen.faults.size(), std::size_t{1});
    QVERIFY(seen.faults.front().kind == plan::FaultKind::OverBudget);
    QCOMPARE(seen.faults.front().sentence,
             std::string{"Step 4, aten.ones_like.default (op 4), needs 10011111 bytes: 11111 more "
                         "than the budget of 10000000."});
}

void VerifyStepTest::repeatedRandomOpsAreToldToKeepStates()
{
    auto program = std::make_shared<graph::Program>(*builder().build());
    program->ops[2].isRandom = true;
    const plan::Problem problem = tests::unlimitedProblem(program);
    QCOMPARE(plan::evaluate(problem, again({}))->notModelled.size(), std::size_t{2});
    const plan::EvaluationPtr repeated = plan::evaluate(problem, again({{5, ops({2})}}));
    QCOMPARE(repeated->notModelled.size(), std::size_t{3});
    QVERIFY(repeated->notModelled.back().find("random ops") != std::string::npos);
}

} // namespace

PLIMSOLL_TEST(VerifyStepTest, QCoreApplication)
#include "verify_step_test.moc"
