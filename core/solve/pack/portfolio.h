// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/skyline_search.h"

namespace plimsoll::solve {

/// Groups of more buffers are searched in one order only, varied a few times, which hardly ever
/// goes back.
inline constexpr std::size_t kMostInAllOrders = 2000;

struct PortfolioQuestion
{
    std::int64_t height = 0;
    std::size_t nodes = 0;    ///< of each search, at most
    std::uint64_t series = 0; ///< of the variations of a large group: each has others
    int threads = 1;
};

/// Searches one group with several orders. The answer is that of the first order in a fixed list
/// that has one, whatever the threads do.
[[nodiscard]] SkylineAnswer searchPortfolio(const PackBuffers& buffers,
                                            const std::vector<std::uint32_t>& group,
                                            const PortfolioQuestion& question,
                                            const std::stop_token& stop);

} // namespace plimsoll::solve
