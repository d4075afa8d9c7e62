// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::plan {

/// One execution of an op. A region's recomputation executes its forward ops once more; at runtime
/// Step a row of `again` may execute any op once more.
struct Step
{
    graph::OpId op;
    std::int32_t region = -1; ///< index in flatten() order of the region whose recomputation runs
                              ///< it, at runtime Step index of the row of Plan::recomputeSteps; -1:
                              ///< the op itself
};

/// One live interval of a storage: the recorded one, or that of a recomputed value.
struct Instance
{
    graph::StorageId storage;
    std::int32_t alloc = -1; ///< step that allocates it, -1: before the first
    std::int32_t free =
        INT32_MAX;            ///< last step during which it is live, INT32_MAX: outlives the last
    std::int32_t region = -1; ///< as in Step
};

/// A region of the plan in the order in which lower() numbers them: parents before children, in
/// order of `first`.
struct FlatRegion
{
    const Region* region = nullptr; ///< points into the plan given to lower()
    std::int32_t parent = -1;
};

/// A lowered plan: every execution in order, and every live interval of every storage. Plans of all
/// planners are lowered the same way.
struct Schedule
{
    std::vector<Step> steps;
    std::vector<Instance> instances;    ///< recorded ones first, as in Program::storages
    std::vector<std::int32_t> stepOfOp; ///< where each op of the program runs (its own execution)
    /// Distinct storages that autograd itself saves in forward and loss, parameters included, not
    /// rounded; none at runtime Step, where it saves nothing.
    std::optional<base::Bytes> saved;

    /// The step of an op's own execution.
    [[nodiscard]] std::int32_t ownStep(graph::OpIndex op) const
    {
        return stepOfOp[static_cast<std::size_t>(op)];
    }
    /// Where an op runs: its first recomputation, if requested and present, else its own execution.
    [[nodiscard]] std::size_t stepOf(graph::OpId op, bool recomputed) const;
    /// By op: whether it runs, for the first time or once more, in the steps begin..end - 1.
    [[nodiscard]] std::vector<bool> opsIn(std::size_t begin, std::size_t end) const;
    /// Phase of a step: for a recomputation that of the op for which it runs, for one at the end
    /// backward.
    [[nodiscard]] graph::Phase phaseAt(const graph::Program& program, std::size_t step) const;
};

/// Regions with their nested ones, parents first.
[[nodiscard]] std::vector<FlatRegion> flatten(const std::vector<Region>& regions);

/// Depth of nesting, counting the outermost region.
[[nodiscard]] std::size_t depthOf(const Region& region);

} // namespace plimsoll::plan
