// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/trunk/trunk.h"

#include <algorithm>
#include <optional>
#include <string>

namespace plimsoll::solve {

namespace {

/// First element of the right half.
std::optional<std::size_t> cutOf(const std::vector<TrunkElement>& elements,
                                 const TrunkBucket& bucket)
{
    const std::size_t length = bucket.end - bucket.first;
    const std::size_t middle = bucket.first + length / 2;
    for (std::size_t away = 0; away < length; ++away) {
        if (middle + away < bucket.end && middle + away > bucket.first
            && elements[middle + away].maySplitBefore)
            return middle + away;
        if (middle > bucket.first + away && elements[middle - away].maySplitBefore)
            return middle - away;
    }
    return std::nullopt;
}

} // namespace

std::vector<TrunkBucket> splitTrunk(const std::vector<TrunkElement>& elements,
                                    const std::vector<TrunkBoundary>& boundaries,
                                    std::size_t splits)
{
    std::vector<TrunkBucket> buckets;
    for (const TrunkBoundary& boundary : boundaries)
        buckets.push_back({boundary.name, buckets.empty() ? 0 : buckets.back().end, boundary.end});
    for (std::size_t count = 0; buckets.size() < splits; ++count) {
        std::optional<std::size_t> cut;
        std::size_t place = 0;
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            const std::size_t length = buckets[i].end - buckets[i].first;
            if (cut && length <= buckets[place].end - buckets[place].first)
                continue;
            if (const std::optional<std::size_t> here = cutOf(elements, buckets[i])) {
                cut = here;
                place = i;
            }
        }
        if (!cut)
            break;
        const TrunkBucket left{"activation_split_" + std::to_string(count), buckets[place].first,
                               *cut};
        buckets[place].first = *cut;
        buckets.insert(buckets.begin() + static_cast<std::ptrdiff_t>(place), left);
    }
    return buckets;
}

} // namespace plimsoll::solve
