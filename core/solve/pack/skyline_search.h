// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/packing.h"

#include <atomic>
#include <stop_token>

namespace plimsoll::solve {

/// What is tried first at a place where several buffers fit.
enum class PackOrder : std::uint8_t {
    Area, ///< of those that begin with the valley, otherwise of the others; likewise the next two
    Duration,
    Size,
    Begin,  ///< nearest to the valley's begin
    Fit,    ///< least time left before and after it in the valley, then the largest
    Random, ///< by the seed; of those that begin with the valley, otherwise of the others
    Priced, ///< most time filled, less the time wasted beside it; time is expensive where room is
            ///< scarce
};
inline constexpr std::size_t kFixedPackOrders = 5; ///< all before Random

struct SkylineOptions
{
    PackOrder order = PackOrder::Area;
    bool lowestFirst = false;  ///< among valleys with equally few choices; else the newest one
    std::size_t mostNodes = 0; ///< nodes after which it gives up
    std::uint64_t seed = 0;    ///< of PackOrder::Random, and of Priced, which it varies slightly
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

/// Searches a packing up to a given height for the buffers of one independent group. `dropped`
/// stops it as well as the token.
[[nodiscard]] SkylineAnswer searchSkyline(const PackBuffers& buffers,
                                          const std::vector<std::uint32_t>& group,
                                          const SkylineOptions& options, std::int64_t height,
                                          const std::stop_token& stop,
                                          const std::atomic<bool>& dropped);

/// The stack size that the search of so many buffers may need.
[[nodiscard]] std::size_t skylineStackBytes(std::size_t buffers);

} // namespace plimsoll::solve
