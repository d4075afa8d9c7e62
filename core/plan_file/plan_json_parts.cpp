// SPDX-License-Identifier: Apache-2.0
#include "core/plan_file/plan_json_parts.h"

#include "core/base/format.h"
#include "core/plan/schedule.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
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

    [[nodiscard]] std::vector<Region> regions(const Field& rows) const
    {
        std::vector<Region> regions;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            regions.push_back(region(rows[i]));
            if (i > 0 && regions[i].label <= regions[i - 1].label)
                rows[i].fail("label", "must be greater than that of the region before it");
            if (i > 0 && regions[i].first <= regions[i - 1].last)
                rows[i].fail("first", "must lie after the region before it");
        }
        return regions;
    }

private:
    [[nodiscard]] Region region(const Field& row) const
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

    void readMembers(const Field& row, Region& region) const
    {
        if (m_granularity == Granularity::Op) {
            if (row.has("members"))
                row.fail("members", "must not appear in a plan of granularity \"op\"");
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

    static void readSaved(const Field& ops, Region& region)
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
            else if (!region.save.empty()
                     && region.save.back().index() >= static_cast<std::size_t>(op))
                field.fail("must be greater than the op before it");
            region.save.emplace_back(static_cast<std::size_t>(op));
        }
    }

    [[nodiscard]] graph::CallId member(const Field& row) const
    {
        Member named;
        memberFields(row, named);
        const auto& [path, className, number] = named;
        const auto found = m_modules.find(path);
        if (found == m_modules.end()) {
            row.fail("path", fmt::format("names \"{}\", which is not a module of the graph",
                                         printable(path, 80)));
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

    void checkMembers(const Region& region, const Field& row) const
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

    void checkOps(const Region& region, const Field& row) const
    {
        const auto forwardEnd = static_cast<graph::OpIndex>(m_program.forwardCount());
        if (region.last < region.first)
            row.fail("last", fmt::format("is {}, which lies before the region's first op {}",
                                         region.last, region.first));
        else if (region.last >= forwardEnd)
            row.fail("last", fmt::format("is {}, but forward and loss end at op {}", region.last,
                                         forwardEnd - 1));
    }

    const graph::Program& m_program;
    Granularity m_granularity;
    std::unordered_map<std::string, std::size_t> m_modules;
    std::vector<std::vector<graph::CallId>> m_callsOf;
};

/// Sets entry `level` of the label of every op in the region, and deeper ones for nested regions.
void labelOps(ordered_json& labels, const Region& region, std::size_t level)
{
    for (graph::OpIndex op = region.first; op <= region.last; ++op)
        labels[static_cast<std::size_t>(op)][level] = region.label;
    for (const Region& nested : region.nested)
        labelOps(labels, nested, level + 1);
}

/// Labels follow from the regions, so a file with other labels was edited by hand or is damaged.
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

bool savesSomething(const std::vector<Region>& regions)
{
    return std::ranges::any_of(regions, [](const Region& region) {
        return !region.save.empty() || savesSomething(region.nested);
    });
}

/// An op of forward, loss or backward.
graph::OpIndex readOp(const Field& field, const graph::Program& program)
{
    const std::int64_t op = field.integer(detail::kMostOrdinal);
    if (const std::size_t count = program.countBeforeOptimizer();
        static_cast<std::size_t>(op) >= count)
        field.fail(fmt::format("is op {}, but forward, loss and backward have {}", op,
                               base::counted(count, "op")));
    return static_cast<graph::OpIndex>(op);
}

RecomputeStep readRow(const Field& row, const graph::Program& program)
{
    if (row.size() != 2 || row[1].size() == 0) {
        row.fail("must be [op, [ops recomputed before it]]");
        return {};
    }
    RecomputeStep again;
    again.before = readOp(row[0], program);
    const Field ops = row[1];
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const graph::OpIndex op = readOp(ops[i], program);
        if (op == again.before)
            ops[i].fail(fmt::format("is op {}, which hasn't run before op {}", op, again.before));
        else if (!again.ops.empty() && again.ops.back().index() >= static_cast<std::size_t>(op))
            ops[i].fail("must be greater than the op before it");
        again.ops.emplace_back(static_cast<std::size_t>(op));
    }
    return again;
}

void readSchedule(const Field& rows, const graph::Program& program,
                  std::vector<RecomputeStep>& steps)
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        steps.push_back(readRow(rows[i], program));
        if (rows.isGood() && i > 0 && steps[i].before <= steps[i - 1].before)
            rows[i][0].fail("must be greater than that of the row before it");
    }
}

/// The ops that the file was made for, one by one.
void checkSequence(const Field& sequence, const graph::Program& program)
{
    std::vector<std::string> names;
    sequence.list("targets", names);
    const Field ops = sequence.array("ops");
    if (const std::size_t count = program.countBeforeOptimizer();
        ops.isGood() && ops.size() != count)
        ops.fail(fmt::format("has {}, but the graph's forward, loss and backward have {}",
                             base::counted(ops.size(), "entry", "entries"),
                             base::counted(count, "op")));
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const Field number = ops[i];
        const auto target = static_cast<std::size_t>(number.integer());
        if (target >= names.size())
            number.fail(fmt::format("is {}, but there are {}", target,
                                    base::counted(names.size(), "target")));
        else if (const graph::Op& op = program.ops[i]; names[target] != program.targetOf(op))
            number.fail(fmt::format("is {}, but op {} of the graph is {}",
                                    base::printable(names[target], 80), i,
                                    base::printable(program.label(op), 120)));
    }
}

} // namespace

bool speaksOfOps(const Plan& plan)
{
    return plan.isCompiledStep() || plan.granularity() == Granularity::Op
           || savesSomething(plan.regions());
}

const char* expressedAs(const Plan& plan)
{
    if (plan.isCompiledStep())
        return "step";
    return savesSomething(plan.regions()) ? "saved_sets" : "regions";
}

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

void readOps(const Field& root, const graph::Program& program, Plan& plan)
{
    if (plan.isCompiledStep())
        readSchedule(root.at("schedule").array("again"), program, plan.asSchedule().recomputeSteps);
    else if (root.has("schedule"))
        root.fail("schedule", "belongs to plans for runtime \"step\" only");
    if (speaksOfOps(plan))
        checkSequence(root.at("sequence"), program);
    else if (root.has("sequence"))
        root.fail("sequence", "must not appear in a plan that names no ops");
}

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

ordered_json scheduleJson(const Plan& plan)
{
    ordered_json rows = ordered_json::array();
    for (const RecomputeStep& again : plan.recomputeSteps()) {
        ordered_json ops = ordered_json::array();
        for (const graph::OpId op : again.ops)
            ops.push_back(op.index());
        rows.push_back({again.before, std::move(ops)});
    }
    return {{"again", std::move(rows)}};
}

ordered_json sequenceJson(const graph::Program& program)
{
    std::map<std::string, std::size_t> numbers;
    ordered_json targets = ordered_json::array();
    ordered_json ops = ordered_json::array();
    const std::size_t count = program.countBeforeOptimizer();
    for (std::size_t i = 0; i < count; ++i) {
        const std::string& target = program.targetOf(program.ops[i]);
        const auto [entry, isNew] = numbers.try_emplace(target, numbers.size());
        if (isNew)
            targets.push_back(target);
        ops.push_back(entry->second);
    }
    return {{"targets", std::move(targets)}, {"ops", std::move(ops)}};
}

} // namespace plimsoll::plan
