// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/packing.h"

#include <atomic>
#include <stop_token>

namespace plimsoll::solve {

/// What is tried first at a place that several buffers fit.
enum class PackOrder : std::uint8_t {
    Area, ///< of those that begin with the valley, else of the others; so the next two
    Duration,
    Size,
    Begin,  ///< nearest to the valley's begin
    Fit,    ///< least time left before and behind it in the valley, then the largest
    Random, ///< by the seed; of those that begin with the valley, else of the others
    Priced, ///< most time filled, less that wasted beside it; time is dear where room is scarce
};
inline constexpr std::size_t kFixedPackOrders = 5; ///< all before Random

struct SkylineOptions
{
    PackOrder order = PackOrder::Area;
    bool lowestFirst = false;  ///< of valleys with equally few choices; else the newest one
    std::size_t mostNodes = 0; ///< then it gives up
    std::uint64_t seed = 0;    ///< of PackOrder::Random, and of Priced, which it varies a little
};

enum class SkylineVerdict : std::uint8_t {
    Packed,
    Impossible, ///< proven: no packing has that height
    GaveUp,     ///< too many nodes, or stopped
};

struct SkylineAnswer
{
    SkylineVerdict verdict = SkylineVerdict::GaveUp;
    PackOffsets offsets; ///< of the group, in its order, when packed
};

/// Searches a packing of at most some height for the buffers of one independent group. `dropped`
/// stops it as well as the token.
[[nodiscard]] SkylineAnswer searchSkyline(const PackBuffers& buffers,
                                          const std::vector<std::uint32_t>& group,
                                          const SkylineOptions& options, std::int64_t height,
                                          const std::stop_token& stop,
                                          const std::atomic<bool>& dropped);

/// Of the stack that the search of so many buffers may need.
[[nodiscard]] std::size_t skylineStackBytes(std::size_t buffers);

} // namespace plimsoll::solve
