// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/skyline_search.h"

namespace plimsoll::solve {

/// Larger groups are searched in one order only, with a few variations and hardly any backtracking.
inline constexpr std::size_t kMostInAllOrders = 2000;

struct PortfolioQuestion
{
    std::int64_t height = 0;
    std::size_t nodes = 0;    ///< at most, for each search
    std::uint64_t series = 0; ///< of the variations of a large group: each has its own
    int threads = 1;
};

/// Searches one group with several orders. The answer is that of the first order in a fixed list
/// that has one, independent of the threads.
[[nodiscard]] SkylineAnswer searchPortfolio(const PackBuffers& buffers,
                                            const std::vector<std::uint32_t>& group,
                                            const PortfolioQuestion& question,
                                            const std::stop_token& stop);

} // namespace plimsoll::solve
