// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/plan_rows.h"

#include "core/plan/region_names.h"
#include "ui/models/plan_names.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace plimsoll::ui {

namespace {

int regionsIn(const std::vector<plan::Region>& regions)
{
    int count = static_cast<int>(regions.size());
    for (const plan::Region& region : regions)
        count += regionsIn(region.nested);
    return count;
}

PlanEnd endAt(const graph::Program& program, graph::OpId op)
{
    const std::optional<graph::ModuleId>& module = program.op(op).module;
    return {module ? static_cast<std::int32_t>(module->index()) : -1,
            static_cast<std::int32_t>(op.index())};
}

PlanEnd endAt(const graph::Program& program, graph::CallId call)
{
    return {static_cast<std::int32_t>(program.call(call).module.index()), -1};
}

/// Takes memory or time: buffers that are updated again take no memory.
bool isListed(const plan::Recomputed& value)
{
    return value.bytes.count() > 0 || value.time.count() > 0;
}

/// The region of an op among disjoint ones in order; none: the op is in no region.
std::optional<std::size_t> regionOf(const std::vector<plan::Region>& regions, graph::OpId id)
{
    const auto op = static_cast<graph::OpIndex>(id.index());
    const auto after = std::ranges::upper_bound(regions, op, {}, &plan::Region::first);
    if (after == regions.begin() || op > std::prev(after)->last)
        return std::nullopt;
    return static_cast<std::size_t>(after - regions.begin() - 1);
}

std::vector<PlanRow> regionRows(const plan::VerifiedPlan& verified)
{
    const graph::Program& program = *verified.problem().step();
    const plan::Evaluation& evaluation = verified.evaluation();
    const std::vector<plan::Region>& regions = verified.plan().regions();
    std::vector<PlanRow> rows(regions.size());
    for (const plan::Recomputed& value : evaluation.recomputed) {
        const std::optional<std::size_t> at = regionOf(regions, value.op);
        if (!at)
            continue;
        PlanRow& row = rows[*at];
        row.hasValues = row.hasValues || isListed(value);
        row.figures.tensors += value.bytes.count() > 0 ? 1 : 0;
        row.figures.saved += value.spared;
        row.figures.cost += value.time;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const plan::Region& region = regions[i];
        PlanRow& row = rows[i];
        row.stretch = {region.first, region.last};
        row.firstStep = evaluation.schedule->ownStep(region.first);
        row.isRegion = true;
        const bool isOfOps = region.members.empty();
        row.first = isOfOps ? endAt(program, graph::opAt(region.first))
                            : endAt(program, region.members.front());
        row.last = isOfOps ? endAt(program, graph::opAt(region.last))
                           : endAt(program, region.members.back());
        row.figures.nested = regionsIn(region.nested);
        row.figures.kept = static_cast<int>(keptBy(region).size());
        row.source = plan::sourceOf(program, region);
    }
    return rows;
}

/// Each row costs its own recomputations. A value made by several rows is saved once, in the last.
std::vector<PlanRow> stepRows(const plan::VerifiedPlan& verified)
{
    const graph::Program& program = *verified.problem().step();
    const plan::Evaluation& evaluation = verified.evaluation();
    const std::vector<plan::RecomputeStep>& recomputed = verified.plan().recomputeSteps();
    const std::vector<int> moved = movedByRow(verified.plan());
    std::vector<PlanRow> rows(recomputed.size());
    const auto rowAt = [&rows](std::int32_t region) -> PlanRow& {
        return rows[static_cast<std::size_t>(region)];
    };
    for (const plan::Recomputed& value : evaluation.recomputed)
        rowAt(value.region).figures.saved += value.spared;
    for (const plan::Instance& made : evaluation.schedule->instances)
        if (made.region >= 0 && program.storage(made.storage).bytes.count() > 0)
            ++rowAt(made.region).figures.tensors;
    const std::vector<plan::Step>& steps = evaluation.schedule->steps;
    for (std::size_t at = 0; at < steps.size(); ++at)
        if (steps[at].region >= 0)
            rowAt(steps[at].region).figures.cost +=
                evaluation.timeline->timeAt(at + 1) - evaluation.timeline->timeAt(at);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::vector<graph::OpId>& ops = recomputed[i].ops;
        PlanRow& row = rows[i];
        row.stretch = {static_cast<graph::OpIndex>(ops.front().index()), recomputed[i].before};
        row.firstStep = evaluation.schedule->stepOfOp[ops.front().index()];
        row.first = endAt(program, ops.front());
        row.last = endAt(program, ops.back());
        row.figures.moved = moved[i];
        row.isRepeated = static_cast<std::size_t>(moved[i]) < ops.size();
        row.source = program.op(ops.front()).source;
        row.hasValues = true;
    }
    return rows;
}

std::vector<PlanValue> regionValues(const plan::Evaluation& evaluation, const PlanRow& row)
{
    const auto [first, last] = row.stretch;
    std::vector<PlanValue> values;
    const auto begin = std::ranges::lower_bound(evaluation.recomputed, graph::opAt(first), {},
                                                &plan::Recomputed::op);
    for (auto value = begin; value != evaluation.recomputed.end() && value->op <= graph::opAt(last);
         ++value)
        if (isListed(*value))
            values.push_back({value->op, value->storage, value->bytes, value->spared, value->time});
    return values;
}

/// The step at which a row runs an op: a moved one runs only there.
std::size_t stepOf(const plan::Schedule& schedule, std::int32_t row, graph::OpId op, bool& isMoved)
{
    const auto again = std::ranges::find_if(schedule.steps, [&](const plan::Step& step) {
        return step.op == op && step.region == row;
    });
    isMoved = again == schedule.steps.end();
    return isMoved ? static_cast<std::size_t>(schedule.stepOfOp[op.index()])
                   : static_cast<std::size_t>(again - schedule.steps.begin());
}

/// One for each result of an op, the first of which has its time; one for an op without any.
std::vector<PlanValue> stepValues(const plan::VerifiedPlan& verified, std::size_t index)
{
    const plan::Problem& problem = verified.problem();
    const plan::Evaluation& evaluation = verified.evaluation();
    const auto row = static_cast<std::int32_t>(index);
    std::multimap<std::int32_t, graph::StorageId> made; // by step
    for (const plan::Instance& instance : evaluation.schedule->instances)
        if (instance.region == row && problem.step()->storage(instance.storage).bytes.count() > 0)
            made.emplace(instance.alloc, instance.storage);
    std::map<graph::StorageId, base::Bytes> saved;
    for (const plan::Recomputed& value : evaluation.recomputed)
        if (value.region == row)
            saved[value.storage] += value.spared;
    std::vector<PlanValue> values;
    for (const graph::OpId op : verified.plan().recomputeSteps()[index].ops) {
        PlanValue value{.op = op};
        const std::size_t at = stepOf(*evaluation.schedule, row, op, value.isMoved);
        if (!value.isMoved)
            value.cost = evaluation.timeline->timeAt(at + 1) - evaluation.timeline->timeAt(at);
        const auto [first, last] = made.equal_range(static_cast<std::int32_t>(at));
        if (first == last)
            values.push_back(value);
        for (auto result = first; result != last; ++result) {
            value.storage = result->second;
            value.bytes =
                graph::rounded(problem.step()->storage(result->second).bytes, problem.rounding);
            value.saved = saved[result->second];
            values.push_back(value);
            value.cost = {};
        }
    }
    return values;
}

} // namespace

PlanFigures& PlanFigures::operator+=(const PlanFigures& other)
{
    saved += other.saved;
    cost += other.cost;
    tensors += other.tensors;
    nested += other.nested;
    kept += other.kept;
    moved += other.moved;
    return *this;
}

std::vector<PlanRow> planRows(const plan::VerifiedPlan& verified)
{
    return verified.plan().isCompiledStep() ? stepRows(verified) : regionRows(verified);
}

bool isAbout(const graph::Program& program, const PlanRow& row, graph::ModuleId module)
{
    const auto isInside = [&](const PlanEnd& end) {
        std::optional<graph::ModuleId> at;
        if (end.module >= 0)
            at = graph::ModuleId{static_cast<std::size_t>(end.module)};
        while (at && *at != module)
            at = program.module(*at).parent;
        return at.has_value();
    };
    if (isInside(row.first) || isInside(row.last))
        return true;
    // Of a region, the module may be in the middle.
    const auto [first, last] = row.stretch;
    return row.isRegion && std::ranges::any_of(program.calls, [&](const graph::Call& call) {
               return call.module == module && call.first <= last && call.last >= first;
           });
}

std::vector<PlanValue> planValues(const plan::VerifiedPlan& verified,
                                  const std::vector<PlanRow>& rows, std::size_t row)
{
    return verified.plan().isCompiledStep() ? stepValues(verified, row)
                                            : regionValues(verified.evaluation(), rows[row]);
}

} // namespace plimsoll::ui
