// SPDX-License-Identifier: Apache-2.0
#include "core/plan_file/plan_json_regions.h"

#include "core/base/format.h"
#include "core/plan/schedule.h"
#include "core/plan_file/plan_json_fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace plimsoll::plan {

namespace {

using base::printable;
using base::Result;
using detail::Fields;
using detail::FieldWriter;
using nlohmann::json;
using nlohmann::ordered_json;

template <typename Io, typename AnyRegion>
void placeFields(Io& io, AnyRegion& region)
{
    io.whole("label", region.label, detail::kMostOrdinal);
    io.whole("first", region.first, detail::kMostOrdinal);
    io.whole("last", region.last, detail::kMostOrdinal);
}

/// A call of a module, as a file names it.
struct Member
{
    std::string path;
    std::string className;
    std::size_t call = 0;
};

template <typename Io>
void memberFields(Io& io, Member& member)
{
    io.text("path", member.path);
    io.text("class", member.className);
    io.whole("call", member.call);
}

/// For every call, how many calls of the same module come before it.
std::vector<std::size_t> callNumbers(const graph::Program& program)
{
    std::vector<std::size_t> ofModule(program.modules.size(), 0);
    std::vector<std::size_t> numbers;
    numbers.reserve(program.calls.size());
    for (const graph::Call& call : program.calls)
        numbers.push_back(ofModule[call.module.index()]++);
    return numbers;
}

ordered_json regionJson(const graph::Program& program, const std::vector<std::size_t>& callNumbers,
                        Granularity granularity, const Region& region)
{
    FieldWriter writer;
    placeFields(writer, region);
    ordered_json& row = writer.json;
    if (granularity == Granularity::Module) {
        ordered_json members = ordered_json::array();
        for (const graph::CallId id : region.members) {
            const graph::Module& module = program.module(program.call(id).module);
            Member member{module.path, module.className, callNumbers[id.index()]};
            FieldWriter fields;
            memberFields(fields, member);
            members.push_back(std::move(fields.json));
        }
        row["members"] = std::move(members);
    }
    if (!region.save.empty())
        for (const graph::OpId op : region.save)
            row["save"].push_back(op.index());
    row["nested"] = ordered_json::array();
    for (const Region& child : region.nested)
        row["nested"].push_back(regionJson(program, callNumbers, granularity, child));
    return std::move(row);
}

/// Turns region objects into regions of a program.
class RegionReader
{
public:
    RegionReader(const graph::Program& program, Granularity granularity, Result<void>& state)
        : m_program{program}
        , m_granularity{granularity}
        , m_state{state}
        , m_callsOf(program.modules.size())
    {
        for (std::size_t i = 0; i < program.modules.size(); ++i)
            m_modules.try_emplace(program.modules[i].path, i);
        for (std::size_t i = 0; i < program.calls.size(); ++i)
            m_callsOf[program.calls[i].module.index()].emplace_back(i);
    }

    [[nodiscard]] std::vector<Region> regions(const json& rows, const std::string& where);

private:
    Region region(const json& row, const std::string& where);
    void readMembers(Fields& fields, const std::string& where, Region& region);
    void readSaved(Fields& fields, Region& region);
    graph::CallId member(const json& row, const std::string& where);
    void checkMembers(const Region& region, Fields& fields);
    void checkOps(const Region& region, Fields& fields);
    void fail(const std::string& where, const std::string& what)
    {
        detail::fail(m_state, where, what);
    }

    const graph::Program& m_program;
    Granularity m_granularity;
    Result<void>& m_state;
    std::unordered_map<std::string, std::size_t> m_modules;
    std::vector<std::vector<graph::CallId>> m_callsOf;
};

std::vector<Region> RegionReader::regions(const json& rows, const std::string& where)
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

Region RegionReader::region(const json& row, const std::string& where)
{
    Fields fields{row, where, m_state};
    Region region;
    placeFields(fields, region);
    readMembers(fields, where, region);
    region.nested = regions(fields.array("nested"), fields.path("nested"));
    for (std::size_t i = 0; i < region.nested.size() && m_state; ++i)
        if (region.nested[i].first < region.first || region.nested[i].last > region.last)
            fail(fmt::format("{}.nested[{}]", where, i), "lies outside of its region");
    if (fields.has("save"))
        readSaved(fields, region);
    return region;
}

void RegionReader::readMembers(Fields& fields, const std::string& where, Region& region)
{
    if (m_granularity == Granularity::Op) {
        if (fields.has("members"))
            fields.fail("members", "must not stand in a plan of granularity \"op\"");
        if (m_state)
            checkOps(region, fields);
        return;
    }
    const json& members = fields.array("members");
    if (m_state && members.empty())
        fields.fail("members", "must name at least one module call");
    for (std::size_t i = 0; i < members.size() && m_state; ++i)
        region.members.push_back(member(members[i], fmt::format("{}.members[{}]", where, i)));
    if (m_state)
        checkMembers(region, fields);
}

void RegionReader::readSaved(Fields& fields, Region& region)
{
    const json& ops = fields.array("save");
    for (std::size_t i = 0; i < ops.size() && m_state; ++i) {
        const std::string here = fmt::format("{}[{}]", fields.path("save"), i);
        const auto op = static_cast<graph::OpIndex>(
            detail::integer(ops[i], here, m_state, detail::kMostOrdinal));
        if (!m_state)
            return;
        const bool isNested = std::ranges::any_of(region.nested, [op](const Region& nested) {
            return op >= nested.first && op <= nested.last;
        });
        if (op < region.first || op > region.last)
            fail(here, fmt::format("is op {}, which lies outside of its region", op));
        else if (isNested)
            fail(here, fmt::format("is op {}, which lies in a nested region", op));
        else if (!region.save.empty() && region.save.back().index() >= static_cast<std::size_t>(op))
            fail(here, "must be greater than the op before it");
        region.save.emplace_back(static_cast<std::size_t>(op));
    }
}

graph::CallId RegionReader::member(const json& row, const std::string& where)
{
    Fields fields{row, where, m_state};
    Member named;
    memberFields(fields, named);
    const auto& [path, className, number] = named;
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
        fail(where + ".call",
             fmt::format("is {}, but \"{}\" is called {} in a forward", number, printable(path, 80),
                         base::counted(calls.size(), "time")));
    return m_state ? calls[number] : graph::CallId{};
}

void RegionReader::checkMembers(const Region& region, Fields& fields)
{
    const graph::OpIndex first = m_program.call(region.members.front()).first;
    const graph::OpIndex last = m_program.call(region.members.back()).last;
    const auto forwardEnd = static_cast<graph::OpIndex>(m_program.forwardCount());
    if (region.first != first)
        fields.fail("first",
                    fmt::format("is {}, but the members begin at op {}", region.first, first));
    else if (region.last != last)
        fields.fail("last", fmt::format("is {}, but the members end at op {}", region.last, last));
    else if (last < first || last >= forwardEnd)
        fields.fail("members", "must run at least one op, and forward ops only");
}

void RegionReader::checkOps(const Region& region, Fields& fields)
{
    const auto forwardEnd = static_cast<graph::OpIndex>(m_program.forwardCount());
    if (region.last < region.first)
        fields.fail("last", fmt::format("is {}, which lies before the region's first op {}",
                                        region.last, region.first));
    else if (region.last >= forwardEnd)
        fields.fail("last", fmt::format("is {}, but forward and loss end at op {}", region.last,
                                        forwardEnd - 1));
}

/// Entry `level` of the label of every op in the region, and below.
void labelOps(ordered_json& labels, const Region& region, std::size_t level)
{
    for (graph::OpIndex op = region.first; op <= region.last; ++op)
        labels[static_cast<std::size_t>(op)][level] = region.label;
    for (const Region& nested : region.nested)
        labelOps(labels, nested, level + 1);
}

/// Labels follow from the regions: a file in which they differ was edited by hand, or is damaged.
void checkLabels(const json& labels, const graph::Program& program, const Plan& plan,
                 Result<void>& state)
{
    const json expected = labelsJson(program, plan);
    if (labels.size() != expected.size()) {
        state = base::failure(base::ErrorKind::File,
                              fmt::format("labels has {}, but the regions make it {}.",
                                          base::counted(labels.size(), "entry", "entries"),
                                          expected.size()));
        return;
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == expected[i] && !labels[i].is_number_float())
            continue;
        state = base::failure(base::ErrorKind::File,
                              fmt::format("labels[{}] is {}, but the regions make it {}.", i,
                                          detail::shown(labels[i]), detail::shown(expected[i])));
        return;
    }
}

} // namespace

namespace detail {

void readRegions(Fields& fields, const graph::Program& program, Result<void>& state, Plan& plan)
{
    const json& rows = fields.array("regions");
    if (plan.isCompiledStep()) {
        if (!rows.empty())
            fields.fail("regions", "must be empty in a plan for runtime \"step\"");
    } else {
        plan.asRegions().regions =
            RegionReader{program, plan.granularity(), state}.regions(rows, "regions");
    }
    const json& labels = fields.array("labels");
    if (state)
        checkLabels(labels, program, plan, state);
}

} // namespace detail

ordered_json regionsJson(const graph::Program& program, const Plan& plan)
{
    const std::vector<std::size_t> numbers = callNumbers(program);
    ordered_json regions = ordered_json::array();
    for (const Region& region : plan.regions())
        regions.push_back(regionJson(program, numbers, plan.granularity(), region));
    return regions;
}

ordered_json labelsJson(const graph::Program& program, const Plan& plan)
{
    ordered_json labels = ordered_json::array();
    if (plan.regions().empty())
        return labels;
    labels.get_ref<ordered_json::array_t&>().resize(program.forwardCount());
    const bool flat = std::ranges::all_of(
        plan.regions(), [](const Region& region) { return region.nested.empty(); });
    for (const Region& region : plan.regions()) {
        const ordered_json blank =
            flat ? ordered_json(region.label)
                 : ordered_json(ordered_json::array_t(depthOf(region), ordered_json{}));
        for (graph::OpIndex op = region.first; op <= region.last; ++op)
            labels[static_cast<std::size_t>(op)] = blank;
        if (!flat)
            labelOps(labels, region, 0);
    }
    return labels;
}

} // namespace plimsoll::plan
