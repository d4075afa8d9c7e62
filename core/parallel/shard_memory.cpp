// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/reduced_gradients.h"
#include "core/parallel/shard_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace plimsoll::plan {

namespace {

using graph::OpIndex;
using graph::Program;
using graph::StorageClass;
using graph::StorageId;

class Sharding
{
public:
    Sharding(const Program& recorded, Program& program, Parallel& parallel)
        : m_program{program}
        , m_parallel{parallel}
        , m_sizes{recorded, parallel.setting.world}
        , m_backwardEnd{static_cast<OpIndex>(program.countBeforeOptimizer()) - 1}
    {
    }

    void run()
    {
        keepPart(m_program, m_parallel.gradients, [this](std::size_t gradient, base::Bytes bytes) {
            return m_sizes.part(m_parallel.gradients[gradient].parameter, bytes);
        });
        for (const ShardUnit& unit : m_parallel.units)
            for (const std::size_t parameter : unit.parameters)
                m_program.storages[m_program.parameters[parameter].storage.index()].bytes =
                    m_sizes.shard(parameter);
        gatherForForward();
        if (m_parallel.setting.zero >= 3)
            gatherForBackward();
        reduce();
        redirectGradients(m_program, m_homes);
    }

private:
    StorageId add(const ShardUnit& unit, const char* what, base::Bytes bytes, StorageClass kind,
                  OpIndex alloc, OpIndex free)
    {
        graph::Storage storage;
        storage.bytes = bytes;
        storage.storageClass = kind;
        storage.alloc = alloc;
        storage.free = storage.pythonFree = storage.lastUse = free;
        storage.names.push_back(
            fmt::format("{} of {}", what, unit.isRoot ? "the root" : unit.path));
        m_program.storages.push_back(std::move(storage));
        return StorageId{m_program.storages.size() - 1};
    }

    /// The collective's result is copied out into the parameters, and stays until the next unit's
    /// result is copied out or the model's call ends.
    void gatherForForward()
    {
        const std::vector<ForwardGather> gathers =
            forwardGathers(m_parallel.units, m_parallel.setting);
        const OpIndex end = modelEnd(m_program);
        for (std::size_t index = 0; index < gathers.size(); ++index) {
            const ForwardGather& gather = gathers[index];
            const ShardUnit& unit = m_parallel.units[gather.unit];
            const OpIndex next = index + 1 < gathers.size() ? gathers[index + 1].first : end + 1;
            if (next > gather.first)
                add(unit, "All-gather's result", unit.gathered, StorageClass::Parameter,
                    gather.first, next - 1);
            const OpIndex over = unit.reduce == graph::kNever ? m_backwardEnd : unit.reduce;
            add(unit, "Gathered parameters", unit.gathered, StorageClass::Parameter, gather.first,
                gather.last == graph::kNever ? over : gather.last);
        }
    }

    /// One unit is prefetched while the preceding one runs in backward.
    void gatherForBackward()
    {
        const std::vector<std::size_t> order = backwardOrder(m_parallel.units);
        for (std::size_t place = 0; place < order.size(); ++place) {
            ShardUnit& unit = m_parallel.units[order[place]];
            if (unit.isRoot)
                continue;
            // The first isn't prefetched, but a recomputation may still gather it.
            const OpIndex issued =
                place > 0 ? m_parallel.units[order[place - 1]].backward : unit.backward;
            const bool isAhead = issued < unit.backward;
            unit.prefetched = add(unit, "All-gather's result", unit.gathered,
                                  StorageClass::Parameter, isAhead ? issued : graph::kBeforeStep,
                                  isAhead ? unit.backward - 1 : graph::kBeforeStep);
            unit.regathered = add(unit, "Gathered parameters", unit.gathered,
                                  StorageClass::Parameter, unit.backward, unit.reduce);
        }
    }

    /// A unit's gradients live until all of them exist, then the collective's input until the next
    /// unit's exists; its output stays.
    void reduce()
    {
        const std::vector<std::size_t> order = reductionOrder(m_parallel.units);
        for (std::size_t place = 0; place < order.size(); ++place) {
            ShardUnit& unit = m_parallel.units[order[place]];
            if (unit.gradients.empty())
                continue;
            scatter(unit);
            const OpIndex next = place + 1 < order.size()
                                     ? m_parallel.units[order[place + 1]].reduce
                                     : m_backwardEnd;
            if (next > unit.reduce)
                unit.reducing = add(unit, "Reduce-scatter's input", unit.reduced,
                                    StorageClass::Gradient, unit.reduce + 1, next);
        }
    }

    void scatter(const ShardUnit& unit)
    {
        base::Bytes bytes;
        OpIndex free = unit.reduce;
        std::vector<StorageId> moved;
        for (const std::size_t index : unit.gradients) {
            const ReducedGradient& gradient = m_parallel.gradients[index];
            graph::Storage& storage = m_program.storages[gradient.storage.index()];
            const base::Bytes shard = m_sizes.shard(gradient.parameter);
            if (storage.alloc < 0) {
                storage.bytes = shard; // older than the step: always a shard
            } else if (static_cast<std::size_t>(storage.alloc) >= m_program.forwardCount()) {
                bytes += shard;
                free = std::max(free, storage.free);
                storage.free = storage.pythonFree = storage.lastUse = unit.reduce;
                moved.push_back(gradient.storage);
            }
        }
        if (moved.empty())
            return;
        const StorageId home =
            add(unit, "Shards of gradients", bytes, StorageClass::Gradient, unit.reduce, free);
        for (const StorageId gradient : moved)
            m_homes.emplace(gradient, home);
    }

    Program& m_program;
    Parallel& m_parallel;
    ShardSizes m_sizes; ///< of the recorded step
    OpIndex m_backwardEnd;
    std::map<StorageId, StorageId> m_homes; ///< of gradients, after their reduction
};

/// Whether it is a collective's buffer or copied out of one.
bool isGathered(const graph::Storage& storage)
{
    return storage.storageClass == graph::StorageClass::Parameter && storage.alloc >= 0;
}

/// The step after the preceding op: recomputations in between belong to the later op.
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

/// By op of forward: the unit whose call contains it, among those gathered in backward; else the
/// number of units.
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

/// Gathers for recomputations: the collective's result stays while they are in that unit.
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

void shardProgram(const Program& recorded, Program& program, Parallel& parallel)
{
    parallel.units = shardUnits(recorded, parallel.gradients, parallel.setting.world);
    Sharding{recorded, program, parallel}.run();
}

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
    // A plan's saved values and those waiting for a region are not gathered storages.
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
