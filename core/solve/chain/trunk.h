// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/program.h"
#include "core/solve/api/planner.h"
#include "core/solve/regions/run_plans.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::solve {

/// A layer of a trunk, or a block that stays whole.
struct TrunkElement
{
    std::string name;
    bool maySplitBefore = true; ///< false: it overwrites its input, so no checkpoint begins with it
    OpRun ops = {};
};

/// Consecutive elements that are checkpointed together.
struct TrunkBucket
{
    std::string name; ///< of the boundary that ends it, if a feature is requested there, or
                      ///< "activation_split_<n>"
    std::size_t first = 0;
    std::size_t end = 0; ///< exclusive

    bool operator==(const TrunkBucket&) const = default;
};

/// Divides buckets until there are at least `splits`: repeatedly halves the longest bucket that can
/// be cut, the left part being "activation_split_<n>" for the n-th cut (checkpointing.md 11.1). The
/// cut moves to the nearest element before which a split is allowed, a later one first; returns
/// fewer buckets if no cut is left.
[[nodiscard]] std::vector<TrunkBucket> splitTrunk(const std::vector<TrunkElement>& elements,
                                                  std::vector<TrunkBucket> buckets,
                                                  std::size_t splits);

/// The layers of a model's trunk, in the order in which they run; names are paths of modules: the
/// children of the model in the order of forward, without those that run no ops. A child with more
/// than half of all forward ops is replaced by its own children, repeatedly; then each stage, a
/// child that consists of a row of at least two others, is. An element that overwrites what existed
/// before it (op by op, not by its name; running statistics don't count) may not begin a bucket.
[[nodiscard]] std::vector<TrunkElement> trunkLayers(const graph::Program& program);

/// The buckets that end at boundaries: names of modules, separated by commas, in any order, each at
/// the last of the module's layers. A name is the path of a layer ("layer3.1") or of a module with
/// layers ("layer3"). Without names: the end of the trunk; none if there are no layers. `modules`:
/// paths of all modules of the model. Usage error for a name that matches no layer, with the
/// nearest ones, and for a boundary between a layer and one that overwrites what it returns, as the
/// result would be lost. What follows the last boundary is in no bucket.
[[nodiscard]] base::Result<std::vector<TrunkBucket>>
trunkBuckets(const std::string& text, const std::vector<TrunkElement>& elements,
             const std::vector<std::string>& modules);

/// The planner "trunk": splitTrunk() of trunkLayers() for every number of buckets, all but the last
/// one checkpointed, each evaluated on the full graph.
[[nodiscard]] std::unique_ptr<const Planner> makeTrunkPlanner();

} // namespace plimsoll::solve
