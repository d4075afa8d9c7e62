// SPDX-License-Identifier: Apache-2.0
#include "core/plan_file/plan_json.h"

#include "core/device/known_devices.h"
#include "core/plan_file/plan_json_parts.h"

#include "tests/support/messages.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace {

using namespace plimsoll;
using nlohmann::ordered_json;

/// A model of two blocks, the first of which calls two modules; forward ops 0..3, loss 4.
graph::ProgramPtr program(const char* target = "aten.relu")
{
    using graph::Phase;
    using graph::StorageClass;
    tests::ProgramBuilder builder = tests::aProgram();
    builder.storage("x", 512, StorageClass::Input)
        .storage("a", 1024, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 8})
        .storage("b", 1024, StorageClass::Activation, {.alloc = 1, .python = 2, .free = 7})
        .storage("c", 1024, StorageClass::Activation, {.alloc = 2, .python = 3, .free = 6})
        .storage("d", 1024, StorageClass::Activation, {.alloc = 3, .python = 4, .free = 5})
        .storage("l", 4, StorageClass::Output, {.alloc = 4})
        .storage("gd", 1024, StorageClass::Temporary, {.alloc = 5, .python = 6})
        .storage("gc", 1024, StorageClass::Temporary, {.alloc = 6, .python = 7})
        .storage("gb", 1024, StorageClass::Temporary, {.alloc = 7, .python = 8})
        .storage("ga", 1024, StorageClass::Temporary, {.alloc = 8, .python = 8});
    builder.op(target, {.reads = {"x"}, .outputs = {"a"}})
        .op(target, {.reads = {"a"}, .outputs = {"b"}})
        .op(target, {.reads = {"b"}, .outputs = {"c"}})
        .op(target, {.reads = {"c"}, .outputs = {"d"}})
        .op("aten.sum", {.reads = {"d"}, .outputs = {"l"}, .phase = Phase::Loss})
        .op("aten.grad", {.reads = {"d"}, .outputs = {"gd"}, .phase = Phase::Backward})
        .op("aten.grad", {.reads = {"gd", "c"}, .outputs = {"gc"}, .phase = Phase::Backward})
        .op("aten.grad", {.reads = {"gc", "b"}, .outputs = {"gb"}, .phase = Phase::Backward})
        .op("aten.grad", {.reads = {"gb", "a"}, .outputs = {"ga"}, .phase = Phase::Backward});
    builder.call("", 0, 3, {"x"}, {"d"})
        .call("block", 0, 2, {"x"}, {"c"})
        .call("block.one", 0, 0, {"x"}, {"a"})
        .call("block.two", 1, 1, {"a"}, {"b"})
        .call("block.one", 2, 2, {"b"}, {"c"})
        .call("tail", 3, 3, {"c"}, {"d"});
    builder.saved("a", 0, {.after = true, .unpack = 8, .dropped = 8, .released = 8})
        .saved("b", 1, {.after = true, .unpack = 7, .dropped = 7, .released = 7})
        .saved("c", 2, {.after = true, .unpack = 6, .dropped = 6, .released = 6})
        .saved("d", 3, {.after = true, .unpack = 5, .dropped = 5, .released = 5});
    return builder.build();
}

plan::Region region(std::vector<std::size_t> calls, graph::OpIndex first, graph::OpIndex last,
                    int label, std::vector<plan::Region> nested = {})
{
    plan::Region made;
    for (const std::size_t call : calls)
        made.members.emplace_back(call);
    made.first = first;
    made.last = last;
    made.label = label;
    made.nested = std::move(nested);
    return made;
}

plan::VerifiedPlanPtr certified(const graph::ProgramPtr& graph, plan::Plan plan)
{
    plan::Problem problem;
    problem.program = graph;
    problem.device = plan::findDevice(plan::kDefaultDevice).value();
    problem.budget = base::Bytes{1} * (std::int64_t{1} << 40U);
    problem.reserve = base::Bytes{512};
    plan.planner = "hand";
    plan.options = {{"slots", "500"}, {"again", "1"}};
    const base::Result<plan::VerifiedPlanPtr> verified = plan::certify(problem, plan);
    if (!verified) {
        qWarning("%s", verified.error().message.c_str());
        return nullptr;
    }
    return *verified;
}

plan::Plan nestedPlan()
{
    plan::Plan plan;
    plan.asRegions().regions = {region({1}, 0, 2, 0, {region({3}, 1, 1, 1)}), region({5}, 3, 3, 1)};
    return plan;
}

plan::Plan flatPlan()
{
    plan::Plan plan;
    plan.asRegions().regions = {region({1}, 0, 2, 0), region({5}, 3, 3, 1)};
    return plan;
}

class PlanJsonTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsBackWhatItWrote_data();
    void readsBackWhatItWrote();
    void writesEveryKeyOfTheFormat();
    void labelsAreEmptyWithoutRegions();
    void labelsAreIntegersWithoutNesting();
    void labelsAreListsOfTheRegionsDepthWithNesting();
    void membersNameTheCallAmongThoseOfTheirModule();
    void randomPlansSurviveTheRoundTrip();
    void refusesADamagedPlan_data();
    void refusesADamagedPlan();
    void refusesWhatIsNoPlan_data();
    void refusesWhatIsNoPlan();
    void refusesAKeyThatComesTwice_data();
    void refusesAKeyThatComesTwice();
    void refusesThePlanOfAnotherGraph();
    void saysThatOpsDependOnValues();
    void readsFilesOfBeforeOptionsWereWritten();
    void saysThatStatisticsStayFrozen();
};

void PlanJsonTest::readsBackWhatItWrote_data()
{
    QTest::addColumn<plan::Plan>("plan");
    QTest::newRow("no region") << plan::Plan{};
    QTest::newRow("flat") << flatPlan();
    QTest::newRow("nested") << nestedPlan();
}

void PlanJsonTest::readsBackWhatItWrote()
{
    QFETCH(plan::Plan, plan);
    const graph::ProgramPtr graph = program();
    const plan::VerifiedPlanPtr verified = certified(graph, plan);
    QVERIFY(verified);
    const std::string text = plan::writePlan(verified);
    const base::Result<plan::PlanFile> file = plan::readPlan(text, *graph);
    QVERIFY2(file, tests::messageOf(file));
    QVERIFY(file->plan.regions() == plan.regions());
    QCOMPARE(file->plan.planner, std::string{"hand"});
    QCOMPARE(file->info.peak.count(), verified->evaluation().peak.count());
    QCOMPARE(file->info.stepTime.count(), verified->evaluation().stepTime.count());
    const base::Result<plan::Problem> problem = plan::problemOf(*file, graph);
    QVERIFY(problem.has_value());
    QCOMPARE(problem->budget.count(), verified->problem().budget.count());
    QCOMPARE(problem->reserve.count(), std::int64_t{512});
    QVERIFY(problem->device == verified->problem().device);
    const base::Result<plan::VerifiedPlanPtr> again = plan::certify(*problem, file->plan);
    QVERIFY(again.has_value());
    QCOMPARE(plan::writePlan(*again), text);
}

void PlanJsonTest::writesEveryKeyOfTheFormat()
{
    const plan::VerifiedPlanPtr verified = certified(program(), nestedPlan());
    QVERIFY(verified);
    const ordered_json json = plan::toJson(verified);
    std::string keys;
    for (const auto& [key, value] : json.items())
        keys += key + " ";
    QCOMPARE(keys, std::string{"format version runtime granularity planner options graph device "
                               "budget_bytes reserve_bytes rounding evaluation regions labels "});
    QCOMPARE(json["graph"]["ops"].get<int>(), 9);
    QCOMPARE(json["graph"]["forward_ops"].get<int>(), 5);
    QCOMPARE(json["graph"]["fingerprint"].get<std::string>().size(), std::size_t{16});
    QCOMPARE(json["rounding"].get<int>(), 512);
}

void PlanJsonTest::labelsAreEmptyWithoutRegions()
{
    QCOMPARE(plan::labelsJson(*program(), plan::Plan{}).dump(), std::string{"[]"});
    QCOMPARE(plan::regionsJson(*program(), plan::Plan{}).dump(), std::string{"[]"});
}

void PlanJsonTest::labelsAreIntegersWithoutNesting()
{
    QCOMPARE(plan::labelsJson(*program(), flatPlan()).dump(), std::string{"[0,0,0,1,null]"});
}

void PlanJsonTest::labelsAreListsOfTheRegionsDepthWithNesting()
{
    QCOMPARE(plan::labelsJson(*program(), nestedPlan()).dump(),
             std::string{"[[0,null],[0,1],[0,null],[1],null]"});
}

void PlanJsonTest::membersNameTheCallAmongThoseOfTheirModule()
{
    plan::Plan plan;
    plan.asRegions().regions = {region({4}, 2, 2, 0)};
    const ordered_json member = plan::regionsJson(*program(), plan)[0]["members"][0];
    QCOMPARE(member["path"].get<std::string>(), std::string{"block.one"});
    QCOMPARE(member["call"].get<int>(), 1);
}

/// Labels as a planner gives them: rising among siblings.
void relabel(std::vector<plan::Region>& regions)
{
    int label = 0;
    for (plan::Region& region : regions) {
        region.label = label++;
        relabel(region.nested);
    }
}

void PlanJsonTest::randomPlansSurviveTheRoundTrip()
{
    int withRegions = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const graph::ProgramPtr graph = tests::randomProgram(seed);
        plan::Plan plan = tests::randomLegalPlan(*graph, seed);
        relabel(plan.asRegions().regions);
        const plan::VerifiedPlanPtr verified = certified(graph, plan);
        if (!verified)
            continue;
        const base::Result<plan::PlanFile> file = plan::readPlan(plan::writePlan(verified), *graph);
        QVERIFY2(file, tests::messageOf(file));
        QVERIFY(file->plan.regions() == plan.regions());
        withRegions += plan.regions().empty() ? 0 : 1;
    }
    QVERIFY(withRegions > 20);
}

void PlanJsonTest::refusesADamagedPlan_data()
{
    QTest::addColumn<std::string>("pointer");
    QTest::addColumn<std::string>("value"); ///< empty: the key is taken out
    QTest::addColumn<std::string>("named");

    const auto row = [](const char* name, const char* pointer, const char* value,
                        const char* named) {
        QTest::newRow(name) << std::string{pointer} << std::string{value} << std::string{named};
    };
    row("newer version", "/version", "2", "version 2");
    row("version is text", "/version", "\"1\"", "version must be an integer");
    row("version zero", "/version", "0", "version must be 1");
    row("another format", "/format", "\"plimsoll-graph\"", "not a plan file");
    row("unknown runtime", "/runtime", "\"eager\"", "runtime must be");
    row("unknown granularity", "/granularity", "\"layer\"", "granularity must be");
    row("no planner", "/planner", "", "planner is missing");
    row("options are an array", "/options", "[1]", "options must be an object");
    row("an option is a number", "/options/slots", "5", "options must be an object");
    row("graph is text", "/graph", "\"g\"", "graph must be an object");
    row("other fingerprint", "/graph/fingerprint", "\"00\"", "another graph");
    row("other number of ops", "/graph/ops", "10", "another graph");
    row("budget is a fraction", "/budget_bytes", "1.5", "budget_bytes must be an integer");
    row("budget is negative", "/budget_bytes", "-1", "budget_bytes must be an integer");
    row("budget is huge", "/budget_bytes", "18446744073709551615", "budget_bytes must be");
    row("rounding of 3", "/rounding", "3", "rounding must be 512 or 1");
    row("no evaluation", "/evaluation", "", "evaluation is missing");
    row("peak is null", "/evaluation/peak_bytes", "null", "evaluation.peak_bytes must be");
    row("regions are null", "/regions", "null", "regions must be an array");
    row("a region is a number", "/regions/0", "7", "regions[0] must be an object");
    row("no label", "/regions/0/label", "", "regions[0].label is missing");
    row("labels fall", "/regions/1/label", "0", "regions[1].label must be greater");
    row("label past an int", "/regions/0/label", "99999999999", "regions[0].label must be");
    row("empty members", "/regions/0/members", "[]", "regions[0].members must name");
    row("unknown path", "/regions/0/members/0/path", "\"blok\"", "\"blok\", which is not a module");
    row("path with control characters", "/regions/0/members/0/path", "\"a\\nb\"", "a\\x0ab");
    row("wrong class", "/regions/0/members/0/class", "\"Conv\"", "is of class");
    row("call past the last", "/regions/0/nested/0/members/0/call", "1", "is called 1 time in");
    row("first does not fit", "/regions/0/first", "1", "the members begin at op 0");
    row("last does not fit", "/regions/0/last", "1", "the members end at op 2");
    row("nested is null", "/regions/0/nested", "null", "regions[0].nested must be an array");
    row("nested elsewhere", "/regions/0/nested/0",
        R"({"label":0,"first":3,"last":3,"members":[{"path":"tail","class":"","call":0}],)"
        R"("nested":[]})",
        "regions[0].nested[0]");
    row("regions change places", "/regions/1",
        R"({"label":5,"first":0,"last":2,"members":[{"path":"block","class":"","call":0}],)"
        R"("nested":[]})",
        "regions[1]");
    row("labels are missing", "/labels", "", "labels is missing");
    row("too few labels", "/labels", "[]", "labels has 0 entries");
    row("a label differs", "/labels/1", "[0,2]", "labels[1] is [0,2]");
    row("a label is a float", "/labels/3", "[1.5]", "labels[3]");
}

void PlanJsonTest::refusesADamagedPlan()
{
    QFETCH(std::string, pointer);
    QFETCH(std::string, value);
    QFETCH(std::string, named);
    const graph::ProgramPtr graph = program();
    const plan::VerifiedPlanPtr verified = certified(graph, nestedPlan());
    QVERIFY(verified);
    nlohmann::json json = nlohmann::json::parse(plan::writePlan(verified));
    const nlohmann::json::json_pointer at{pointer};
    QVERIFY(json.contains(at));
    if (value.empty())
        json[at.parent_pointer()].erase(at.back());
    else
        json[at] = nlohmann::json::parse(value);
    const base::Result<plan::PlanFile> file = plan::readPlan(json.dump(), *graph);
    QVERIFY(!file.has_value());
    QCOMPARE(file.error().kind, base::ErrorKind::File);
    QVERIFY2(file.error().message.find(named) != std::string::npos, file.error().message.c_str());
    QVERIFY(file.error().message.find('\n') == std::string::npos);
}

void PlanJsonTest::refusesWhatIsNoPlan_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("named");

    std::string deep = R"({"format":"plimsoll-plan","x":)";
    deep.append(200000, '[');
    QTest::newRow("nothing") << std::string{} << std::string{"not JSON"};
    QTest::newRow("garbage") << std::string{"\x80\xff\x01"} << std::string{"byte 0"};
    QTest::newRow("cut off") << std::string{"{\"format\": \"plimsoll-pl"}
                             << std::string{"not JSON"};
    QTest::newRow("an array") << std::string{"[]"} << std::string{"not a plan file"};
    QTest::newRow("a number") << std::string{"1e999"} << std::string{"not JSON"};
    QTest::newRow("an empty object") << std::string{"{}"} << std::string{"not a plan file"};
    QTest::newRow("nested deeply") << deep << std::string{"nest more than"};
}

void PlanJsonTest::refusesWhatIsNoPlan()
{
    QFETCH(std::string, text);
    QFETCH(std::string, named);
    const base::Result<plan::PlanFile> file = plan::readPlan(text, *program());
    QVERIFY(!file.has_value());
    QCOMPARE(file.error().kind, base::ErrorKind::File);
    QVERIFY2(file.error().message.find(named) != std::string::npos, file.error().message.c_str());
}

void PlanJsonTest::refusesAKeyThatComesTwice_data()
{
    QTest::addColumn<std::string>("before"); ///< what the other value is put in front of
    QTest::addColumn<std::string>("added");
    QTest::addColumn<std::string>("key");

    const auto row = [](const char* name, const char* before, const char* added, const char* key) {
        QTest::newRow(name) << std::string{before} << std::string{added} << std::string{key};
    };
    row("of the file", "\"rounding\"", "\"budget_bytes\": 1, ", "budget_bytes");
    row("with the same value", "\"version\"", "\"version\": 1, ", "version");
    row("of the evaluation", "\"peak_bytes\"", "\"peak_bytes\": 1, ", "peak_bytes");
    row("of a region", "\"members\"", "\"last\": 2, ", "last");
    row("of a member", "\"call\"", "\"path\": \"tail\", ", "path");
    row("of something unknown", "\"rounding\"", "\"note\": {\"a\": 1, \"a\": 1}, ", "a");
    row("written in another way", "\"rounding\"", "\"budg\\u0065t_bytes\": 1, ", "budget_bytes");
}

void PlanJsonTest::refusesAKeyThatComesTwice()
{
    QFETCH(std::string, before);
    QFETCH(std::string, added);
    QFETCH(std::string, key);
    const graph::ProgramPtr graph = program();
    const plan::VerifiedPlanPtr verified = certified(graph, nestedPlan());
    QVERIFY(verified);
    std::string text = plan::writePlan(verified);
    const std::size_t at = text.find(before);
    QVERIFY(at != std::string::npos);
    text.insert(at, added);
    const base::Result<plan::PlanFile> file = plan::readPlan(text, *graph);
    QVERIFY(!file.has_value());
    QCOMPARE(file.error().kind, base::ErrorKind::File);
    const std::string& message = file.error().message;
    QVERIFY2(message.find("the key \"" + key + "\" appears here for the second time")
                 != std::string::npos,
             message.c_str());
    const std::size_t named = std::stoul(message.substr(message.find("byte ") + 5));
    QVERIFY2(named >= at && named < at + added.size() + before.size(), message.c_str());
    QCOMPARE(text[named], '"');
}

void PlanJsonTest::refusesThePlanOfAnotherGraph()
{
    const plan::VerifiedPlanPtr verified = certified(program(), flatPlan());
    QVERIFY(verified);
    const graph::ProgramPtr other = program("aten.gelu");
    QVERIFY(graph::fingerprint(*other) != graph::fingerprint(*program()));
    const base::Result<plan::PlanFile> file = plan::readPlan(plan::writePlan(verified), *other);
    QVERIFY(!file.has_value());
    QCOMPARE(
        QString::fromStdString(file.error().message),
        QStringLiteral("The plan was made for another graph: for \"%1\" with 9 ops (5 in forward), "
                       "while this graph is \"%1\" with 9 (5), of which some are other ops; export "
                       "the plan again from this graph, or use the graph it was made from.")
            .arg(QString::fromStdString(other->header.model)));
}

void PlanJsonTest::saysThatOpsDependOnValues()
{
    const plan::VerifiedPlanPtr plain = certified(program(), flatPlan());
    QVERIFY(plain);
    QVERIFY(!nlohmann::json::parse(plan::writePlan(plain))["graph"].contains("values"));
    auto changed = std::make_shared<graph::Program>(*program());
    changed->header.values = "real";
    const plan::VerifiedPlanPtr verified = certified(changed, flatPlan());
    QVERIFY(verified);
    const std::string text = plan::writePlan(verified);
    QCOMPARE(nlohmann::json::parse(text)["graph"]["values"].get<std::string>(),
             std::string{"real"});
    const base::Result<plan::PlanFile> file = plan::readPlan(text, *changed);
    QVERIFY2(file, tests::messageOf(file));
    QCOMPARE(file->info.values, std::string{"real"});
}

void PlanJsonTest::readsFilesOfBeforeOptionsWereWritten()
{
    const plan::VerifiedPlanPtr verified = certified(program(), flatPlan());
    QVERIFY(verified);
    nlohmann::json json = nlohmann::json::parse(plan::writePlan(verified));
    QCOMPARE(json["granularity"].get<std::string>(), std::string{"module"});
    json.erase("granularity");
    json["options"] = nlohmann::json::object();
    const base::Result<plan::PlanFile> file = plan::readPlan(json.dump(), *program());
    QVERIFY2(file, tests::messageOf(file));
    QVERIFY(file->plan.granularity() == plan::Granularity::Module);
    QVERIFY(file->plan.options.empty());
    QVERIFY(file->plan.regions() == flatPlan().regions());
}

void PlanJsonTest::saysThatStatisticsStayFrozen()
{
    plan::Plan plan = flatPlan();
    const plan::VerifiedPlanPtr usual = certified(program(), plan);
    QVERIFY(!nlohmann::json::parse(plan::writePlan(usual)).contains("freeze_stats"));
    plan.asRegions().freezeStats = true;
    const plan::VerifiedPlanPtr frozen = certified(program(), plan);
    nlohmann::json json = nlohmann::json::parse(plan::writePlan(frozen));
    QVERIFY(json["freeze_stats"] == true);
    const auto read = plan::readPlan(json.dump(), *program());
    QVERIFY2(read, tests::messageOf(read));
    QVERIFY(read->plan.freezeStats() && read->plan.regions() == plan.regions());
    json["freeze_stats"] = false;
    QVERIFY(!plan::readPlan(json.dump(), *program())->plan.freezeStats());
    json["freeze_stats"] = 1;
    QCOMPARE(plan::readPlan(json.dump(), *program()).error().message,
             std::string{"freeze_stats must be true or false: export the plan again."});
}

} // namespace

PLIMSOLL_TEST(PlanJsonTest, QCoreApplication)
#include "plan_json_test.moc"
