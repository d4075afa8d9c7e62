// SPDX-License-Identifier: Apache-2.0
// Replays of steps made by hand. Sizes are exact; every curve is worked out in the comments.
#include "core/verify/verify.h"

#include "core/solve/regions/region_space.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <utility>

using namespace plimsoll;
using graph::Phase;
using graph::StorageClass;
using tests::aProgram;
using tests::ProgramBuilder;
using tests::regionOf;

namespace {

using Curve = std::vector<std::int64_t>;
constexpr std::int64_t kPlenty = 1'000'000;

plan::Verification replay(const graph::ProgramPtr& program, std::vector<plan::Region> regions,
                          std::int64_t budget = kPlenty, std::int64_t reserve = 0)
{
    plan::Problem problem = tests::unlimitedProblem(program);
    problem.budget = base::Bytes{budget};
    problem.reserve = base::Bytes{reserve};
    plan::Plan plan;
    plan.asRegions().regions = std::move(regions);
    return plan::verify(problem, plan);
}

Curve curveOf(const plan::Verification& seen)
{
    Curve curve;
    for (const base::Bytes bytes : seen.liveBytes)
        curve.push_back(bytes.count());
    return curve;
}

QString firstFault(const plan::Verification& seen)
{
    return QString::fromUtf8(tests::firstFault(seen));
}

/// z = exp(sin(x * 2)): the model "" calls a (ops 0, 1) and b (op 2), op 3 is the loss. Calls: 0
/// the model, 1 a, 2 b. x 100 bytes, h 10, y 20, z 40, l 1; a saves h before op 1, b saves z after
/// op 2. Backward: 4 ones g0 40, 5 exp's g1 20, 6 cos(h) t 10, 7 g2 10.
ProgramBuilder chain()
{
    ProgramBuilder program;
    program.storage("x", 100, StorageClass::Input)
        .storage("h", 10, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 7})
        .storage("y", 20, StorageClass::Temporary, {.alloc = 1, .python = 2})
        .storage("z", 40, StorageClass::Activation, {.alloc = 2, .python = 3, .free = 5})
        .storage("l", 1, StorageClass::Output, {.alloc = 3})
        .storage("g0", 40, StorageClass::Temporary, {.alloc = 4, .python = 5})
        .storage("g1", 20, StorageClass::Temporary, {.alloc = 5, .python = 7})
        .storage("t", 10, StorageClass::Temporary, {.alloc = 6, .python = 7})
        .storage("g2", 10, StorageClass::Temporary, {.alloc = 7, .python = 7});
    program.op("aten.mul", {.reads = {"x"}, .outputs = {"h"}})
        .op("aten.sin", {.reads = {"h"}, .outputs = {"y"}})
        .op("aten.exp", {.reads = {"y"}, .outputs = {"z"}})
        .op("aten.sum", {.reads = {"z"}, .outputs = {"l"}, .phase = Phase::Loss});
    program.call("", 0, 2, {"x"}, {"z"})
        .call("a", 0, 1, {"x"}, {"y"})
        .call("b", 2, 2, {"y"}, {"z"});
    return program;
}

/// The backward of chain(), the ops of which may touch more than they need.
void addBackward(ProgramBuilder& program, const tests::OpSpec& ones = {},
                 std::vector<std::string> expReads = {"g0", "z"},
                 std::vector<std::string> lastReads = {"g1", "t"})
{
    program
        .op("aten.ones_like",
            {.reads = {}, .writes = ones.writes, .outputs = {"g0"}, .phase = Phase::Backward})
        .op("aten.mul", {.reads = std::move(expReads), .outputs = {"g1"}, .phase = Phase::Backward})
        .op("aten.cos", {.reads = {"h"}, .outputs = {"t"}, .phase = Phase::Backward})
        .op("aten.mul",
            {.reads = std::move(lastReads), .outputs = {"g2"}, .phase = Phase::Backward});
}

graph::ProgramPtr chainStep()
{
    ProgramBuilder program = chain();
    addBackward(program);
    program.saved("h", 1, {.unpack = 6, .dropped = 6, .released = 7})
        .saved("z", 2, {.after = true, .unpack = 5, .dropped = 5, .released = 5});
    return program.build();
}

/// The same, but b saves its argument y instead of its result.
graph::ProgramPtr chainThatSavesTheArgument()
{
    ProgramBuilder program = chain();
    addBackward(program, {}, {"g0"});
    program.saved("h", 1, {.unpack = 6, .dropped = 6, .released = 7})
        .saved("y", 2, {.unpack = 5, .dropped = 5, .released = 5});
    auto made = std::make_shared<graph::Program>(*program.build());
    made->storages[2].free = 5;
    made->storages[3].free = 3;
    tests::complete(*made);
    return made;
}

/// y = sin(h) with h = x * 2 in a (ops 0 to 2), where d = tanh(h) (op 1) is thrown away.
/// x 100, h 10, d 5, y 20, l 1, g0 20, t 10, g2 10.
graph::ProgramPtr deadBranch(graph::OpIndex released)
{
    ProgramBuilder program;
    program.storage("x", 100, StorageClass::Input)
        .storage("h", 10, StorageClass::Activation, {.alloc = 0, .python = 2, .free = 6})
        .storage("d", 5, StorageClass::Activation, {.alloc = 1, .python = 1, .free = released})
        .storage("y", 20, StorageClass::Temporary, {.alloc = 2, .python = 3})
        .storage("l", 1, StorageClass::Output, {.alloc = 3})
        .storage("g0", 20, StorageClass::Temporary, {.alloc = 4, .python = 6})
        .storage("t", 10, StorageClass::Temporary, {.alloc = 5, .python = 6})
        .storage("g2", 10, StorageClass::Temporary, {.alloc = 6, .python = 6});
    program.op("aten.mul", {.reads = {"x"}, .outputs = {"h"}})
        .op("aten.tanh", {.reads = {"h"}, .outputs = {"d"}})
        .op("aten.sin", {.reads = {"h"}, .outputs = {"y"}})
        .op("aten.sum", {.reads = {"y"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("aten.ones_like", {.outputs = {"g0"}, .phase = Phase::Backward})
        .op("aten.cos", {.reads = {"h"}, .outputs = {"t"}, .phase = Phase::Backward})
        .op("aten.mul", {.reads = {"g0", "t"}, .outputs = {"g2"}, .phase = Phase::Backward});
    program.call("a", 0, 2, {"x"}, {"y"})
        .saved("d", 1, {.after = true, .released = released})
        .saved("h", 2, {.unpack = 5, .dropped = 5, .released = 6});
    return program.build();
}

/// a: h = x * 2, then h.relu_() saves h (ops 0, 1); b: z = exp(h) saves z (op 2).
/// x 100, h 10, z 40, l 1, g0 40, g1 10, g2 10. `split`: relu_ is a call of its own.
graph::ProgramPtr overwritten(bool split)
{
    ProgramBuilder program;
    program.storage("x", 100, StorageClass::Input)
        .storage("h", 10, StorageClass::Activation, {.alloc = 0, .python = 2, .free = 6})
        .storage("z", 40, StorageClass::Activation, {.alloc = 2, .python = 3, .free = 5})
        .storage("l", 1, StorageClass::Output, {.alloc = 3})
        .storage("g0", 40, StorageClass::Temporary, {.alloc = 4, .python = 5})
        .storage("g1", 10, StorageClass::Temporary, {.alloc = 5, .python = 6})
        .storage("g2", 10, StorageClass::Temporary, {.alloc = 6, .python = 6});
    program.op("aten.mul", {.reads = {"x"}, .outputs = {"h"}})
        .op("aten.relu_", {.reads = {"h"}, .writes = {"h"}, .outputs = {"h"}})
        .op("aten.exp", {.reads = {"h"}, .outputs = {"z"}})
        .op("aten.sum", {.reads = {"z"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("aten.ones_like", {.outputs = {"g0"}, .phase = Phase::Backward})
        .op("aten.mul", {.reads = {"g0", "z"}, .outputs = {"g1"}, .phase = Phase::Backward})
        .op("aten.threshold_backward",
            {.reads = {"g1", "h"}, .outputs = {"g2"}, .phase = Phase::Backward});
    program.call("a", 0, split ? 0 : 1, {"x"}, {"h"});
    if (split)
        program.call("act", 1, 1, {"h"}, {"h"});
    program.call("b", 2, 2, {"h"}, {"z"})
        .saved("h", 1, {.after = true, .unpack = 6, .dropped = 6, .released = 6})
        .saved("z", 2, {.after = true, .unpack = 5, .dropped = 5, .released = 5});
    return program.build();
}

/// A batch norm between two ops: op 1 reads and writes running_mean (3 bytes).
/// x 100, h 10, y 20, z 40, l 1; norm saves h before op 1, which op 5 unpacks.
graph::ProgramPtr runningStatistics()
{
    ProgramBuilder program;
    program.storage("x", 100, StorageClass::Input)
        .storage("running_mean", 3, StorageClass::Buffer)
        .storage("h", 10, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 5})
        .storage("y", 20, StorageClass::Activation, {.alloc = 1, .python = 2, .free = 5})
        .storage("l", 1, StorageClass::Output, {.alloc = 2})
        .storage("g0", 20, StorageClass::Temporary, {.alloc = 3, .python = 5})
        .storage("g1", 10, StorageClass::Temporary, {.alloc = 4, .python = 5})
        .storage("g2", 10, StorageClass::Temporary, {.alloc = 5, .python = 5});
    program.op("aten.mul", {.reads = {"x"}, .outputs = {"h"}})
        .op("aten.native_batch_norm",
            {.reads = {"h", "running_mean"}, .writes = {"running_mean"}, .outputs = {"y"}})
        .op("aten.sum", {.reads = {"y"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("aten.ones_like", {.outputs = {"g0"}, .phase = Phase::Backward})
        .op("aten.mul", {.reads = {"g0", "y"}, .outputs = {"g1"}, .phase = Phase::Backward})
        .op("aten.mul", {.reads = {"g1", "h"}, .outputs = {"g2"}, .phase = Phase::Backward});
    program.call("a", 0, 1, {"x"}, {"y"})
        .saved("h", 1, {.unpack = 5, .dropped = 5, .released = 5})
        .saved("y", 1, {.after = true, .unpack = 4, .dropped = 4, .released = 5});
    return program.build();
}

class VerifyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStepIsReplayedByHand_data();
    void aStepIsReplayedByHand();
    void theReserveIsChargedAtEveryStep();
    void sizesAreRoundedAsTheProblemSays();
    void theFirstStepOverTheBudgetIsNamed();
    void aRecomputationOverTheBudgetIsNamed();
    void readsAreChecked_data();
    void readsAreChecked();
    void recomputedCopiesCountOnlyInTheirSlots_data();
    void recomputedCopiesCountOnlyInTheirSlots();
    void regionsUnpackedInForwardAreRefused();
    void regionsThatTheModelCheckpointsItselfAreRefused();
    void plansOverMicroStepsAreRefused();
    void savesOfCustomFunctionsAreRefusedBetweenOps();
};

void VerifyTest::aStepIsReplayedByHand_data()
{
    QTest::addColumn<graph::ProgramPtr>("program");
    QTest::addColumn<std::vector<plan::Region>>("regions");
    QTest::addColumn<Curve>("curve");
    const auto row = [](const char* name, const graph::ProgramPtr& program,
                        const std::vector<plan::Region>& regions,
                        const Curve& curve) { QTest::newRow(name) << program << regions << curve; };
    const graph::ProgramPtr step = chainStep();
    const graph::ProgramPtr argument = chainThatSavesTheArgument();
    const std::vector<plan::Region> model{regionOf(*step, {0}, {regionOf(*step, {2})})};

    // x 100 throughout. h 0-7, y 1-2, z 2-5, l from 3, g0 4-5, g1 5-7, t 6-7, g2 7.
    row("no region", step, {}, {110, 130, 170, 151, 191, 211, 141, 151});
    // h dies after op 1 (Python); its pack before op 1 is the last one, so op 0 alone runs again,
    // before op 6 unpacks it: 100 + l 1 + g1 20 + h' 10. h' is dropped after op 6.
    row("flat, stop before a kernel", step, {regionOf(*step, {1})},
        {110, 130, 160, 141, 181, 201, 131, 141, 141});
    // y waits in the frame until z's node goes after op 5; z dies after op 3 and comes back with
    // op 2 before op 5: x 100, h 10, y 20, l 1, g0 40, z' 40 = 211; op 5 adds g1 20.
    row("flat, stop after a kernel", step, {regionOf(*step, {2})},
        {110, 130, 170, 171, 171, 211, 231, 141, 151});
    // One function: y is its variable until op 2. All runs again before op 5, whose own z' and h'
    // stay: 141 + h' 10, + y' 20, + z' 40; y' goes after op 2; op 5: 100 + 1 + 40 + 10 + 40 + 20.
    row("fused chain", step, {regionOf(*step, {1, 2})},
        {110, 130, 160, 141, 141, 151, 171, 211, 211, 141, 141});
    // The outer region stops when it packs b's argument before op 2 (h' 10, y' 20: 171); b's own
    // recomputation then holds y' while it makes z' (211) and lets it go.
    row("nested argument", step, model, {110, 130, 160, 141, 141, 151, 171, 211, 211, 141, 141});
    // b's recomputation packs y' and stops before it runs anything: y' stays until op 5 drops it:
    // 100 + l 1 + g0 40 + h' 10 + y' 20 + g1 20 = 191.
    row("nested argument saved again", argument, model,
        {110, 130, 160, 141, 141, 151, 171, 191, 141, 141});
    const graph::ProgramPtr dead = deadBranch(1);
    const graph::ProgramPtr standing = deadBranch(6);
    // d's pack counts for the stop but nobody unpacks it: d' 5 lives during op 1 alone.
    row("dead branch", dead, {regionOf(*dead, {0})}, {110, 115, 130, 121, 121, 131, 136, 141, 141});
    // d's node stands until after op 6: the table keeps d' as long.
    row("dead row of a node that stands", standing, {regionOf(*standing, {0})},
        {110, 115, 130, 121, 121, 131, 136, 146, 146});
    const graph::ProgramPtr inPlace = overwritten(false);
    const graph::ProgramPtr afterwards = overwritten(true);
    // Both ops run again on h' before op 6: 100 + l 1 + g1 10 + h' 10; op 6 adds g2 10.
    row("in place on the result", inPlace, {regionOf(*inPlace, {0})},
        {110, 110, 150, 141, 181, 191, 121, 121, 131});
    // Nothing is saved in a: it never runs again, and a later call may overwrite its result.
    row("result overwritten afterwards", afterwards, {regionOf(*afterwards, {0})},
        {110, 110, 150, 151, 191, 201, 131});
    const graph::ProgramPtr norm = runningStatistics();
    // x 100, running_mean 3. Both ops run again before op 4: 103 + l 1 + g0 20 = 124 + h' 10,
    // + y' 20; op 4 adds g1 10 and drops y'; op 5 adds g2 10.
    row("running statistics", norm, {regionOf(*norm, {0})},
        {113, 133, 124, 124, 134, 154, 164, 154});
}

void VerifyTest::aStepIsReplayedByHand()
{
    QFETCH(const graph::ProgramPtr, program);
    QFETCH(const std::vector<plan::Region>, regions);
    QFETCH(const Curve, curve);
    const plan::Verification seen = replay(program, regions);
    QCOMPARE(firstFault(seen), QString{});
    QCOMPARE(curveOf(seen), curve);
    const auto peak = std::ranges::max_element(curve);
    QCOMPARE(seen.peak.count(), *peak);
    QCOMPARE(seen.peakStep, static_cast<std::size_t>(peak - curve.begin()));
}

void VerifyTest::theReserveIsChargedAtEveryStep()
{
    const plan::Verification seen = replay(chainStep(), {}, kPlenty, 1000);
    QCOMPARE(curveOf(seen), (Curve{1110, 1130, 1170, 1151, 1191, 1211, 1141, 1151}));
    QCOMPARE(seen.peak.count(), std::int64_t{1211});
}

void VerifyTest::sizesAreRoundedAsTheProblemSays()
{
    plan::Problem problem = tests::unlimitedProblem(chainStep());
    problem.rounding = graph::Rounding::Cuda512;
    const plan::Verification seen = plan::verify(problem, {});
    QCOMPARE(curveOf(seen), (Curve{1024, 1536, 2048, 2048, 2560, 3072, 2560, 3072}));
}

void VerifyTest::theFirstStepOverTheBudgetIsNamed()
{
    const plan::Verification seen = replay(chainStep(), {}, 190);
    QCOMPARE(seen.faults.size(), std::size_t{1});
    QCOMPARE(seen.faults[0].kind, plan::FaultKind::OverBudget);
    QCOMPARE(firstFault(seen), QStringLiteral("Step 4, aten.ones_like (op 4), needs 191 bytes: 1 "
                                              "more than the budget of 190."));
    QVERIFY(replay(chainStep(), {}, 211).faults.empty());
}

void VerifyTest::aRecomputationOverTheBudgetIsNamed()
{
    const graph::ProgramPtr step = chainStep();
    const plan::Verification seen = replay(step, {regionOf(*step, {1, 2})}, 205);
    QCOMPARE(seen.faults.size(), std::size_t{1});
    QCOMPARE(firstFault(seen),
             QStringLiteral("Step 7, the recomputation of aten.exp of b (op 2), needs 211 bytes: 6 "
                            "more than the budget of 205."));
}

void VerifyTest::readsAreChecked_data()
{
    QTest::addColumn<graph::ProgramPtr>("program");
    QTest::addColumn<plan::FaultKind>("kind");
    QTest::addColumn<QString>("sentence");
    const auto finished = [](ProgramBuilder program) {
        program.saved("h", 1, {.unpack = 6, .dropped = 6, .released = 7})
            .saved("z", 2, {.after = true, .unpack = 5, .dropped = 5, .released = 5});
        return program.build();
    };
    ProgramBuilder overwrites = chain();
    addBackward(overwrites, {.reads = {}, .writes = {"x"}, .outputs = {}});
    QTest::newRow("backward overwrites the argument")
        << finished(overwrites) << plan::FaultKind::OverwrittenInput
        << "The recomputation of aten.mul of a (op 0) reads input 'x', which has been overwritten "
           "since.";
    ProgramBuilder early = chain();
    addBackward(early, {}, {"g0", "z", "h"});
    QTest::newRow("read before it is recomputed")
        << finished(early) << plan::FaultKind::UseBeforeCompute
        << "aten.mul (op 5) reads the result of aten.mul of a (op 0), which isn't recomputed yet.";
    ProgramBuilder late = chain();
    addBackward(late, {}, {"g0", "z"}, {"g1", "t", "h"});
    QTest::newRow("read after its node dropped it")
        << finished(late) << plan::FaultKind::UseAfterFree
        << "aten.mul (op 7) reads the result of aten.mul of a (op 0), which was freed before.";
}

void VerifyTest::readsAreChecked()
{
    QFETCH(const graph::ProgramPtr, program);
    QFETCH(const plan::FaultKind, kind);
    QFETCH(const QString, sentence);
    QCOMPARE(firstFault(replay(program, {})), QString{});
    const plan::Verification seen = replay(program, {regionOf(*program, {1})});
    QCOMPARE(firstFault(seen), sentence);
    QCOMPARE(seen.faults.size(), std::size_t{1});
    QCOMPARE(seen.faults[0].kind, kind);
}

/// chain() whose last op reads h again, as a given node; rows on h as given.
graph::ProgramPtr readTwice(std::int64_t node, const std::vector<tests::SavedSpec>& more,
                            tests::SavedSpec own)
{
    ProgramBuilder program = chain();
    addBackward(program, {}, {"g0", "z"}, {"g1", "t", "h"});
    program.saved("h", 1, own)
        .saved("z", 2, {.after = true, .unpack = 5, .dropped = 5, .released = 5});
    for (const tests::SavedSpec& row : more)
        program.saved("h", 0, row);
    auto made = std::make_shared<graph::Program>(*program.build());
    made->ops[6].sequence = 1;
    made->ops[7].sequence = node;
    return made;
}

void VerifyTest::recomputedCopiesCountOnlyInTheirSlots_data()
{
    QTest::addColumn<graph::ProgramPtr>("program");
    QTest::addColumn<QString>("sentence");
    const tests::SavedSpec both{.unpack = 6, .dropped = 7, .released = 7};
    const tests::SavedSpec first{.unpack = 6, .dropped = 6, .released = 7};
    const tests::SavedSpec copy{.after = true, .unpack = 6, .dropped = 7, .released = 7};
    const QString reads = QStringLiteral(
        "aten.mul (op 7) reads the result of aten.mul of a (op 0), of which only a recomputed copy "
        "is left that no saved tensor of its node names.");
    // h' is alive during op 7 in all of them: op 1's node or op 0's holds it.
    QTest::newRow("its own slot") << readTwice(1, {}, both) << QString{};
    QTest::newRow("another node") << readTwice(2, {}, both) << reads;
    QTest::newRow("no node") << readTwice(-1, {}, both) << reads;
    QTest::newRow("a slot that was dropped") << readTwice(1, {copy}, first) << reads;
    QTest::newRow("the other slot") << readTwice(0, {copy}, first) << QString{};
}

void VerifyTest::recomputedCopiesCountOnlyInTheirSlots()
{
    QFETCH(const graph::ProgramPtr, program);
    QFETCH(const QString, sentence);
    QCOMPARE(firstFault(replay(program, {})), QString{});
    const plan::Verification seen = replay(program, {regionOf(*program, {1})});
    QCOMPARE(firstFault(seen), sentence);
    if (!sentence.isEmpty())
        QCOMPARE(seen.faults[0].kind, plan::FaultKind::UseAfterFree);
}

/// A gradient taken inside the forward unpacks h before op 2.
void VerifyTest::regionsUnpackedInForwardAreRefused()
{
    ProgramBuilder program = chain();
    addBackward(program);
    program.saved("h", 0, {.after = true, .unpack = 2, .dropped = 2, .released = 2})
        .saved("h", 1, {.unpack = 6, .dropped = 6, .released = 7})
        .saved("z", 2, {.after = true, .unpack = 5, .dropped = 5, .released = 5});
    const graph::ProgramPtr step = program.build();
    QCOMPARE(firstFault(replay(step, {})), QString{});
    QCOMPARE(firstFault(replay(step, {regionOf(*step, {2})})), QString{});
    const plan::Verification seen = replay(step, {regionOf(*step, {1}), regionOf(*step, {2})});
    QCOMPARE(seen.faults.size(), std::size_t{1});
    QCOMPARE(seen.faults[0].kind, plan::FaultKind::IllegalRegion);
    QCOMPARE(
        firstFault(seen),
        QStringLiteral("In forward the region a would be recomputed: what aten.mul of a (op 0) "
                       "saves is unpacked before aten.exp of b (op 2)."));
    QVERIFY(solve::makeRegionSpace(*step, plan::Granularity::Module)->members(0, 1).empty());
    QVERIFY(
        !solve::makeRegionSpace(*chainStep(), plan::Granularity::Module)->members(0, 1).empty());
}

void VerifyTest::regionsThatTheModelCheckpointsItselfAreRefused()
{
    auto step = std::make_shared<graph::Program>(*chainStep());
    QVERIFY(!solve::makeRegionSpace(*step, plan::Granularity::Module)->members(0, 1).empty());
    step->ops.back().recomputeOf = graph::OpId{1};
    const plan::Verification seen = replay(step, {regionOf(*step, {1})});
    QCOMPARE(seen.faults.size(), std::size_t{1});
    QCOMPARE(seen.faults[0].kind, plan::FaultKind::IllegalRegion);
    QVERIFY2(firstFault(seen).contains(QStringLiteral("the model itself checkpoints ")),
             qPrintable(firstFault(seen)));
    QVERIFY(solve::makeRegionSpace(*step, plan::Granularity::Module)->members(0, 1).empty());
    QVERIFY(solve::makeRegionSpace(*step, plan::Granularity::Op)->endsFrom(0).empty());
}

/// What ctx.save_for_backward() is given needn't be what the op behind it works on.
void VerifyTest::savesOfCustomFunctionsAreRefusedBetweenOps()
{
    ProgramBuilder program = chain();
    addBackward(program);
    program.saved("h", 2, {.after = true, .unpack = 6, .dropped = 6, .released = 7})
        .saved("z", 2, {.after = true, .unpack = 5, .dropped = 5, .released = 5});
    auto step = std::make_shared<graph::Program>(*program.build());
    step->storages[1].pythonFree = 2; // h
    QCOMPARE(firstFault(replay(step, {})), QString{});
    plan::Plan plan;
    plan.asRegions().granularity = plan::Granularity::Op;
    const plan::Verification seen = plan::verify(tests::unlimitedProblem(step), plan);
    QVERIFY(!seen.faults.empty());
    QCOMPARE(seen.faults.front().kind, plan::FaultKind::UseAfterFree);
    QCOMPARE(firstFault(seen),
             QStringLiteral("aten.exp of b (op 2) saves the result of aten.mul of a (op 0), which "
                            "it doesn't use, as only a custom autograd function's forward does: a "
                            "plan between ops would lose its backward, so plan between modules."));
}

void VerifyTest::plansOverMicroStepsAreRefused()
{
    auto step = std::make_shared<graph::Program>(*chainStep());
    step->header.microSteps = 4;
    QCOMPARE(firstFault(replay(step, {})), QString{});
    const plan::Verification seen = replay(step, {regionOf(*step, {1})});
    QCOMPARE(seen.faults.size(), std::size_t{1});
    QCOMPARE(firstFault(seen),
             QStringLiteral("A plan can't be checked on 4 micro-steps: make it for a trace with "
                            "micro_steps=1 and apply it; it then runs in each of them."));
}

} // namespace

PLIMSOLL_TEST(VerifyTest, QCoreApplication)
#include "verify_test.moc"
