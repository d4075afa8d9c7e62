// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/gradient_buckets.h"
#include "core/parallel/shard_units.h"
#include "core/parallel/state_shards.h"

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
                  OpIndex alloc, OpIndex free);
    void gatherForForward();
    void gatherForBackward();
    void reduce();
    void scatter(const ShardUnit& unit);

    Program& m_program;
    Parallel& m_parallel;
    ShardSizes m_sizes; ///< of the recorded step
    OpIndex m_backwardEnd;
    std::map<StorageId, StorageId> m_homes; ///< of gradients, behind their reduction
};

StorageId Sharding::add(const ShardUnit& unit, const char* what, base::Bytes bytes,
                        StorageClass kind, OpIndex alloc, OpIndex free)
{
    graph::Storage storage;
    storage.bytes = bytes;
    storage.storageClass = kind;
    storage.alloc = alloc;
    storage.free = storage.pythonFree = storage.lastUse = free;
    storage.names.push_back(fmt::format("{} of {}", what, unit.isRoot ? "the root" : unit.path));
    m_program.storages.push_back(std::move(storage));
    return StorageId{m_program.storages.size() - 1};
}

/// What the collective fills is copied out into the parameters, and stays until the next unit's is
/// or the model's call is over.
void Sharding::gatherForForward()
{
    const std::vector<ForwardGather> gathers = forwardGathers(m_parallel.units, m_parallel.setting);
    const OpIndex end = modelEnd(m_program);
    for (std::size_t index = 0; index < gathers.size(); ++index) {
        const ForwardGather& gather = gathers[index];
        const ShardUnit& unit = m_parallel.units[gather.unit];
        const OpIndex next = index + 1 < gathers.size() ? gathers[index + 1].first : end + 1;
        if (next > gather.first)
            add(unit, "All-gather's result", unit.gathered, StorageClass::Parameter, gather.first,
                next - 1);
        const OpIndex over = unit.reduce == graph::kNever ? m_backwardEnd : unit.reduce;
        add(unit, "Gathered parameters", unit.gathered, StorageClass::Parameter, gather.first,
            gather.last == graph::kNever ? over : gather.last);
    }
}

/// One unit is fetched ahead: while the one before it in backward runs.
void Sharding::gatherForBackward()
{
    const std::vector<std::size_t> order = backwardOrder(m_parallel.units);
    for (std::size_t place = 0; place < order.size(); ++place) {
        ShardUnit& unit = m_parallel.units[order[place]];
        if (unit.isRoot)
            continue;
        // Nothing is fetched ahead for the first; a recomputation may gather it all the same.
        const OpIndex issued =
            place > 0 ? m_parallel.units[order[place - 1]].backward : unit.backward;
        const bool isAhead = issued < unit.backward;
        unit.prefetched = add(unit, "All-gather's result", unit.gathered, StorageClass::Parameter,
                              isAhead ? issued : graph::kBeforeStep,
                              isAhead ? unit.backward - 1 : graph::kBeforeStep);
        unit.regathered = add(unit, "Gathered parameters", unit.gathered, StorageClass::Parameter,
                              unit.backward, unit.reduce);
    }
}

/// Gradients are there until all of the unit's are, then what goes into the collective, until the
/// next unit's does; what comes out of it stays.
void Sharding::reduce()
{
    const std::vector<std::size_t> order = reductionOrder(m_parallel.units);
    for (std::size_t place = 0; place < order.size(); ++place) {
        ShardUnit& unit = m_parallel.units[order[place]];
        if (unit.gradients.empty())
            continue;
        scatter(unit);
        const OpIndex next =
            place + 1 < order.size() ? m_parallel.units[order[place + 1]].reduce : m_backwardEnd;
        if (next > unit.reduce)
            unit.reducing = add(unit, "Reduce-scatter's input", unit.reduced,
                                StorageClass::Gradient, unit.reduce + 1, next);
    }
}

void Sharding::scatter(const ShardUnit& unit)
{
    base::Bytes bytes;
    OpIndex free = unit.reduce;
    std::vector<StorageId> moved;
    for (const std::size_t index : unit.gradients) {
        const ReducedGradient& gradient = m_parallel.gradients[index];
        graph::Storage& storage = m_program.storages[gradient.storage.index()];
        const base::Bytes shard = m_sizes.shard(gradient.parameter);
        if (storage.alloc < 0) {
            storage.bytes = shard; // older than the step: it is a shard all the while
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

} // namespace

void shardProgram(const Program& recorded, Program& program, Parallel& parallel)
{
    parallel.units = shardUnits(recorded, parallel.gradients, parallel.setting.world);
    Sharding{recorded, program, parallel}.run();
}

} // namespace plimsoll::plan
