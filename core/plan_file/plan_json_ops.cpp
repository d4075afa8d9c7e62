// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/plan_file/plan_json_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace plimsoll::plan {

namespace {

using detail::Field;
using nlohmann::ordered_json;

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
        row.fail("must be [op, [ops that run again before it]]");
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
        if (i > 0 && steps[i].before <= steps[i - 1].before)
            rows[i][0].fail("must be greater than that of the row before it");
    }
}

/// The ops that the file was made for, one by one.
void checkSequence(const Field& sequence, const graph::Program& program)
{
    const Field targets = sequence.array("targets");
    const Field ops = sequence.array("ops");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < targets.size(); ++i)
        names.push_back(targets[i].text());
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

namespace detail {

void readOps(const Field& root, const graph::Program& program, Plan& plan)
{
    if (plan.isCompiledStep())
        readSchedule(root.at("schedule").array("again"), program, plan.asSchedule().recomputeSteps);
    else if (root.has("schedule"))
        root.fail("schedule", "belongs to plans for runtime \"step\" only");
    if (speaksOfOps(plan))
        checkSequence(root.at("sequence"), program);
    else if (root.has("sequence"))
        root.fail("sequence", "must not stand in a plan that names no ops");
}

} // namespace detail

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
