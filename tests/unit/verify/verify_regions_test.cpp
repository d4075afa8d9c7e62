// SPDX-License-Identifier: Apache-2.0
// Every rule of REGIONS in LIFETIMES.md, broken once.
#include "core/solve/regions/region_space.h"
#include "core/verify/verify.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <functional>
#include <numeric>
#include <utility>

using namespace plimsoll;
using graph::CallId;
using graph::Phase;
using graph::StorageClass;
using tests::aProgram;
using tests::regionOf;

namespace {

/// The model "" calls a (op 0), b (op 1), c (op 2), c.i (op 2), none (no op), d (ops 3, 4: d.0,
/// d.1); op 5 is the loss in a call "loss", op 6 backward. Each of a, b, c, d takes the value
/// before and a mask m. Calls: 0 model, 1 a, 2 b, 3 none, 4 c, 5 c.i, 6 d, 7 d.0, 8 d.1, 9 loss.
graph::Program model()
{
    tests::ProgramBuilder program;
    const auto value = [&](const std::string& name, graph::OpIndex alloc, graph::OpIndex python) {
        program.storage(name, 10, StorageClass::Temporary, {.alloc = alloc, .python = python});
    };
    program.storage("x", 10, StorageClass::Input)
        .storage("m", 10, StorageClass::Input, {.python = 5})
        .storage("w", 10, StorageClass::Parameter);
    value("va", 0, 5);
    value("vb", 1, 5);
    value("vc", 2, 5);
    value("vi", 3, 5);
    value("vd", 4, 5);
    value("l", 5, graph::kNever);
    value("g", 6, 6);
    program.op("aten.a", {.reads = {"x", "m"}, .outputs = {"va"}})
        .op("aten.b", {.reads = {"va", "m", "w"}, .outputs = {"vb"}})
        .op("aten.c", {.reads = {"vb"}, .outputs = {"vc"}})
        .op("aten.i", {.reads = {"vc", "m"}, .outputs = {"vi"}})
        .op("aten.d", {.reads = {"vi"}, .outputs = {"vd"}})
        .op("aten.sum", {.reads = {"vd"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("aten.ones_like", {.outputs = {"g"}, .phase = Phase::Backward});
    program.call("", 0, 4, {"x", "m"}, {"vd"})
        .call("a", 0, 0, {"x", "m"}, {"va"})
        .call("b", 1, 1, {"va", "m"}, {"vb"})
        .call("none", 2, 1, {"vb"}, {"vb"})
        .call("c", 2, 2, {"vb", "m"}, {"vc"})
        .call("c.i", 2, 2, {"vb"}, {"vc"})
        .call("d", 3, 4, {"vc", "m"}, {"vd"})
        .call("d.0", 3, 3, {"vc", "m"}, {"vi"})
        .call("d.1", 4, 4, {"vi"}, {"vd"})
        .call("loss", 5, 5, {"vd"}, {"l"});
    return *program.build();
}

graph::StorageId storageNamed(const graph::Program& program, graph::OpIndex alloc)
{
    for (std::size_t i = 0; i < program.storages.size(); ++i)
        if (program.storages[i].alloc == alloc)
            return graph::StorageId{i};
    return {};
}

using Change = std::function<void(graph::Program&, std::vector<plan::Region>&)>;

plan::Verification verified(graph::Program program, std::vector<plan::Region> regions)
{
    tests::complete(program);
    plan::Plan plan;
    plan.asRegions().regions = std::move(regions);
    return plan::verify(
        tests::unlimitedProblem(std::make_shared<graph::Program>(std::move(program))), plan);
}

/// Two calls `a` and `b` of model(), whose arguments are told.
void tell(graph::Program& program, const graph::Structure& a, const graph::Structure& b)
{
    const graph::Structure one{{{"", R"({"t":0})"}}, {}, {{0, false}}};
    program.structures = {a, b, one};
    program.calls[1].arguments = graph::StructureId{0};
    program.calls[2].arguments = graph::StructureId{1};
    program.calls[1].result = program.calls[2].result = graph::StructureId{2};
}

/// a(x, m, causal=True), say.
graph::Structure called(std::vector<graph::Argument> more, std::vector<std::string> modes = {})
{
    graph::Structure made{
        {{"", R"({"t":0})"}, {"", R"({"t":1})"}}, std::move(modes), {{0, false}, {1, false}}};
    made.arguments.insert(made.arguments.end(), more.begin(), more.end());
    return made;
}

class VerifyRegionsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void legalRegionsAreAccepted();
    void everyIllegalRegionIsNamed_data();
    void everyIllegalRegionIsNamed();
    void theFinderKnowsTheSameRules();
    void illegalRegionsAreNotReplayed();
    void fortyRegionsLieInEachOtherAtMost();
    void everyKindOfFaultHasAName();

private:
    using Calls = std::vector<std::size_t>;
    static void row(const char* name, const Calls& calls, const char* sentence,
                    const Change& change = {})
    {
        QTest::newRow(name) << calls << change << QString::fromUtf8(sentence);
    }
    static void everyDifferenceOfCalls();
};

void VerifyRegionsTest::legalRegionsAreAccepted()
{
    const graph::Program program = model();
    graph::Program told = model();
    tell(told, called({{"causal", "true"}}), called({{"causal", "true"}}));
    QVERIFY(verified(told, {regionOf(told, {1, 2})}).faults.empty());
    const std::vector<std::vector<plan::Region>> plans{
        {},
        {regionOf(program, {0})},
        {regionOf(program, {1}), regionOf(program, {2})},
        {regionOf(program, {1, 2, 4, 6})},
        {regionOf(program, {0}, {regionOf(program, {1, 2}), regionOf(program, {4, 6})})},
        {regionOf(program, {1, 2, 4}, {regionOf(program, {1, 2}, {regionOf(program, {2})})})},
    };
    for (const std::vector<plan::Region>& regions : plans) {
        const plan::Verification seen = verified(program, regions);
        QVERIFY2(seen.faults.empty(), tests::firstFault(seen));
    }
}

void VerifyRegionsTest::everyDifferenceOfCalls()
{
    using Regions = std::vector<plan::Region>;
    const auto differ = [](const char* name, const graph::Structure& a, const graph::Structure& b,
                           const std::string& what) {
        row(name, {1, 2}, ("The region a to b: " + what).c_str(),
            [=](graph::Program& program, Regions&) { tell(program, a, b); });
    };
    differ("keyword", called({{"causal", "true"}, {"p", "0.5"}}),
           called({{"causal", "false"}, {"p", "0.5"}}),
           "a and b are called with different arguments (causal).");
    differ("keyword that one has", called({}), called({{"causal", "false"}}),
           "a and b are called with different arguments (causal).");
    differ("position", called({{"", "1"}}), called({{"", "1.0"}}),
           "a and b are called with different arguments (argument 3).");
    differ("one more", called({{"", "1"}}), called({}),
           "a and b are called with different arguments (argument 3).");
    differ("order", called({{"p", "1"}, {"q", "1"}}), called({{"q", "1"}, {"p", "1"}}),
           "a and b are called with different arguments (their order).");
    differ("several", called({{"", "1"}, {"q", "1"}}), called({{"", "2"}, {"p", "1"}}),
           "a and b are called with different arguments (argument 3, q, p).");
    differ("mode", called({}), called({}, {"no_grad"}),
           "a and b are called in different modes (default and no_grad).");
    graph::Structure alias = called({});
    alias.slots[0].isAlias = true;
    differ("alias", alias, alias,
           "b takes its first tensor inside an object, where no other can be put in its place.");
    row("object around what is passed on", {1, 2},
        "The region a to b: its member a returns an object around its tensor, which can't be "
        "passed on.",
        [](graph::Program& program, Regions&) {
            tell(program, called({}), called({}));
            program.structures[2].slots.clear();
        });
    row("no tensor at the end", {1, 2}, "The region a to b: its last member b returns no tensor.",
        [](graph::Program& program, Regions&) {
            tell(program, called({}), called({}));
            program.structures.emplace_back();
            program.calls[2].result = graph::StructureId{3};
        });
    row("hooks", {2},
        "The region b: its member b has hooks, which would not run where the step ran them.",
        [](graph::Program& program, Regions&) {
            program.modules[program.calls[2].module.index()].hasHooks = true;
        });
    row("run by its forward alone", {2},
        "The region b: its member b is also run by its forward() alone, so its calls can't be "
        "counted.",
        [](graph::Program& program, Regions&) {
            program.modules[program.calls[2].module.index()].isCalledDirectly = true;
        });
}

/// What rule 2 refuses is never proposed; what it allows is.
void VerifyRegionsTest::theFinderKnowsTheSameRules()
{
    const auto found = [](const graph::Structure& a, const graph::Structure& b) {
        graph::Program program = model();
        tell(program, a, b);
        tests::complete(program);
        return solve::makeRegionSpace(program, plan::Granularity::Module)->members(0, 1).size();
    };
    QCOMPARE(found(called({{"causal", "true"}}), called({{"causal", "true"}})), std::size_t{2});
    QCOMPARE(found(called({{"causal", "true"}}), called({{"causal", "false"}})), std::size_t{0});
    QCOMPARE(found(called({{"", "1"}}), called({{"", "true"}})), std::size_t{0});
    QCOMPARE(found(called({}), called({}, {"no_grad"})), std::size_t{0});
    graph::Structure alias = called({});
    alias.slots[0].isAlias = true;
    QCOMPARE(found(alias, alias), std::size_t{0});

    graph::Program program = model(); // tells nothing
    QCOMPARE(solve::makeRegionSpace(program, plan::Granularity::Module)->members(0, 1).size(),
             std::size_t{2});
    tell(program, called({}), called({}));
    QCOMPARE(solve::makeRegionSpace(program, plan::Granularity::Module)->members(0, 1).size(),
             std::size_t{2});
    program.structures[2].slots.clear(); // an object around what a returns
    QCOMPARE(solve::makeRegionSpace(program, plan::Granularity::Module)->members(0, 1).size(),
             std::size_t{0});
    QCOMPARE(solve::makeRegionSpace(program, plan::Granularity::Module)->members(1, 1).size(),
             std::size_t{1});
    graph::Module& module = program.modules[program.calls[2].module.index()];
    module.hasHooks = true;
    QCOMPARE(solve::makeRegionSpace(program, plan::Granularity::Module)->members(1, 1).size(),
             std::size_t{0});
    module.hasHooks = false;
    module.isCalledDirectly = true;
    QCOMPARE(solve::makeRegionSpace(program, plan::Granularity::Module)->members(1, 1).size(),
             std::size_t{0});
}

void VerifyRegionsTest::everyIllegalRegionIsNamed_data()
{
    QTest::addColumn<std::vector<std::size_t>>("calls");
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("sentence");
    using Regions = std::vector<plan::Region>;
    const auto plan = [](const char* name, const Calls& calls, const char* sentence,
                         const std::function<void(Regions&)>& change) {
        row(name, calls, sentence,
            [change](graph::Program&, Regions& regions) { change(regions); });
    };
    const auto program = [](const char* name, const Calls& calls, const char* sentence,
                            const std::function<void(graph::Program&)>& change) {
        row(name, calls, sentence, [change](graph::Program& made, Regions&) { change(made); });
    };

    // Rule 1
    plan("no member", {1}, "The region of ops 0 to 0: has no module call.",
         [](Regions& r) { r[0].members.clear(); });
    plan("unknown call", {1}, "The region call 99: names call 99, which the graph doesn't have.",
         [](Regions& r) { r[0].members[0] = CallId{99}; });
    row("no op", {3}, "The region none: its member none runs no op.");
    row("not in forward", {9}, "The region loss: aten.sum of loss (op 5) doesn't run in forward.");
    plan("wrong ops", {1}, "The region a: says ops 0 to 3, but its calls run ops 0 to 0.",
         [](Regions& r) { r[0].last = 3; });
    row("gap", {1, 4},
        "The region a to c: its member c doesn't follow a immediately: op 1 lies between.");
    row("cousins", {4, 7},
        "The region c to d.0: its members c and d.0 aren't called by the same "
        "module.");
    row("same ops", {4}, "The region c.i: runs the same ops as the region c around it.",
        [](graph::Program& made, Regions& r) { r[0].nested = {regionOf(made, {5})}; });
    row("nested outside", {1}, "The region b: extends beyond the region a.",
        [](graph::Program& made, Regions& r) { r[0].nested = {regionOf(made, {2})}; });
    row("nested elsewhere", {1, 2},
        "The region a: its member a isn't called from the region a "
        "to b.",
        [](graph::Program& made, Regions& r) {
            made.calls.push_back(made.calls[1]); // the same op, called from outside
            made.calls.back().parent.reset();
            r[0].nested = {regionOf(made, {10})};
        });
    row("overlap", {1, 2},
        "The region b: starts at op 1, inside or before its sibling that ends "
        "at op 1.",
        [](graph::Program& made, Regions& r) { r.push_back(regionOf(made, {2})); });
    // Rule 2
    program("two results passed on", {1, 2},
            "The region a to b: its member a returns 2 tensors, where one can be passed on.",
            [](graph::Program& p) { p.calls[1].outputs.push_back(p.calls[0].inputs[0]); });
    program("nothing passed on", {1, 2},
            "The region a to b: b doesn't take what a returns as its first argument.",
            [](graph::Program& p) { p.calls[2].inputs[0] = p.calls[0].inputs[0]; });
    program("other arguments differ", {1, 2},
            "The region a to b: the further arguments of b aren't those of a.",
            [](graph::Program& p) { p.calls[2].inputs.pop_back(); });
    program("residual", {1, 2},
            "The region a to b: the result of aten.a of a (op 0), which a passes on, is also used "
            "by aten.i of d.0 (op 3) after it.",
            [](graph::Program& p) { p.ops[3].reads.push_back(p.calls[1].outputs[0]); });
    program("held during backward", {1, 2},
            "The region a to b: the result of aten.a of a (op 0), which a passes on, is still held "
            "when backward begins.",
            [](graph::Program& p) {
                graph::Storage& s = p.storages[storageNamed(p, 0).index()];
                s.pythonFree = s.free = 6;
            });
    program("passed value from before", {1, 2},
            "The region a to b: input 'x', which a passes on, was allocated before it.",
            [](graph::Program& p) {
                p.calls[1].outputs[0] = p.calls[2].inputs[0] = p.calls[0].inputs[0];
            });
    everyDifferenceOfCalls();
    // Rule 3
    program("hidden result", {7},
            "The region d.0: the result of aten.i of d.0 (op 3) is used by aten.d of d.1 (op 4) "
            "after it, but isn't among the results.",
            [](graph::Program& p) { p.calls[7].outputs.clear(); });
    program("outlives the step", {6},
            "The region d: the result of aten.i of d.0 (op 3) outlives the step, but isn't among "
            "the results.",
            [](graph::Program& p) {
                graph::Storage& s = p.storages[storageNamed(p, 3).index()];
                s.pythonFree = s.free = graph::kNever;
            });
    // Rule 4
    program("captured", {4},
            "The region c: aten.c of c.i (op 2) reads the result of aten.a of a (op 0), which "
            "isn't an argument of it.",
            [](graph::Program& p) { p.ops[2].reads.push_back(p.calls[1].outputs[0]); });
    program("captured input that goes", {8},
            "The region d.1: aten.d of d.1 (op 4) reads input 'm', which isn't an argument of it.",
            [](graph::Program& p) { p.ops[4].reads.push_back(p.calls[0].inputs[1]); });
    // Rule 5
    program("overwrites its argument", {2},
            "The region b: aten.b of b (op 1) overwrites the result of aten.a of a (op 0), which "
            "is older than it.",
            [](graph::Program& p) { p.ops[1].writes = {p.calls[2].inputs[0]}; });
    program("argument overwritten later", {2},
            "The region b: aten.i of d.0 (op 3) overwrites its argument the result of aten.a of a "
            "(op 0) after it.",
            [](graph::Program& p) { p.ops[3].writes = {p.calls[2].inputs[0]}; });
    // Rule 9
    program("parameter overwritten later", {2},
            "The region b: aten.b of b (op 1) reads parameter 'w', which aten.i of d.0 (op 3) "
            "overwrites.",
            [](graph::Program& p) { p.ops[3].writes = {p.ops[1].reads[2]}; });
    program("buffer that it updates itself", {1, 2},
            "The region a to b: aten.b of b (op 1) reads buffer 'w', which aten.a of a (op 0) "
            "overwrites.",
            [](graph::Program& p) {
                p.storages[p.tensor(p.ops[1].reads[2]).storage.index()].storageClass =
                    StorageClass::Buffer;
                p.ops[0].writes = {p.ops[1].reads[2]};
            });
    // Rule 6
    program("collective", {2},
            "The region b: aten.b of b (op 1) is a collective, which can't be recomputed.",
            [](graph::Program& p) { p.ops[1].isCollective = true; });
}

void VerifyRegionsTest::everyIllegalRegionIsNamed()
{
    QFETCH(const std::vector<std::size_t>, calls);
    QFETCH(const Change, change);
    QFETCH(const QString, sentence);
    graph::Program program = model();
    std::vector<plan::Region> regions{regionOf(program, calls)};
    if (change)
        change(program, regions);
    const plan::Verification seen = verified(std::move(program), std::move(regions));
    QVERIFY(!seen.faults.empty());
    QCOMPARE(QString::fromStdString(seen.faults[0].sentence), sentence);
    for (const plan::Fault& fault : seen.faults)
        QCOMPARE(fault.kind, plan::FaultKind::IllegalRegion);
}

void VerifyRegionsTest::illegalRegionsAreNotReplayed()
{
    graph::Program program = model();
    program.ops[1].isCollective = true;
    const plan::Verification seen = verified(program, {regionOf(program, {2})});
    QCOMPARE(seen.faults.size(), std::size_t{1});
    QCOMPARE(seen.peak.count(), std::int64_t{0});
    QVERIFY(seen.liveBytes.empty());
}

void VerifyRegionsTest::fortyRegionsLieInEachOtherAtMost()
{
    constexpr std::size_t kCalls = 60;
    const graph::ProgramPtr program = tests::longChain(static_cast<int>(kCalls));
    const auto nested = [&](std::size_t depth) {
        std::vector<plan::Region> inner;
        for (std::size_t level = depth; level-- > 0;) {
            std::vector<std::size_t> calls(kCalls - level);
            std::iota(calls.begin(), calls.end(), level);
            inner = {regionOf(*program, calls, std::move(inner))};
        }
        return verified(*program, std::move(inner));
    };
    const plan::Verification fits = nested(plan::kMostNested);
    QVERIFY2(fits.faults.empty(), tests::firstFault(fits));
    QCOMPARE(
        QString{tests::firstFault(nested(plan::kMostNested + 1))},
        QString{
            "The region of ops 80 to 119 is nested in 40 others: Python's stack holds 40 levels."});
}

void VerifyRegionsTest::everyKindOfFaultHasAName()
{
    QCOMPARE(plan::faultName(plan::FaultKind::IllegalRegion), "illegal_region");
    QCOMPARE(plan::faultName(plan::FaultKind::UseBeforeCompute), "use_before_compute");
    QCOMPARE(plan::faultName(plan::FaultKind::UseAfterFree), "use_after_free");
    QCOMPARE(plan::faultName(plan::FaultKind::OverwrittenInput), "overwritten_input");
    QCOMPARE(plan::faultName(plan::FaultKind::OverBudget), "over_budget");
}

} // namespace

PLIMSOLL_TEST(VerifyRegionsTest, QCoreApplication)
#include "verify_regions_test.moc"
