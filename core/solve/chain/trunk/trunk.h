// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

} // namespace plimsoll::solve
