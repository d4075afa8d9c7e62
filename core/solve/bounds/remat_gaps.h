// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/bounds/remat_problem.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace plimsoll::solve {

/// Ops between two consecutive uses of a value in the given order. Until that order reaches the
/// gap's end, the value was either there during all of them, or its maker ran again within the gap,
/// and after it all that had overwritten the value by then.
struct RematGap
{
    std::uint32_t first = 0;
    std::uint32_t last = 0; ///< included
    std::uint32_t value = 0;
    std::int64_t size = 0;
    double cost = 0; ///< of those repetitions
    std::size_t needsFrom = 0;
    std::size_t needsTo = 0; ///< of RematGaps::needs

    [[nodiscard]] double density() const { return cost / static_cast<double>(size); }
};

/// The time after a value's last use in the given order. Where a repetition behind an op p reads
/// it, it was either there from that use to p, or its maker ran again since.
struct RematTail
{
    std::uint32_t first = 0; ///< the op behind the last use
    std::int64_t size = 0;
    double cost = 0; ///< of its maker's repetition; infinity where there is none
    std::size_t needsFrom = 0;
    std::size_t needsTo = 0;
};

/// What the lower bounds of a problem are made of. An op that writes several values spreads its
/// time over their bytes, so that all costs of a plan may be added up: the gaps and the tail of one
/// value are apart in time.
struct RematGaps
{
    std::vector<std::int64_t> fixed;   ///< by op: floor, working set, gaps that can't be dropped
    std::vector<RematGap> gaps;        ///< that can, of values with bytes, by their first op
    std::vector<RematTail> tails;      ///< that some repetition needs
    std::vector<std::uint32_t> needs;  ///< values that the repetitions of a gap or a tail read
    std::vector<std::uint32_t> tailOf; ///< by value: index, or kNoTail
    /// Indices of the gaps of values that are written once, by value and then as they follow.
    std::vector<std::uint32_t> gapsOf;
    std::vector<std::size_t> gapsFrom; ///< by value, one behind the last included: in `gapsOf`

    static constexpr std::uint32_t kNoTail = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] std::span<const std::uint32_t> needsOf(const auto& gapOrTail) const
    {
        return std::span{needs}.subspan(gapOrTail.needsFrom,
                                        gapOrTail.needsTo - gapOrTail.needsFrom);
    }
};

/// Takes a problem that simulate() accepts.
[[nodiscard]] RematGaps gapsOf(const RematProblem& problem);

} // namespace plimsoll::solve
