// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"

#include <vector>

namespace plimsoll::plan {

/// The units of a recorded step under fully_shard(): one for each repeated block
/// (repeatedBlocks()), and the root for all other parameters (UNITS in PARALLEL.md). No storages
/// are told yet.
[[nodiscard]] std::vector<ShardUnit> shardUnits(const graph::Program& recorded,
                                                const std::vector<ReducedGradient>& gradients,
                                                std::int64_t world);

/// Units that have a backward, in the order in which it begins.
[[nodiscard]] std::vector<std::size_t> backwardOrder(const std::vector<ShardUnit>& units);

/// A gathering in forward: a unit, and the ops that then find its parameters.
struct ForwardGather
{
    std::size_t unit = 0;
    graph::OpIndex first = 0;
    graph::OpIndex last = 0; ///< kNever: until the unit's backward is over
};

/// In the order of forward. ZeRO-3 gathers a unit for each of its calls and lets it go behind it;
/// the root, and all units of ZeRO-2, stay until their backward is over.
[[nodiscard]] std::vector<ForwardGather> forwardGathers(const std::vector<ShardUnit>& units,
                                                        const DataParallel& setting);

/// The last op of the model's calls; of forward where nobody calls it.
[[nodiscard]] graph::OpIndex modelEnd(const graph::Program& program);

/// Whether fully_shard() takes the parameters; Usage error, one sentence.
[[nodiscard]] base::Result<void> canShard(const graph::Program& recorded);

} // namespace plimsoll::plan
