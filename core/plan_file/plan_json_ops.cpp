// SPDX-License-Identifier: Apache-2.0
#include "core/plan_file/plan_json_ops.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace plimsoll::plan {

namespace {

using base::Result;
using detail::fail;
using detail::Fields;
using nlohmann::json;
using nlohmann::ordered_json;

bool savesSomething(const std::vector<Region>& regions)
{
    return std::ranges::any_of(regions, [](const Region& region) {
        return !region.save.empty() || savesSomething(region.nested);
    });
}

/// An op of forward, loss or backward.
graph::OpIndex readOp(const json& value, const std::string& where, const graph::Program& program,
                      Result<void>& state)
{
    const auto op = detail::integer(value, where, state, detail::kMostOrdinal);
    if (const std::size_t count = program.countBeforeOptimizer();
        state && static_cast<std::size_t>(op) >= count)
        fail(state, where,
             fmt::format("is op {}, but forward, loss and backward have {}", op,
                         base::counted(count, "op")));
    return static_cast<graph::OpIndex>(op);
}

RecomputeStep readRow(const json& row, const std::string& where, const graph::Program& program,
                      Result<void>& state)
{
    if (!row.is_array() || row.size() != 2 || !row[1].is_array() || row[1].empty()) {
        fail(state, where, "must be [op, [ops that run again before it]]");
        return {};
    }
    RecomputeStep again;
    again.before = readOp(row[0], where + "[0]", program, state);
    for (std::size_t i = 0; i < row[1].size() && state; ++i) {
        const std::string here = fmt::format("{}[1][{}]", where, i);
        const graph::OpIndex op = readOp(row[1][i], here, program, state);
        if (op == again.before)
            fail(state, here,
                 fmt::format("is op {}, which hasn't run before op {}", op, again.before));
        else if (!again.ops.empty() && again.ops.back().index() >= static_cast<std::size_t>(op))
            fail(state, here, "must be greater than the op before it");
        again.ops.emplace_back(static_cast<std::size_t>(op));
    }
    return again;
}

void readSchedule(Fields fields, const graph::Program& program, Result<void>& state,
                  std::vector<RecomputeStep>& steps)
{
    const json& rows = fields.array("again");
    for (std::size_t i = 0; i < rows.size() && state; ++i) {
        const std::string here = fmt::format("{}[{}]", fields.path("again"), i);
        steps.push_back(readRow(rows[i], here, program, state));
        if (i > 0 && steps[i].before <= steps[i - 1].before)
            fail(state, here + "[0]", "must be greater than that of the row before it");
    }
}

/// The ops that the file was made for, one by one.
void checkSequence(Fields fields, const graph::Program& program, Result<void>& state)
{
    const json& targets = fields.array("targets");
    const json& ops = fields.array("ops");
    for (std::size_t i = 0; i < targets.size(); ++i)
        if (!targets[i].is_string())
            fail(state, fmt::format("{}[{}]", fields.path("targets"), i), "must be a text");
    if (const std::size_t count = program.countBeforeOptimizer(); state && ops.size() != count)
        fields.fail("ops", fmt::format("has {}, but the graph's forward, loss and backward have {}",
                                       base::counted(ops.size(), "entry", "entries"),
                                       base::counted(count, "op")));
    for (std::size_t i = 0; i < ops.size() && state; ++i) {
        const std::string here = fmt::format("{}[{}]", fields.path("ops"), i);
        const auto index = static_cast<std::size_t>(detail::integer(ops[i], here, state));
        if (state && index >= targets.size())
            fail(state, here,
                 fmt::format("is {}, but there are {}", index,
                             base::counted(targets.size(), "target")));
        if (!state)
            return;
        const auto target = targets[index].get<std::string>();
        if (const graph::Op& op = program.ops[i]; target != program.targetOf(op))
            fail(state, here,
                 fmt::format("is {}, but op {} of the graph is {}", base::printable(target, 80), i,
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

void readOps(Fields& fields, const graph::Program& program, Result<void>& state, Plan& plan)
{
    if (plan.isCompiledStep()) {
        readSchedule(Fields{fields.at("schedule"), "schedule", state}, program, state,
                     plan.asSchedule().recomputeSteps);
    } else if (fields.has("schedule")) {
        fields.fail("schedule", "belongs to plans for runtime \"step\" only");
    }
    if (speaksOfOps(plan))
        checkSequence(Fields{fields.at("sequence"), "sequence", state}, program, state);
    else if (fields.has("sequence"))
        fields.fail("sequence", "must not stand in a plan that names no ops");
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
