// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::solve {

/// A place where a chain may be cut.
struct CutCandidate
{
    std::int64_t crossing = 0; ///< bytes of what crosses it
    std::int64_t saved = 0;    ///< bytes that the ops up to the next candidate save for backward
    bool isFixed = false;      ///< stays whatever it costs
};

/// Which candidates stay when at most `limit` may (fixed ones count and always do): ordinals,
/// ascending. A cut is worth the bytes that it tells apart, those of the smaller stage beside it,
/// less what crosses it beyond what crosses the cheaper of its neighbours.
[[nodiscard]] std::vector<std::size_t> thinned(const std::vector<CutCandidate>& candidates,
                                               std::size_t limit);

/// The same, but of the candidates behind every limit-th part of all saved bytes stays the one that
/// fewest bytes cross: many alike, as of a layer that runs over hundreds of time steps, are not
/// worth less than each other.
[[nodiscard]] std::vector<std::size_t> spread(const std::vector<CutCandidate>& candidates,
                                              std::size_t limit);

} // namespace plimsoll::solve
