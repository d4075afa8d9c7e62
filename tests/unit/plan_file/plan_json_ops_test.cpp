// SPDX-License-Identifier: Apache-2.0
// What plan files say about ops: regions of ops, saved results, schedules of the step runtime.
#include "core/device/known_devices.h"
#include "core/plan_file/plan_json.h"
#include "core/plan_file/plan_json_parts.h"

#include "tests/support/messages.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace {

using namespace plimsoll;
using nlohmann::json;

/// Forward ops 0..2 (one a call), loss 3, backward 4..6, optimizer 7.
graph::ProgramPtr program()
{
    using graph::Phase;
    using graph::StorageClass;
    tests::ProgramBuilder builder = tests::aProgram();
    builder.storage("x", 512, StorageClass::Input)
        .storage("w", 512, StorageClass::Parameter)
        .storage("a", 1024, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 6})
        .storage("b", 1024, StorageClass::Activation, {.alloc = 1, .python = 2, .free = 5})
        .storage("c", 1024, StorageClass::Activation, {.alloc = 2, .python = 3, .free = 4})
        .storage("l", 4, StorageClass::Output, {.alloc = 3})
        .storage("gc", 1024, StorageClass::Temporary, {.alloc = 4, .python = 5})
        .storage("gb", 1024, StorageClass::Temporary, {.alloc = 5, .python = 6})
        .storage("gw", 512, StorageClass::Gradient, {.alloc = 6});
    builder.op("aten.relu", {.reads = {"x"}, .outputs = {"a"}})
        .op("aten.mul", {.reads = {"a", "w"}, .outputs = {"b"}})
        .op("aten.relu", {.reads = {"b"}, .outputs = {"c"}})
        .op("aten.sum", {.reads = {"c"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("aten.grad", {.reads = {"c"}, .outputs = {"gc"}, .phase = Phase::Backward})
        .op("aten.grad", {.reads = {"gc", "b"}, .outputs = {"gb"}, .phase = Phase::Backward})
        .op("aten.grad", {.reads = {"gb", "a"}, .outputs = {"gw"}, .phase = Phase::Backward})
        .op("aten.add_",
            {.reads = {"w", "gw"}, .writes = {"w"}, .outputs = {"w"}, .phase = Phase::Optimizer});
    builder.call("", 0, 2, {"x"}, {"c"})
        .call("first", 0, 0, {"x"}, {"a"})
        .call("second", 1, 2, {"a"}, {"c"});
    builder.saved("a", 0, {.after = true, .unpack = 6, .dropped = 6, .released = 6})
        .saved("b", 1, {.after = true, .unpack = 5, .dropped = 5, .released = 5})
        .saved("c", 2, {.after = true, .unpack = 4, .dropped = 4, .released = 4});
    return builder.build();
}

/// A file of the plan that keeps everything, which the tests change.
json plainFile(const graph::ProgramPtr& graph)
{
    plan::Problem problem{graph, plan::findDevice(plan::kDefaultDevice).value(), plan::kUnlimited,
                          base::Bytes{}};
    return json::parse(plan::writePlan(plan::certify(problem, plan::keepEverything()).value()));
}

json sequence()
{
    return {{"targets", {"aten.relu", "aten.mul", "aten.sum", "aten.grad"}},
            {"ops", {0, 1, 0, 2, 3, 3, 3}}};
}

json opFile()
{
    json file = plainFile(program());
    file["granularity"] = "op";
    file["regions"] = json::parse(
        R"([{"label": 0, "first": 0, "last": 2, "save": [0, 2],
             "nested": [{"label": 0, "first": 1, "last": 1, "nested": []}]}])");
    file["labels"] = json::parse("[[0, null], [0, 0], [0, null], null]");
    file["sequence"] = sequence();
    return file;
}

json stepFile()
{
    json file = plainFile(program());
    file["runtime"] = "step";
    file["schedule"] = json::parse(R"({"again": [[5, [0, 1]], [6, [0]]]})");
    file["sequence"] = sequence();
    return file;
}

using Change = std::function<void(json&)>;

class PlanJsonOpsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsRegionsOfOps();
    void readsSavedResultsOfModules();
    void readsASchedule();
    void writesWhatItReads();
    void aPlanThatNamesNoOpsHasNoSequence();
    void refusesADamagedPlan_data();
    void refusesADamagedPlan();
};

void PlanJsonOpsTest::readsRegionsOfOps()
{
    const auto file = plan::readPlan(opFile().dump(), *program());
    QVERIFY2(file, tests::messageOf(file));
    QVERIFY(file->plan.granularity() == plan::Granularity::Op);
    QVERIFY(!file->plan.isCompiledStep());
    QCOMPARE(file->plan.regions().size(), std::size_t{1});
    const plan::Region& region = file->plan.regions().front();
    QVERIFY(region.members.empty());
    QCOMPARE(region.first, 0);
    QCOMPARE(region.last, 2);
    QVERIFY(region.save == (std::vector{graph::OpId{0}, graph::OpId{2}}));
    QCOMPARE(region.nested.size(), std::size_t{1});
    QCOMPARE(region.nested.front().first, 1);
    QVERIFY(region.nested.front().save.empty());
}

void PlanJsonOpsTest::readsSavedResultsOfModules()
{
    json file = plainFile(program());
    file["regions"] = json::parse(
        R"([{"label": 0, "first": 1, "last": 2, "save": [1], "nested": [],
             "members": [{"path": "second", "class": "", "call": 0}]}])");
    file["regions"][0]["members"][0]["class"] = program()->modules.back().className;
    file["labels"] = {nullptr, 0, 0, nullptr};
    file["sequence"] = sequence();
    const auto read = plan::readPlan(file.dump(), *program());
    QVERIFY2(read, tests::messageOf(read));
    QVERIFY(read->plan.regions().front().save == std::vector{graph::OpId{1}});
    QVERIFY(read->plan.granularity() == plan::Granularity::Module);
}

void PlanJsonOpsTest::readsASchedule()
{
    const auto file = plan::readPlan(stepFile().dump(), *program());
    QVERIFY2(file, tests::messageOf(file));
    QVERIFY(file->plan.isCompiledStep());
    const std::vector<plan::RecomputeStep> expected{{5, {graph::OpId{0}, graph::OpId{1}}},
                                                    {6, {graph::OpId{0}}}};
    QVERIFY(file->plan.recomputeSteps() == expected);
    QVERIFY(file->plan.regions().empty());
}

void PlanJsonOpsTest::writesWhatItReads()
{
    const graph::ProgramPtr graph = program();
    const auto step = plan::readPlan(stepFile().dump(), *graph);
    QVERIFY2(step, tests::messageOf(step));
    QCOMPARE(json(plan::scheduleJson(step->plan)).dump(), stepFile()["schedule"].dump());
    QCOMPARE(json(plan::sequenceJson(*graph)).dump(), sequence().dump());
    const auto ops = plan::readPlan(opFile().dump(), *graph);
    QVERIFY2(ops, tests::messageOf(ops));
    QCOMPARE(json(plan::regionsJson(*graph, ops->plan)).dump(), opFile()["regions"].dump());
    QCOMPARE(json(plan::labelsJson(*graph, ops->plan)).dump(), opFile()["labels"].dump());
}

void PlanJsonOpsTest::aPlanThatNamesNoOpsHasNoSequence()
{
    const json file = plainFile(program());
    QCOMPARE(file["runtime"].get<std::string>(), std::string{"checkpoint"});
    QVERIFY(!file.contains("sequence"));
    QVERIFY(!file.contains("schedule"));
}

void PlanJsonOpsTest::refusesADamagedPlan_data()
{
    QTest::addColumn<bool>("isStep");
    QTest::addColumn<Change>("change");
    QTest::addColumn<std::string>("sentence");

    const auto row = [](const char* name, bool isStep, Change change, const char* sentence) {
        const std::string_view said{sentence};
        QTest::newRow(name) << isStep << std::move(change)
                            << std::string{said.substr(0, said.size() - 1)}
                                   + ": export the plan again.";
    };
    const auto schedule = [](const char* rows) -> Change {
        return [rows](json& file) { file["schedule"]["again"] = json::parse(rows); };
    };
    row(
        "another runtime", true, [](json& f) { f["runtime"] = "eager"; },
        R"(runtime must be "checkpoint" or "step".)");
    row(
        "another granularity", true, [](json& f) { f["granularity"] = "layer"; },
        R"(granularity must be "module" or "op".)");
    row(
        "no schedule", true, [](json& f) { f.erase("schedule"); }, "schedule is missing.");
    row(
        "schedule of another kind", true, [](json& f) { f["schedule"] = 1; },
        "schedule must be an object.");
    row("again of another kind", true, schedule("{}"), "schedule.again must be an array.");
    row("row without ops", true, schedule("[[5, []]]"),
        "schedule.again[0] must be [op, [ops recomputed before it]].");
    row("row of one", true, schedule("[[5]]"),
        "schedule.again[0] must be [op, [ops recomputed before it]].");
    // What is wrong in a later row, behind one that could be read.
    row("no row behind a row", true, schedule("[[5, [1]], null]"),
        "schedule.again[1] must be [op, [ops recomputed before it]].");
    row("object behind a row", true, schedule(R"([[5, [1]], {"op": 6}])"),
        "schedule.again[1] must be [op, [ops recomputed before it]].");
    row("text for an op behind a row", true, schedule(R"([[5, [1]], ["6", [1]]])"),
        "schedule.again[1][0] must be an integer from 0 to 2147483647.");
    row("op twice in a row", true, schedule("[[5, [1, 1]]]"),
        "schedule.again[0][1][1] must be greater than the op before it.");
    row("op to come", true, schedule("[[5, [0, 5]]]"),
        "schedule.again[0][1][1] is op 5, which hasn't run before op 5.");
    row("negative op", true, schedule("[[5, [-1]]]"),
        "schedule.again[0][1][0] must be an integer from 0 to 2147483647.");
    row("fraction", true, schedule("[[5.5, [1]]]"),
        "schedule.again[0][0] must be an integer from 0 to 2147483647.");
    row("before the optimizer", true, schedule("[[5, [1]], [7, [1]]]"),
        "schedule.again[1][0] is op 7, but forward, loss and backward have 7 ops.");
    row("rows out of order", true, schedule("[[5, [1]], [5, [0]]]"),
        "schedule.again[1][0] must be greater than that of the row before it.");
    row(
        "regions and schedule", true,
        [](json& f) {
            f["regions"] = opFile()["regions"];
            f["labels"] = opFile()["labels"];
        },
        R"(regions must be empty in a plan for runtime "step".)");
    row(
        "granularity of the step runtime", true, [](json& f) { f["granularity"] = "op"; },
        R"(granularity must be "module" in a plan for runtime "step".)");
    row(
        "statistics of the step runtime", true, [](json& f) { f["freeze_stats"] = false; },
        R"(freeze_stats belongs to plans for runtime "checkpoint" only, as runtime "step" never updates statistics twice.)");
    row(
        "no sequence", true, [](json& f) { f.erase("sequence"); }, "sequence is missing.");
    row(
        "short sequence", true, [](json& f) { f["sequence"]["ops"].erase(6); },
        "sequence.ops has 6 entries, but the graph's forward, loss and backward have 7 ops.");
    row(
        "no such target", true, [](json& f) { f["sequence"]["ops"][2] = 4; },
        "sequence.ops[2] is 4, but there are 4 targets.");
    row(
        "target of another kind", true, [](json& f) { f["sequence"]["targets"][1] = nullptr; },
        "sequence.targets[1] must be a string.");
    row(
        "another op", true, [](json& f) { f["sequence"]["ops"][2] = 1; },
        "sequence.ops[2] is aten.mul, but op 2 of the graph is second · aten.relu.");
    row(
        "schedule of a checkpoint plan", false,
        [](json& f) { f["schedule"] = stepFile()["schedule"]; },
        R"(schedule belongs to plans for runtime "step" only.)");
    row(
        "sequence without ops", false,
        [](json& f) {
            f["regions"] = json::array();
            f["labels"] = json::array();
            f["granularity"] = "module";
        },
        "sequence must not appear in a plan that names no ops.");
    row(
        "members of ops", false, [](json& f) { f["regions"][0]["members"] = json::array(); },
        R"(regions[0].members must not appear in a plan of granularity "op".)");
    row(
        "region of backward", false, [](json& f) { f["regions"][0]["last"] = 4; },
        "regions[0].last is 4, but forward and loss end at op 3.");
    row(
        "region without ops", false, [](json& f) { f["regions"][0]["last"] = -1; },
        "regions[0].last must be an integer from 0 to 2147483647.");
    row(
        "ends before it begins", false, [](json& f) { f["regions"][0]["nested"][0]["last"] = 0; },
        "regions[0].nested[0].last is 0, which lies before the region's first op 1.");
    row(
        "saved elsewhere", false, [](json& f) { f["regions"][0]["save"][1] = 3; },
        "regions[0].save[1] is op 3, which lies outside of its region.");
    row(
        "saved in a nested region", false, [](json& f) { f["regions"][0]["save"][1] = 1; },
        "regions[0].save[1] is op 1, which lies in a nested region.");
    row(
        "saved twice", false, [](json& f) { f["regions"][0]["save"][1] = 0; },
        "regions[0].save[1] must be greater than the op before it.");
    row(
        "saved of another kind", false, [](json& f) { f["regions"][0]["save"] = 0; },
        "regions[0].save must be an array.");
    row(
        "no sequence of op regions", false, [](json& f) { f.erase("sequence"); },
        "sequence is missing.");
}

void PlanJsonOpsTest::refusesADamagedPlan()
{
    QFETCH(bool, isStep);
    QFETCH(Change, change);
    QFETCH(std::string, sentence);
    json file = isStep ? stepFile() : opFile();
    change(file);
    const auto read = plan::readPlan(file.dump(), *program());
    QCOMPARE(tests::faultOfRefusal(read, {}), std::string{});
    QCOMPARE(read.error().message, sentence);
}

} // namespace

PLIMSOLL_TEST(PlanJsonOpsTest, QCoreApplication)
#include "plan_json_ops_test.moc"
