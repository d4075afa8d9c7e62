// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/plan/schedule.h"
#include "core/plan_file/plan_json_parts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace plimsoll::plan {

namespace {

using base::printable;
using detail::Field;
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
    RegionReader(const graph::Program& program, Granularity granularity)
        : m_program{program}, m_granularity{granularity}, m_callsOf(program.modules.size())
    {
        for (std::size_t i = 0; i < program.modules.size(); ++i)
            m_modules.try_emplace(program.modules[i].path, i);
        for (std::size_t i = 0; i < program.calls.size(); ++i)
            m_callsOf[program.calls[i].module.index()].emplace_back(i);
    }

    [[nodiscard]] std::vector<Region> regions(const Field& rows) const;

private:
    [[nodiscard]] Region region(const Field& row) const;
    void readMembers(const Field& row, Region& region) const;
    static void readSaved(const Field& ops, Region& region);
    [[nodiscard]] graph::CallId member(const Field& row) const;
    void checkMembers(const Region& region, const Field& row) const;
    void checkOps(const Region& region, const Field& row) const;

    const graph::Program& m_program;
    Granularity m_granularity;
    std::unordered_map<std::string, std::size_t> m_modules;
    std::vector<std::vector<graph::CallId>> m_callsOf;
};

std::vector<Region> RegionReader::regions(const Field& rows) const
{
    std::vector<Region> regions;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        regions.push_back(region(rows[i]));
        if (i > 0 && regions[i].label <= regions[i - 1].label)
            rows[i].fail("label", "must be greater than that of the region before it");
        if (i > 0 && regions[i].first <= regions[i - 1].last)
            rows[i].fail("first", "must lie behind the region before it");
    }
    return regions;
}

Region RegionReader::region(const Field& row) const
{
    Region region;
    placeFields(row, region);
    readMembers(row, region);
    const Field nested = row.array("nested");
    region.nested = regions(nested);
    for (std::size_t i = 0; i < nested.size(); ++i)
        if (region.nested[i].first < region.first || region.nested[i].last > region.last)
            nested[i].fail("lies outside of its region");
    if (row.has("save"))
        readSaved(row.array("save"), region);
    return region;
}

void RegionReader::readMembers(const Field& row, Region& region) const
{
    if (m_granularity == Granularity::Op) {
        if (row.has("members"))
            row.fail("members", "must not stand in a plan of granularity \"op\"");
        checkOps(region, row);
        return;
    }
    const Field members = row.array("members");
    if (members.size() == 0)
        members.fail("must name at least one module call");
    for (std::size_t i = 0; i < members.size(); ++i)
        region.members.push_back(member(members[i]));
    if (row.isGood())
        checkMembers(region, row);
}

void RegionReader::readSaved(const Field& ops, Region& region)
{
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const Field field = ops[i];
        const auto op = static_cast<graph::OpIndex>(field.integer(detail::kMostOrdinal));
        const bool isNested = std::ranges::any_of(region.nested, [op](const Region& nested) {
            return op >= nested.first && op <= nested.last;
        });
        if (op < region.first || op > region.last)
            field.fail(fmt::format("is op {}, which lies outside of its region", op));
        else if (isNested)
            field.fail(fmt::format("is op {}, which lies in a nested region", op));
        else if (!region.save.empty() && region.save.back().index() >= static_cast<std::size_t>(op))
            field.fail("must be greater than the op before it");
        region.save.emplace_back(static_cast<std::size_t>(op));
    }
}

graph::CallId RegionReader::member(const Field& row) const
{
    Member named;
    memberFields(row, named);
    const auto& [path, className, number] = named;
    const auto found = m_modules.find(path);
    if (found == m_modules.end()) {
        row.fail("path",
                 fmt::format("names \"{}\", which is no module of the graph", printable(path, 80)));
        return {};
    }
    const graph::Module& module = m_program.modules[found->second];
    const std::vector<graph::CallId>& calls = m_callsOf[found->second];
    if (module.className != className)
        row.fail("class",
                 fmt::format(R"(is "{}", but "{}" is of class {})", printable(className, 80),
                             printable(path, 80), printable(module.className, 80)));
    else if (number >= calls.size())
        row.fail("call", fmt::format("is {}, but \"{}\" is called {} in a forward", number,
                                     printable(path, 80), base::counted(calls.size(), "time")));
    return row.isGood() ? calls[number] : graph::CallId{};
}

void RegionReader::checkMembers(const Region& region, const Field& row) const
{
    const graph::OpIndex first = m_program.call(region.members.front()).first;
    const graph::OpIndex last = m_program.call(region.members.back()).last;
    const auto forwardEnd = static_cast<graph::OpIndex>(m_program.forwardCount());
    if (region.first != first)
        row.fail("first",
                 fmt::format("is {}, but the members begin at op {}", region.first, first));
    else if (region.last != last)
        row.fail("last", fmt::format("is {}, but the members end at op {}", region.last, last));
    else if (last < first || last >= forwardEnd)
        row.fail("members", "must run at least one op, and forward ops only");
}

void RegionReader::checkOps(const Region& region, const Field& row) const
{
    const auto forwardEnd = static_cast<graph::OpIndex>(m_program.forwardCount());
    if (region.last < region.first)
        row.fail("last", fmt::format("is {}, which lies before the region's first op {}",
                                     region.last, region.first));
    else if (region.last >= forwardEnd)
        row.fail("last", fmt::format("is {}, but forward and loss end at op {}", region.last,
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
void checkLabels(const Field& labels, const graph::Program& program, const Plan& plan)
{
    const json expected = labelsJson(program, plan);
    if (labels.size() != expected.size())
        labels.fail(fmt::format("has {}, but the regions make it {}",
                                base::counted(labels.size(), "entry", "entries"), expected.size()));
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (const json& label = labels.value()[i]; label != expected[i] || label.is_number_float())
            labels[i].fail(fmt::format("is {}, but the regions make it {}", detail::shown(label),
                                       detail::shown(expected[i])));
}

} // namespace

namespace detail {

void readRegions(const Field& root, const graph::Program& program, Plan& plan)
{
    const Field rows = root.array("regions");
    if (!plan.isCompiledStep())
        plan.asRegions().regions = RegionReader{program, plan.granularity()}.regions(rows);
    else if (rows.size() > 0)
        rows.fail("must be empty in a plan for runtime \"step\"");
    const Field labels = root.array("labels");
    if (root.isGood())
        checkLabels(labels, program, plan);
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
