// SPDX-License-Identifier: Apache-2.0
// closed_loop_check GRAPH PLAN.json STREAM.json: does a recorded run of a planned model equal what
// evaluate() says about the plan, at every step? Prints the differences as JSON; exit 0 equal,
// 3 unreadable input, 5 different.
//
// STREAM: {"ops": [[target, op that it runs again or -1]], "curve": [bytes alive during
// each op], "curve_rounded512": likewise, sizes rounded, "backward_start": step, "lives": [[bytes,
// alloc, free or null]]}. Of the plan only granularity, freeze_stats and regions are read, of these
// only members or (between ops) first and last, and save, so hand-written ones do; of a plan for
// runtime "step" only schedule.recomputeSteps. Its stream ends where the optimizer begins and has
// no optimizer states.
//
// closed_loop_check --write GRAPH PLAN.json MODULE.py SNIPPET.py writes such a plan as Python.
// closed_loop_check --peak GRAPH PLAN.json [SETTING] prints the peak evaluate() gives with exact
// sizes, as the allocator of a CPU has them, the op at which it is reached, and what is there
// before the step; with SETTING (of --ddp) for one of several processes.
//
// closed_loop_check --run GRAPH PLAN.json SETTINGS BYTES... runs a training loop in PyTorch's
// allocator, on devices of so many bytes: for each "reserved", "flushes" by
// iteration, and "fails_at".
//
// closed_loop_check --shards GRAPH PLAN.json SETTING prints what one of several processes has,
// exact sizes: "steps", for each execution the op's module, its target, whether it runs again, and
// the bytes of parameters gathered then, of all-gathers' results and of reduce-scatters' inputs;
// "ready", by parameter, the step behind which its gradient is; "states", bytes of the optimizer's.
#include "core/device/known_devices.h"
#include "core/evaluate/certify.h"
#include "core/evaluate/evaluate.h"
#include "core/parallel/rank_program.h"
#include "core/readers/registry.h"
#include "core/run/device_run.h"
#include "core/writers/formats.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace plimsoll;
using nlohmann::json;

constexpr std::size_t kMostDifferences = 20;
constexpr int kUnreadable = 3;
constexpr int kDifferent = 5;

/// Calls by their module's path and ordinal.
using CallTable = std::map<std::pair<std::string, int>, graph::CallId>;

CallTable callsOf(const graph::Program& program)
{
    CallTable table;
    std::map<std::string, int> counts;
    for (std::size_t row = 0; row < program.calls.size(); ++row) {
        const std::string& path = program.module(program.calls[row].module).path;
        table[{path, counts[path]++}] = graph::CallId{row};
    }
    return table;
}

plan::Region regionOf(const json& text, const graph::Program& program, const CallTable& calls)
{
    plan::Region region;
    for (const json& member : text.value("members", json::array()))
        region.members.push_back(
            calls.at({member.at("path").get<std::string>(), member.at("call").get<int>()}));
    if (region.members.empty()) {
        region.first = text.at("first").get<graph::OpIndex>();
        region.last = text.at("last").get<graph::OpIndex>();
    } else {
        region.first = program.call(region.members.front()).first;
        region.last = program.call(region.members.back()).last;
    }
    for (const json& op : text.value("save", json::array()))
        region.save.emplace_back(op.get<std::size_t>());
    for (const json& nested : text.value("nested", json::array())) {
        region.nested.push_back(regionOf(nested, program, calls));
        region.nested.back().label = static_cast<int>(region.nested.size()) - 1;
    }
    return region;
}

plan::Plan planOf(const json& text, const graph::Program& program)
{
    const CallTable calls = callsOf(program);
    plan::Plan plan;
    plan.planner = "given";
    if (text.value("runtime", "checkpoint") == "step") {
        std::vector<plan::RecomputeStep>& steps = plan.asSchedule().recomputeSteps;
        for (const json& row : text.at("schedule").at("again")) {
            steps.push_back({row.at(0).get<graph::OpIndex>(), {}});
            for (const json& op : row.at(1))
                steps.back().ops.emplace_back(op.get<std::size_t>());
        }
        return plan;
    }
    plan.asRegions().freezeStats = text.value("freeze_stats", false);
    if (text.value("granularity", "module") == "op")
        plan.asRegions().granularity = plan::Granularity::Op;
    for (const json& region : text.at("regions")) {
        std::vector<plan::Region>& regions = plan.asRegions().regions;
        regions.push_back(regionOf(region, program, calls));
        regions.back().label = static_cast<int>(regions.size()) - 1;
    }
    return plan;
}

class Comparison
{
public:
    /// The runner of a step plan leaves the optimizer, and what only that holds, to others.
    Comparison(const graph::Program& program, const plan::Schedule& schedule, plan::Runtime runtime,
               const json& stream)
        : m_program{program}
        , m_schedule{schedule}
        , m_stream{stream}
        , m_leavesOptimizer{runtime == plan::Runtime::CompiledStep}
        , m_steps{schedule.steps.size()}
    {
        if (const std::size_t optimizer = program.countBeforeOptimizer();
            m_leavesOptimizer && optimizer < program.ops.size())
            m_steps = static_cast<std::size_t>(schedule.stepOfOp[optimizer]);
    }

    void ops();
    void curve(const char* key, const plan::Evaluation& evaluation, graph::Rounding rounding);
    void lives();
    void add(json difference)
    {
        if (++m_count <= kMostDifferences)
            m_differences.push_back(std::move(difference));
    }
    [[nodiscard]] std::size_t count() const { return m_count; }
    [[nodiscard]] const json& differences() const { return m_differences; }

private:
    /// "12 (of 4) · layer1.0.conv1 · aten.convolution".
    [[nodiscard]] std::string name(std::int64_t step) const
    {
        if (step < 0 || step >= static_cast<std::int64_t>(m_schedule.steps.size()))
            return fmt::format("{}", step);
        const plan::Step& at = m_schedule.steps[static_cast<std::size_t>(step)];
        return fmt::format("{}{} op {} {}", step,
                           at.region >= 0 ? fmt::format(" in region {}", at.region) : "",
                           at.op.index(), m_program.label(m_program.op(at.op)));
    }

    [[nodiscard]] bool isLeftOut(const graph::Storage& storage) const
    {
        return m_leavesOptimizer && storage.alloc < 0
               && storage.storageClass == graph::StorageClass::OptimizerState;
    }

    const graph::Program& m_program;
    const plan::Schedule& m_schedule;
    const json& m_stream;
    bool m_leavesOptimizer;
    std::size_t m_steps; ///< that are compared
    json m_differences = json::array();
    std::size_t m_count = 0;
};

void Comparison::ops()
{
    const json& recorded = m_stream.at("ops");
    if (recorded.size() != m_steps)
        add({{"kind", "steps"}, {"evaluated", m_steps}, {"recorded", recorded.size()}});
    for (std::size_t step = 0; step < std::min(recorded.size(), m_steps); ++step) {
        const plan::Step& at = m_schedule.steps[step];
        const json expected = {m_program.targetOf(m_program.op(at.op)),
                               at.region < 0 ? -1 : static_cast<int>(at.op.index())};
        if (recorded[step] != expected)
            add({{"kind", "op"},
                 {"step", step},
                 {"evaluated", expected},
                 {"recorded", recorded[step]}});
    }
}

void Comparison::curve(const char* key, const plan::Evaluation& evaluation,
                       graph::Rounding rounding)
{
    const auto recorded = m_stream.at(key).get<std::vector<std::int64_t>>();
    std::vector<std::int64_t> totals = evaluation.timeline->totals();
    totals.resize(m_steps);
    for (const graph::Storage& storage : m_program.storages)
        if (isLeftOut(storage))
            for (std::int64_t& total : totals)
                total -= graph::rounded(storage.bytes, rounding).count();
    for (std::size_t step = 0; step < std::min(recorded.size(), totals.size()); ++step)
        if (recorded[step] != totals[step])
            add({{"kind", key},
                 {"at", name(static_cast<std::int64_t>(step))},
                 {"evaluated", totals[step]},
                 {"recorded", recorded[step]},
                 {"excess", totals[step] - recorded[step]}});
    const auto peakOf = [](const std::vector<std::int64_t>& curve) {
        return curve.empty() ? 0 : *std::max_element(curve.begin(), curve.end());
    };
    if (peakOf(recorded) != peakOf(totals))
        add({{"kind", "peak"},
             {"curve", key},
             {"evaluated", peakOf(totals)},
             {"recorded", peakOf(recorded)}});
    const std::size_t forward = m_program.forwardCount();
    const std::size_t begins =
        forward == 0 ? 0 : static_cast<std::size_t>(m_schedule.stepOfOp[forward - 1]) + 1;
    const auto start = m_stream.at("backward_start").get<std::size_t>();
    if (start != begins)
        add({{"kind", "backward_start"}, {"evaluated", begins}, {"recorded", start}});
}

/// Compares the lifetimes: those that begin at one step have no common names, so their sizes and
/// ends are compared in order.
void Comparison::lives()
{
    using Lives = std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>>;
    Lives evaluated;
    Lives recorded;
    const auto steps = static_cast<std::int64_t>(m_steps);
    for (const plan::Instance& instance : m_schedule.instances) {
        const graph::Storage& storage = m_program.storage(instance.storage);
        const std::int64_t bytes = storage.bytes.count();
        if (bytes > 0 && instance.alloc < steps && !isLeftOut(storage))
            evaluated[instance.alloc].emplace_back(bytes,
                                                   std::min<std::int64_t>(instance.free, steps));
    }
    for (const json& life : m_stream.value("lives", json::array()))
        if (life[0].get<std::int64_t>() > 0)
            recorded[life[1].get<std::int64_t>()].emplace_back(
                life[0].get<std::int64_t>(),
                life[2].is_null() ? steps : life[2].get<std::int64_t>());
    if (recorded.empty())
        return;
    for (Lives* lives : {&evaluated, &recorded})
        for (auto& [alloc, list] : *lives)
            std::sort(list.begin(), list.end());
    for (std::int64_t step = -1; step < steps; ++step) {
        const auto& expected = evaluated[step];
        const auto& found = recorded[step];
        if (expected == found)
            continue;
        json here = {{"kind", "life"}, {"allocated_by", name(step)}};
        std::size_t row = 0;
        while (row < std::min(expected.size(), found.size()) && expected[row] == found[row])
            ++row;
        if (row < expected.size())
            here["evaluated"] = {{"bytes", expected[row].first},
                                 {"until", name(expected[row].second)}};
        if (row < found.size())
            here["recorded"] = {{"bytes", found[row].first}, {"until", name(found[row].second)}};
        add(std::move(here));
    }
}

json readJson(const char* path)
{
    std::ifstream file{path};
    return json::parse(file);
}

/// A plan and its problem, with an unlimited budget and rounded sizes.
struct Given
{
    plan::Problem problem;
    plan::Plan plan;
};

base::Result<Given> read(const char* graph, const char* planFile)
{
    auto read = readers::readProgram(graph);
    if (!read)
        return tl::unexpected{read.error()};
    plan::Plan plan = planOf(readJson(planFile), *read->program);
    const auto device = plan::findDevice(plan::kDefaultDevice);
    if (!device)
        return tl::unexpected{device.error()};
    return Given{{read->program, *device, plan::kUnlimited, {}, graph::Rounding::Cuda512},
                 std::move(plan)};
}

int refuse(const base::Error& error)
{
    fmt::print(stderr, "{}\n", error.message);
    return error.kind == base::ErrorKind::CheckFailed ? kDifferent : kUnreadable;
}

int check(const char* graph, const char* planFile, const char* streamFile)
{
    base::Result<Given> given = read(graph, planFile);
    if (!given)
        return refuse(given.error());
    const json stream = readJson(streamFile);
    const plan::EvaluationPtr rounded = plan::evaluate(given->problem, given->plan);
    Comparison comparison{*given->problem.step(), *rounded->schedule, given->plan.runtime(),
                          stream};
    if (const auto certified = plan::certify(given->problem, given->plan); !certified)
        comparison.add({{"kind", "certify"}, {"fault", certified.error().message}});
    given->problem.rounding = graph::Rounding::Exact;
    const plan::EvaluationPtr exact = plan::evaluate(given->problem, given->plan);

    comparison.ops();
    comparison.lives();
    comparison.curve("curve", *exact, graph::Rounding::Exact);
    comparison.curve("curve_rounded512", *rounded, graph::Rounding::Cuda512);
    const json result = {
        {"equal", comparison.count() == 0},  {"steps", exact->schedule->steps.size()},
        {"peak_bytes", exact->peak.count()}, {"peak_bytes_rounded512", rounded->peak.count()},
        {"differences", comparison.count()}, {"first", comparison.differences()}};
    fmt::print("{}\n", result.dump(1));
    return comparison.count() == 0 ? 0 : kDifferent;
}

/// The problem of one of several processes, with exact sizes.
base::Result<plan::Problem> ofRank(const plan::Problem& problem, const char* setting)
{
    const auto parsed = plan::parseDataParallel(setting, problem.device);
    if (!parsed)
        return tl::unexpected{parsed.error()};
    base::Result<plan::Problem> posed = plan::forRank(problem, *parsed);
    if (posed)
        posed->rounding = graph::Rounding::Exact;
    return posed;
}

int peak(const char* graph, const char* planFile, const char* setting)
{
    base::Result<Given> given = read(graph, planFile);
    if (!given)
        return refuse(given.error());
    given->problem.rounding = graph::Rounding::Exact;
    const base::Result<plan::Problem> posed =
        setting != nullptr ? ofRank(given->problem, setting) : given->problem;
    if (!posed)
        return refuse(posed.error());
    const auto certified = plan::certify(*posed, given->plan);
    if (!certified)
        return refuse(certified.error());
    const plan::Evaluation& exact = (*certified)->evaluation();
    std::int64_t resident = 0;
    const graph::Program& program = *posed->step();
    for (const graph::Storage& storage : program.storages)
        if (storage.alloc < 0)
            resident += storage.bytes.count();
    const json result = {{"peak_bytes", exact.peak.count()},
                         {"peak_op", program.targetOf(program.op(exact.peakOp))},
                         {"resident_bytes", resident}};
    fmt::print("{}\n", result.dump(1));
    return 0;
}

int runLoops(const char* graph, const char* planFile, const char* settings,
             const std::vector<const char*>& devices)
{
    const base::Result<Given> given = read(graph, planFile);
    if (!given)
        return refuse(given.error());
    const auto certified = plan::certify(given->problem, given->plan);
    if (!certified)
        return refuse(certified.error());
    const auto parsed = allocator::parseAllocatorSettings(settings);
    if (!parsed)
        return refuse(parsed.error());
    json runs = json::array();
    for (const char* device : devices) {
        const auto run =
            run::runLoop(**certified, *parsed, base::Bytes{std::strtoll(device, nullptr, 10)});
        runs.push_back({{"reserved", run->reserved.count()},
                        {"flushes", run->flushes},
                        {"fails_at", nullptr}});
        if (run->failure)
            runs.back()["fails_at"] = {run->failure->iteration, run->failure->op.index(),
                                       run->failure->asked.count(), run->failure->free.count(),
                                       run->failure->largestCached.count()};
    }
    fmt::print("{}\n", runs.dump());
    return 0;
}

int shards(const char* graph, const char* planFile, const char* setting)
{
    const base::Result<Given> given = read(graph, planFile);
    if (!given)
        return refuse(given.error());
    const base::Result<plan::Problem> posed = ofRank(given->problem, setting);
    if (!posed)
        return refuse(posed.error());
    const auto certified = plan::certify(*posed, given->plan);
    if (!certified)
        return refuse(certified.error());
    const graph::Program& program = *posed->step();
    const plan::Schedule& schedule = *(*certified)->evaluation().schedule;
    constexpr std::array<std::string_view, 3> kKinds{"Gathered parameters", "All-gather's result",
                                                     "Reduce-scatter's input"};
    json steps = json::array();
    for (const plan::Step& step : schedule.steps) {
        const graph::Op& op = program.op(step.op);
        steps.push_back({program.modulePath(op), program.targetOf(op), step.region >= 0, 0, 0, 0});
    }
    std::int64_t states = 0;
    for (const graph::Storage& storage : program.storages)
        if (storage.storageClass == graph::StorageClass::OptimizerState)
            states += storage.bytes.count();
    for (const plan::Instance& life : schedule.instances) {
        const graph::Storage& storage = program.storage(life.storage);
        for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
            if (!storage.names.empty() && storage.names.front().starts_with(kKinds.at(kind)))
                for (std::int32_t step = std::max(life.alloc, 0); step <= life.free; ++step) {
                    json& bytes = steps.at(static_cast<std::size_t>(step)).at(3 + kind);
                    bytes = bytes.get<std::int64_t>() + storage.bytes.count();
                }
    }
    json ready = json::object();
    for (const plan::ReducedGradient& gradient : posed->parallel->gradients)
        ready[program.parameters[gradient.parameter].name] =
            schedule.stepOfOp[static_cast<std::size_t>(gradient.ready)];
    fmt::print("{}\n", json{{"steps", steps}, {"ready", ready}, {"states", states}}.dump());
    return 0;
}

int write(const char* graph, const char* planFile, const char* moduleFile, const char* snippetFile)
{
    const base::Result<Given> given = read(graph, planFile);
    if (!given)
        return refuse(given.error());
    const auto certified = plan::certify(given->problem, given->plan);
    if (!certified)
        return refuse(certified.error());
    std::ofstream{moduleFile} << writers::pythonModule(*certified);
    std::ofstream{snippetFile} << writers::pythonSnippet(*certified);
    return 0;
}

} // namespace

int main(int count, char** arguments)
{
    const std::vector<const char*> given(arguments, arguments + count);
    try {
        const std::string_view first = given.size() > 1 ? given[1] : "";
        if ((given.size() == 4 || given.size() == 5) && first == "--peak")
            return peak(given[2], given[3], given.size() == 5 ? given[4] : nullptr);
        if (given.size() == 4)
            return check(given[1], given[2], given[3]);
        if (given.size() > 5 && first == "--run")
            return runLoops(given[2], given[3], given[4], {given.begin() + 5, given.end()});
        if (given.size() == 5 && first == "--shards")
            return shards(given[2], given[3], given[4]);
        if (given.size() == 6 && first == "--write")
            return write(given[2], given[3], given[4], given[5]);
        fmt::print(stderr, "usage: closed_loop_check GRAPH PLAN.json STREAM.json\n"
                           "       closed_loop_check --write GRAPH PLAN.json MODULE.py SNIPPET.py\n"
                           "       closed_loop_check --peak GRAPH PLAN.json [SETTING]\n"
                           "       closed_loop_check --run GRAPH PLAN.json SETTINGS BYTES...\n"
                           "       closed_loop_check --shards GRAPH PLAN.json SETTING\n");
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return kUnreadable;
    }
}
