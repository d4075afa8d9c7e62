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

/// One layer of a trunk, or a block that stays whole.
struct TrunkElement
{
    std::string name;
    bool maySplitBefore = true; ///< false: it overwrites its input, so no checkpoint begins with it
    OpRun ops = {};
};

/// Neighbouring elements that are checkpointed as one.
struct TrunkBucket
{
    std::string name; ///< of the boundary that ends it, where a feature is asked for, or
                      ///< "activation_split_<n>"
    std::size_t first = 0;
    std::size_t end = 0; ///< exclusive

    bool operator==(const TrunkBucket&) const = default;
};

/// Divides buckets into at least `splits`: again and again the longest bucket that can be cut is
/// halved, the left part being "activation_split_<n>" for the n-th cut (checkpointing.md 11.1). The
/// cut moves to the nearest element that may be split before, a later one first; fewer buckets come
/// out where no cut is left.
[[nodiscard]] std::vector<TrunkBucket> splitTrunk(const std::vector<TrunkElement>& elements,
                                                  std::vector<TrunkBucket> buckets,
                                                  std::size_t splits);

/// The layers of a model's trunk, in the order in which they run; names are paths of modules:
/// children of the model as forward calls them, those without ops left out. A child with more than
/// half of the forward ops of all is taken apart into its own children, as often as there is one;
/// then each stage, a child that is nothing but a row of at least two others, is. An element that
/// overwrites what existed before it (op by op, not by its name; running statistics don't count)
/// may not begin a bucket.
[[nodiscard]] std::vector<TrunkElement> trunkLayers(const graph::Program& program);

/// The buckets that end at boundaries: names of modules, separated by commas, in any order, each
/// where the last of the module's layers ends. A module is the path of a layer ("layer3.1") or of
/// what layers are in ("layer3"). No name at all: the end of the trunk; without layers none.
/// `modules`: paths of all modules that the model has. Usage error for a name that no layer goes
/// by, naming the nearest ones, and for a boundary between a layer and one that overwrites what it
/// returns: nobody would find it there. What is behind the last boundary is in no bucket, so that
/// anything may follow.
[[nodiscard]] base::Result<std::vector<TrunkBucket>>
trunkBuckets(const std::string& text, const std::vector<TrunkElement>& elements,
             const std::vector<std::string>& modules);

/// The planner "trunk": splitTrunk() over trunkLayers() at every number of buckets, all but the
/// last one checkpointed, each evaluated on the full graph.
[[nodiscard]] std::unique_ptr<const Planner> makeTrunkPlanner();

} // namespace plimsoll::solve
