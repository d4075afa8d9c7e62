// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace plimsoll::solve {

/// Memory that is needed during [lower, upper), in any unit of time; sizes in any unit of memory.
struct PackBuffer
{
    std::int64_t lower = 0;
    std::int64_t upper = 0; ///< more than lower
    std::int64_t size = 0;  ///< at least 0; a buffer of size 0 takes no room

    bool operator==(const PackBuffer&) const = default;
};

using PackBuffers = std::vector<PackBuffer>;
/// The offset of each buffer, at least 0, in the order of the buffers.
using PackOffsets = std::vector<std::int64_t>;

/// Usage error, with the index of the first bad buffer, if lower >= upper, a size is negative, or
/// the sum of sizes reaches base::kHuge.
[[nodiscard]] base::Result<void> validate(const PackBuffers& buffers);

/// Allocated and, negative, freed sizes, in order of time; at the same time frees come first.
[[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>>
liveChanges(const PackBuffers& buffers);

/// The largest sum of sizes that are needed at one time: no packing is lower. O(n log n).
[[nodiscard]] std::int64_t largestLiveSum(const PackBuffers& buffers);

/// The end of the highest buffer.
[[nodiscard]] std::int64_t heightOf(const PackBuffers& buffers, const PackOffsets& offsets);

} // namespace plimsoll::solve
