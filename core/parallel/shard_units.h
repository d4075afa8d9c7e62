// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/schedule.h"

#include <cstdint>
#include <vector>

namespace plimsoll::plan {

/// What a rank holds of parameters that fully_shard() splits along their first dimension, padded to
/// the same number of rows on all ranks. Numbers are those of the first rank, which has no padding
/// of its own.
class ShardSizes
{
public:
    ShardSizes(const graph::Program& recorded, std::int64_t world);

    /// Index into Program::parameters.
    [[nodiscard]] base::Bytes shard(std::size_t parameter) const;
    /// The whole parameter and its padding.
    [[nodiscard]] base::Bytes padded(std::size_t parameter) const
    {
        return base::Bytes{shard(parameter).count() * m_world};
    }
    /// Of something made for the parameter, element by element; anything else is whole.
    [[nodiscard]] base::Bytes part(std::size_t parameter, base::Bytes bytes) const;

private:
    const graph::Program& m_program;
    std::int64_t m_world;
    std::vector<std::int64_t> m_rows;     ///< by parameter: length of its first dimension
    std::vector<std::int64_t> m_elements; ///< by parameter
};

/// The units of a recorded step under fully_shard(): one for each repeated block
/// (repeatedBlocks()), and the root for all other parameters (UNITS in PARALLEL.md). Their storages
/// are not known yet.
[[nodiscard]] std::vector<ShardUnit> shardUnits(const graph::Program& recorded,
                                                const std::vector<ReducedGradient>& gradients,
                                                std::int64_t world);

/// Units that have a backward, in the order in which it begins.
[[nodiscard]] std::vector<std::size_t> backwardOrder(const std::vector<ShardUnit>& units);

/// The same units in the order in which their gradients are reduced.
[[nodiscard]] std::vector<std::size_t> reductionOrder(const std::vector<ShardUnit>& units);

/// An all-gather in forward: a unit, and the ops that then use its parameters.
struct ForwardGather
{
    std::size_t unit = 0;
    graph::OpIndex first = 0;
    graph::OpIndex last = 0; ///< kNever: until the unit's backward is over
};

/// In the order of forward. ZeRO-3 gathers a unit for each of its calls and frees it afterwards;
/// the root, and all units of ZeRO-2, stay until their backward is over.
[[nodiscard]] std::vector<ForwardGather> forwardGathers(const std::vector<ShardUnit>& units,
                                                        const DataParallel& setting);

/// The last op of the model's calls; the last op of forward if it isn't called.
[[nodiscard]] graph::OpIndex modelEnd(const graph::Program& program);

/// Of each unit of fully_shard(), by step of a schedule; kNoStep if it doesn't happen.
struct UnitSteps
{
    static constexpr std::int32_t kNoStep = INT32_MAX;
    std::int32_t backward = kNoStep;   ///< its backward begins, with its recomputations
    std::int32_t regathered = kNoStep; ///< its parameters must be available from then on
    std::int32_t repeated = kNoStep;   ///< a recomputation needs it, before its backward
    std::int32_t late = kNoStep; ///< … or after it: then it stays until all of backward is over
};

/// When a plan's step needs the units of ZeRO-3 once more; the same indices as Parallel::units.
[[nodiscard]] std::vector<UnitSteps> unitSteps(const Problem& problem, const Schedule& schedule);

/// Gives gathered parameters and reduced gradients the lifetimes of the plan's step. A
/// recomputation doesn't gather what backward will need anyway; it makes that all-gather earlier.
void placeShards(const Problem& problem, Schedule& schedule);

/// Whether fully_shard() supports the parameters; Usage error, one sentence.
[[nodiscard]] base::Result<void> canShard(const graph::Program& recorded);

/// Turns `program`, a copy of the recorded step, into that of one rank under fully_shard():
/// parameters, optimizer and remaining gradients are its shard; units are gathered and reduced as
/// in the step without a plan (MEMORY OF SHARDS in PARALLEL.md). Finds `parallel.units` and fills
/// in their storages.
void shardProgram(const graph::Program& recorded, graph::Program& program, Parallel& parallel);

} // namespace plimsoll::plan
