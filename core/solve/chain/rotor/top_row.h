// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/solve/chain/rotor/rotor_scale.h"
#include "core/solve/chain/rotor/sequence.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace plimsoll::solve {

/// Sums of the same times in another order differ by less; times this near are equal.
inline constexpr double kEqualTimes = 1.0 + 1e-12;

/// The least makespan at a budget; a higher budget below the next point gains nothing.
struct ChainFrontierPoint
{
    std::int64_t budget = 0; ///< in the chain's size unit, x[0] included
    double makespan = 0;
};

/// The cell of a table for the whole chain: least time by slots, and what walks its schedules.
struct TopRow
{
    const double* time = nullptr; ///< [scale.slots + 1], never rising
    const RotorScale& scale;
    std::function<Sequence(std::int64_t slots)> walk; ///< for slots of finite time

    /// Its optimum at every budget, in ascending order.
    [[nodiscard]] std::vector<ChainFrontierPoint> frontier() const;
    /// NotFound when nothing fits into so many slots.
    [[nodiscard]] base::Result<Sequence> sequenceAtSlots(std::int64_t slots) const;
    /// Rounding makes real peaks lower than the table thinks: looks at schedules a little above
    /// the budget, fastest first, and takes the first that really fits.
    [[nodiscard]] base::Result<Sequence> firstThatFits(const Chain& chain,
                                                       std::int64_t budget) const;
};

} // namespace plimsoll::solve
