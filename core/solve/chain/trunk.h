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
};

/// Neighbouring elements that are checkpointed as one.
struct TrunkBucket
{
    std::string name; ///< of the boundary that ends it, or "activation_split_<n>"
    std::size_t first = 0;
    std::size_t end = 0; ///< exclusive

    bool operator==(const TrunkBucket&) const = default;
};

/// Where a feature is asked for: a bucket ends there, under that name.
struct TrunkBoundary
{
    std::string name;
    std::size_t end = 0; ///< elements up to there, rising from boundary to boundary
};

/// Divides the elements up to the last boundary into at least `splits` buckets: again and again the
/// longest bucket that can be cut is halved, the left part being "activation_split_<n>" for the
/// n-th cut (checkpointing.md 11.1). The cut moves to the nearest element that may be split before,
/// a later one first; fewer buckets come out where no cut is left. Elements behind the last
/// boundary are in none.
[[nodiscard]] std::vector<TrunkBucket> splitTrunk(const std::vector<TrunkElement>& elements,
                                                  const std::vector<TrunkBoundary>& boundaries,
                                                  std::size_t splits);

/// The layers of a model's trunk, in the order in which they run.
struct TrunkLayers
{
    std::vector<TrunkElement> elements; ///< names are paths of modules
    std::vector<OpRun> ops;             ///< by element
};

/// Children of the model as forward calls them, those without ops left out. A child with more than
/// half of the forward ops of all is taken apart into its own children, as often as there is one;
/// then each stage, a child that is nothing but a row of at least two others, is. An element that
/// overwrites what existed before it (op by op, not by its name; running statistics don't count)
/// may not begin a bucket.
[[nodiscard]] TrunkLayers trunkLayers(const graph::Program& program);

/// Boundaries from names of modules, separated by commas, in any order: each where the last of the
/// module's layers ends. A module is the path of a layer ("layer3.1") or of what layers are in
/// ("layer3"). No name at all: the end of the trunk; without
/// layers none. `modules`: paths of all modules that the model
/// has. Usage error for a name that no layer goes by, naming the nearest ones, and for a boundary
/// between a layer and one that overwrites what it returns: nobody would find it there. Behind the
/// last boundary nothing is checkpointed, so anything may follow.
[[nodiscard]] base::Result<std::vector<TrunkBoundary>>
trunkBoundaries(const std::string& text, const std::vector<TrunkElement>& elements,
                const std::vector<std::string>& modules);

/// The planner "trunk": splitTrunk() over trunkLayers() at every number of buckets, all but the
/// last one checkpointed, each evaluated on the full graph.
[[nodiscard]] std::unique_ptr<const Planner> makeTrunkPlanner();

} // namespace plimsoll::solve
