// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/base/limits.h"
#include "core/plan/json_text.h"
#include "core/plan/plan_json.h"
#include "core/plan/plan_json_detail.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

namespace plimsoll::plan {

namespace {

using base::ErrorKind;
using base::failure;
using base::printable;
using base::Result;
using nlohmann::json;

constexpr std::int64_t kMostOrdinal = std::numeric_limits<graph::Moment>::max();

std::string shown(const json& value)
{
    return printable(value.dump(-1, ' ', false, json::error_handler_t::replace), 60);
}

/// Reads members of one object; remembers the first thing that is wrong, after which everything
/// reads as empty.
class Fields
{
public:
    Fields(const json& object, std::string where, Result<void>& state)
        : m_object{object}, m_where{std::move(where)}, m_state{state}
    {
        if (!object.is_object())
            fail("must be an object");
    }

    [[nodiscard]] std::string text(const char* key)
    {
        const json& value = at(key);
        if (!value.is_string())
            fail(key, "must be a text");
        return m_state ? value.get<std::string>() : std::string{};
    }
    [[nodiscard]] std::int64_t integer(const char* key, std::int64_t most = base::kHuge)
    {
        const json& value = at(key);
        const bool whole =
            value.is_number_integer()
            && (!value.is_number_unsigned()
                || value.get<std::uint64_t>() <= static_cast<std::uint64_t>(base::kHuge));
        if (!whole || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() > most)
            fail(key, fmt::format("must be an integer from 0 to {}", most));
        return m_state ? value.get<std::int64_t>() : 0;
    }
    [[nodiscard]] const json& array(const char* key)
    {
        static const json kEmpty = json::array();
        const json& value = at(key);
        if (!value.is_array())
            fail(key, "must be an array");
        return m_state ? value : kEmpty;
    }
    [[nodiscard]] const json& at(const char* key)
    {
        static const json kNothing;
        if (!m_state)
            return kNothing;
        const auto entry = m_object.find(key);
        if (entry == m_object.end()) {
            fail(key, "is missing");
            return kNothing;
        }
        return *entry;
    }
    [[nodiscard]] std::string path(const char* key) const
    {
        return m_where.empty() ? key : m_where + "." + key;
    }
    void fail(const char* key, const std::string& what)
    {
        if (m_state)
            m_state = failure(ErrorKind::File, fmt::format("{} {}.", path(key), what));
    }

private:
    void fail(const std::string& what)
    {
        if (m_state)
            m_state = failure(
                ErrorKind::File,
                fmt::format("{} {}.", m_where.empty() ? "The content" : m_where.c_str(), what));
    }

    const json& m_object;
    std::string m_where;
    Result<void>& m_state;
};

/// Turns region objects into regions of a program.
class RegionReader
{
public:
    RegionReader(const graph::Program& program, Result<void>& state)
        : m_program{program}, m_state{state}, m_callsOf(program.modules.size())
    {
        for (std::size_t i = 0; i < program.modules.size(); ++i)
            m_modules.try_emplace(program.modules[i].path, i);
        for (std::size_t i = 0; i < program.calls.size(); ++i)
            m_callsOf[program.calls[i].module.index()].emplace_back(i);
    }

    [[nodiscard]] std::vector<Region> regions(const json& rows, const std::string& where)
    {
        std::vector<Region> regions;
        for (std::size_t i = 0; i < rows.size() && m_state; ++i) {
            const std::string here = fmt::format("{}[{}]", where, i);
            regions.push_back(region(rows[i], here));
            if (m_state && i > 0 && regions[i].label <= regions[i - 1].label)
                fail(here + ".label", "must be greater than that of the region before it");
            if (m_state && i > 0 && regions[i].first <= regions[i - 1].last)
                fail(here + ".first", "must lie behind the region before it");
        }
        return regions;
    }

private:
    Region region(const json& row, const std::string& where)
    {
        Fields fields{row, where, m_state};
        Region region;
        region.label = static_cast<int>(fields.integer("label", kMostOrdinal));
        region.first = static_cast<graph::Moment>(fields.integer("first", kMostOrdinal));
        region.last = static_cast<graph::Moment>(fields.integer("last", kMostOrdinal));
        const json& members = fields.array("members");
        if (m_state && members.empty())
            fields.fail("members", "must name at least one module call");
        for (std::size_t i = 0; i < members.size() && m_state; ++i)
            region.members.push_back(member(members[i], fmt::format("{}.members[{}]", where, i)));
        if (m_state)
            checkInterval(region, fields);
        region.nested = regions(fields.array("nested"), fields.path("nested"));
        for (std::size_t i = 0; i < region.nested.size() && m_state; ++i)
            if (region.nested[i].first < region.first || region.nested[i].last > region.last)
                fail(fmt::format("{}.nested[{}]", where, i), "lies outside of its region");
        return region;
    }

    graph::CallId member(const json& row, const std::string& where)
    {
        Fields fields{row, where, m_state};
        const std::string path = fields.text("path");
        const std::string className = fields.text("class");
        const auto number = static_cast<std::size_t>(fields.integer("call"));
        if (!m_state)
            return {};
        const auto found = m_modules.find(path);
        if (found == m_modules.end()) {
            fail(where + ".path",
                 fmt::format("names \"{}\", which is no module of the graph", printable(path, 80)));
            return {};
        }
        const graph::Module& module = m_program.modules[found->second];
        const std::vector<graph::CallId>& calls = m_callsOf[found->second];
        if (module.className != className)
            fail(where + ".class",
                 fmt::format(R"(is "{}", but "{}" is of class {})", printable(className, 80),
                             printable(path, 80), printable(module.className, 80)));
        else if (number >= calls.size())
            fail(where + ".call", fmt::format("is {}, but \"{}\" is called {} times in a forward",
                                              number, printable(path, 80), calls.size()));
        return m_state ? calls[number] : graph::CallId{};
    }

    void checkInterval(const Region& region, Fields& fields)
    {
        const graph::Moment first = m_program.call(region.members.front()).first;
        const graph::Moment last = m_program.call(region.members.back()).last;
        const auto forwardEnd = static_cast<graph::Moment>(m_program.forwardCount());
        if (region.first != first)
            fields.fail("first",
                        fmt::format("is {}, but the members begin at op {}", region.first, first));
        else if (region.last != last)
            fields.fail("last",
                        fmt::format("is {}, but the members end at op {}", region.last, last));
        else if (last < first || last >= forwardEnd)
            fields.fail("members", "must run at least one op, and forward ops only");
    }

    void fail(const std::string& where, const std::string& what)
    {
        if (m_state)
            m_state = failure(ErrorKind::File, fmt::format("{} {}.", where, what));
    }

    const graph::Program& m_program;
    Result<void>& m_state;
    std::unordered_map<std::string, std::size_t> m_modules;
    std::vector<std::vector<graph::CallId>> m_callsOf;
};

Result<void> checkHeader(const json& root)
{
    Result<void> state;
    Fields fields{root, "", state};
    if (!state || fields.text("format") != detail::kPlanFormat || !state)
        return failure(ErrorKind::File,
                       R"(This is no plan file: its "format" is not "plimsoll-plan".)");
    const std::int64_t version = fields.integer("version");
    if (state && version > detail::kPlanVersion)
        return failure(ErrorKind::File,
                       fmt::format("The plan file has version {}, this program reads up to {}: "
                                   "take a newer Plimsoll.",
                                   version, detail::kPlanVersion));
    if (state && version < 1)
        fields.fail("version", "must be 1");
    if (state && fields.text("runtime") != detail::kCheckpointRuntime)
        fields.fail("runtime", "must be \"checkpoint\"");
    // Files of before it was written have no such key.
    if (state && root.contains("granularity")
        && fields.text("granularity") != detail::kModuleGranularity)
        fields.fail("granularity", "must be \"module\"");
    return state;
}

std::string otherGraph(const PlanFileInfo& info, const graph::Program& program)
{
    const bool sameSize =
        info.ops == program.ops.size() && info.forwardOps == program.forwardCount();
    return fmt::format(
        "The plan was made for another graph: for \"{}\" with {} ops ({} in forward), "
        "while this graph is \"{}\" with {} ({}){}; export the plan again from this "
        "graph, or give the graph it was made from.",
        printable(info.model, 60), info.ops, info.forwardOps, printable(program.header.model, 60),
        program.ops.size(), program.forwardCount(),
        sameSize ? ", of which some are other ops" : "");
}

void readGraph(Fields fields, const graph::Program& program, Result<void>& state,
               PlanFileInfo& info)
{
    info.model = fields.text("model");
    info.modelClass = fields.text("model_class");
    info.torch = fields.text("torch");
    info.batch = fields.text("batch");
    info.target = fields.text("target");
    info.ops = static_cast<std::size_t>(fields.integer("ops"));
    info.forwardOps = static_cast<std::size_t>(fields.integer("forward_ops"));
    info.fingerprint = fields.text("fingerprint");
    if (!state)
        return;
    if (info.ops != program.ops.size() || info.forwardOps != program.forwardCount()
        || info.fingerprint != fingerprint(program))
        state = failure(ErrorKind::File, otherGraph(info, program));
}

void readEvaluation(Fields fields, PlanFileInfo& info)
{
    info.peak = base::Bytes{fields.integer("peak_bytes")};
    info.peakOp = static_cast<graph::Moment>(fields.integer("peak_op", kMostOrdinal));
    info.basePeak = base::Bytes{fields.integer("base_peak_bytes")};
    info.stepTime = base::Nanoseconds{fields.integer("step_time_ns")};
    info.baseStepTime = base::Nanoseconds{fields.integer("base_step_time_ns")};
    info.recomputeTime = base::Nanoseconds{fields.integer("recompute_time_ns")};
}

void readOptions(Fields& fields, Result<void>& state, Plan& plan)
{
    const json& options = fields.at("options");
    if (!options.is_object())
        fields.fail("options", "must be an object of texts");
    if (!state)
        return;
    for (const auto& [name, value] : options.items()) {
        if (!value.is_string()) {
            fields.fail("options", "must be an object of texts");
            return;
        }
        plan.options.emplace_back(name, value.get<std::string>());
    }
}

/// Labels follow from the regions: a file in which they differ was edited by hand, or is damaged.
void checkLabels(const json& labels, const graph::Program& program, const Plan& plan,
                 Result<void>& state)
{
    const json expected = labelsJson(program, plan);
    if (labels.size() != expected.size()) {
        state = failure(ErrorKind::File,
                        fmt::format("labels has {} entries, but the regions make it {}.",
                                    labels.size(), expected.size()));
        return;
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == expected[i] && !labels[i].is_number_float())
            continue;
        state =
            failure(ErrorKind::File, fmt::format("labels[{}] is {}, but the regions make it {}.", i,
                                                 shown(labels[i]), shown(expected[i])));
        return;
    }
}

} // namespace

Result<PlanFile> readPlan(std::string_view text, const graph::Program& program)
{
    const Result<json> root = parseJson(text);
    if (!root)
        return tl::unexpected{root.error()};
    Result<void> state = checkHeader(*root);
    if (!state)
        return tl::unexpected{state.error()};

    PlanFile file;
    Fields fields{*root, "", state};
    readGraph(Fields{fields.at("graph"), "graph", state}, program, state, file.info);
    file.plan.planner = fields.text("planner");
    readOptions(fields, state, file.plan);
    file.info.device = fields.text("device");
    file.info.budget = base::Bytes{fields.integer("budget_bytes")};
    file.info.reserve = base::Bytes{fields.integer("reserve_bytes")};
    const std::int64_t rounding = fields.integer("rounding");
    if (state && rounding != 1 && rounding != graph::blockBytes(graph::Rounding::Cuda512))
        fields.fail("rounding", "must be 512 or 1");
    file.info.rounding = rounding == 1 ? graph::Rounding::Exact : graph::Rounding::Cuda512;
    readEvaluation(Fields{fields.at("evaluation"), "evaluation", state}, file.info);
    file.plan.regions = RegionReader{program, state}.regions(fields.array("regions"), "regions");
    const json& labels = fields.array("labels");
    if (state)
        checkLabels(labels, program, file.plan, state);
    if (!state)
        return tl::unexpected{state.error()};
    return file;
}

Result<Problem> problemOf(const PlanFile& file, graph::ProgramPtr program)
{
    return findDevice(file.info.device).map([&](Device device) {
        return Problem{.program = std::move(program),
                       .device = std::move(device),
                       .budget = file.info.budget,
                       .reserve = file.info.reserve,
                       .rounding = file.info.rounding};
    });
}

} // namespace plimsoll::plan
