// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/skyline_search.h"

namespace plimsoll::solve {

struct PortfolioAnswer
{
    SkylineVerdict verdict = SkylineVerdict::GaveUp;
    PackOffsets offsets; ///< of the group, in its order, when packed
};

/// Groups of more buffers are searched in two of the orders only, which hardly ever go back.
inline constexpr std::size_t kMostInAllOrders = 2000;

/// Searches one group with several orders, each with at most `nodes` nodes, on `threads` threads.
/// The answer is that of the first order in a fixed list that has one, whatever the threads do.
[[nodiscard]] PortfolioAnswer searchPortfolio(const PackBuffers& buffers,
                                              const std::vector<std::uint32_t>& group,
                                              std::int64_t height, std::size_t nodes, int threads,
                                              const std::stop_token& stop);

} // namespace plimsoll::solve
