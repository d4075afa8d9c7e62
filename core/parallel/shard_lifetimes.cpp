// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/shard_lifetimes.h"

#include "core/parallel/shard_units.h"

#include <algorithm>

namespace plimsoll::plan {

namespace {

using graph::OpIndex;

/// A collective's buffers and what is copied out of them.
bool isGathered(const graph::Storage& storage)
{
    return storage.storageClass == graph::StorageClass::Parameter && storage.alloc >= 0;
}

/// Behind the op before: recomputations that stand between them belong to the later one.
std::int32_t stepBehind(const Schedule& schedule, OpIndex op)
{
    return op == 0 ? 0 : schedule.ownStep(op - 1) + 1;
}

void live(Schedule& schedule, graph::StorageId storage, std::int32_t alloc, std::int32_t free)
{
    Instance& instance = schedule.instances[storage.index()];
    instance.alloc = free < alloc ? -1 : alloc;
    instance.free = free < alloc ? -1 : free;
}

std::int32_t regionAt(const Schedule& schedule, std::int32_t step)
{
    return schedule.steps[static_cast<std::size_t>(step)].region;
}

/// By op of forward: the unit in whose call it lies, of those that backward gathers; else how many
/// units there are.
std::vector<std::size_t> unitsOfOps(const Problem& problem)
{
    const std::vector<ShardUnit>& units = problem.parallel->units;
    std::vector<std::size_t> unitOfOp(problem.step()->forwardCount(), units.size());
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        if (units[unit].isRoot || units[unit].backward == graph::kNever)
            continue;
        for (const auto& [first, last] : units[unit].calls)
            std::fill(unitOfOp.begin() + first, unitOfOp.begin() + last + 1, unit);
    }
    return unitOfOp;
}

/// What a recomputation gathers: the collective's result stays while it is in that unit.
void keepResults(const Problem& problem, const std::vector<UnitSteps>& steps, Schedule& schedule)
{
    const std::vector<ShardUnit>& units = problem.parallel->units;
    const std::vector<std::size_t> unitOfOp = unitsOfOps(problem);
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        for (const std::int32_t step : {steps[unit].repeated, steps[unit].late}) {
            if (step == UnitSteps::kNoStep || !units[unit].prefetched)
                continue;
            auto last = static_cast<std::size_t>(step);
            const auto isInside = [&](const Step& row) {
                return row.region >= 0 && row.op.index() < unitOfOp.size()
                       && unitOfOp[row.op.index()] == unit;
            };
            while (last + 1 < schedule.steps.size() && isInside(schedule.steps[last + 1]))
                ++last;
            schedule.instances.push_back({*units[unit].prefetched, step,
                                          static_cast<std::int32_t>(last),
                                          regionAt(schedule, step)});
        }
}

} // namespace

std::vector<UnitSteps> unitSteps(const Problem& problem, const Schedule& schedule)
{
    const std::vector<ShardUnit>& units = problem.parallel->units;
    std::vector<UnitSteps> found(units.size());
    const std::vector<std::size_t> unitOfOp = unitsOfOps(problem);
    for (std::size_t step = schedule.steps.size(); step-- > 0;)
        if (const Step& row = schedule.steps[step];
            row.region >= 0 && row.op.index() < unitOfOp.size())
            if (const std::size_t unit = unitOfOp[row.op.index()]; unit < units.size()) {
                const auto at = static_cast<std::int32_t>(step);
                (at > schedule.ownStep(units[unit].reduce) ? found[unit].late
                                                           : found[unit].regathered) = at;
            }
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        if (units[unit].backward == graph::kNever)
            continue;
        UnitSteps& steps = found[unit];
        steps.backward = stepBehind(schedule, units[unit].backward);
        if (steps.regathered < steps.backward)
            steps.repeated = steps.regathered;
        steps.regathered = std::min(steps.regathered, steps.backward);
    }
    return found;
}

void placeShards(const Problem& problem, Schedule& schedule)
{
    const graph::Program& program = *problem.step();
    const std::vector<ShardUnit>& units = problem.parallel->units;
    std::erase_if(schedule.instances, [&](const Instance& instance) {
        return instance.region >= 0 && isGathered(program.storage(instance.storage));
    });
    // What a plan saves of an op, or lets wait for a region, is none of these.
    for (std::size_t index = 0; index < program.storages.size(); ++index)
        if (const graph::Storage& storage = program.storages[index]; isGathered(storage))
            live(schedule, graph::StorageId{index}, schedule.ownStep(storage.alloc),
                 schedule.ownStep(storage.free));
    const std::vector<UnitSteps> steps = unitSteps(problem, schedule);
    const std::vector<std::size_t> order = backwardOrder(units);
    const std::int32_t end =
        schedule.ownStep(static_cast<OpIndex>(program.countBeforeOptimizer()) - 1);
    for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t index = order[place];
        const ShardUnit& unit = units[index];
        if (unit.regathered)
            live(schedule, *unit.regathered, steps[index].regathered,
                 schedule.ownStep(unit.reduce));
        if (const std::int32_t late = steps[index].late;
            unit.regathered && late != UnitSteps::kNoStep)
            schedule.instances.push_back({*unit.regathered, late, end, regionAt(schedule, late)});
        if (unit.prefetched && place > 0)
            live(schedule, *unit.prefetched, steps[order[place - 1]].backward,
                 steps[index].regathered - 1);
        if (unit.reducing)
            live(schedule, *unit.reducing, stepBehind(schedule, unit.reduce + 1),
                 schedule.ownStep(program.storage(*unit.reducing).free));
    }
    keepResults(problem, steps, schedule);
}

} // namespace plimsoll::plan
