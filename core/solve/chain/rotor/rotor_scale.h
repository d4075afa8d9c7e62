// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/solve/regions/chain.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::solve {

enum class Recurrence : std::uint8_t {
    Corrected, ///< every schedule fits its budget
    Peer,      ///< as the widespread implementation computes it, for comparison; can overspend
};

enum class TieRule : std::uint8_t {
    ChainLowMemory, ///< on equal time save rather than recompute, and take the lower budget
    LeafSmallest,   ///< on equal time recompute, shortest run first; what the peer does
};

struct RotorOptions
{
    /// Sizes are rounded up to budget / slots. Without: exact when the table stays small, else a
    /// number of slots that costs less than twice the time of 500; as needs are summed before they
    /// are rounded, and schedules a little above the budget are looked at, they lose next to
    /// nothing.
    std::optional<int> slots;
    /// Without `slots`: as many as `tableLimit` and the time of a few sweeps allow.
    bool finest = false;
    Recurrence recurrence = Recurrence::Corrected;
    TieRule ties = TieRule::ChainLowMemory; ///< the peer recurrence always takes LeafSmallest
    int threads = 1;                        ///< 0: as many as the machine has
    std::size_t tableLimit = std::size_t{128} << 20; ///< bytes, for tables without `slots`
};

/// How sizes become slots. Needs of a step are summed first and rounded once where that is sound;
/// with a given number of slots each size is rounded by itself, as the field's tools do.
struct RotorScale
{
    std::int64_t unit = 1;    ///< of one slot, in the chain's size unit
    std::int64_t divisor = 1; ///< what a sum of `sizes` is divided by: `unit`, or 1 if rounded
    bool exact = false;       ///< `unit` divides every size, and all of the budget is in reach
    bool rounded = false;     ///< `sizes` hold slots already
    int slots = 0;            ///< rows hold slots 0..slots
    int spare = 0;            ///< rows reach that far past the budget, to win back rounding losses
    Chain sizes;              ///< its sizes in bytes or slots, padded to L + 2 and L + 1 entries
    std::vector<std::int64_t> x; ///< [L + 2] in slots

    [[nodiscard]] std::int64_t ceilSlots(std::int64_t sum) const;
    /// Slots for the top cell at a budget that includes x[0].
    [[nodiscard]] std::int64_t slotsFor(std::int64_t budget) const;
    /// The smallest budget, x[0] included, that yields these slots.
    [[nodiscard]] std::int64_t budgetOf(std::int64_t count) const;
};

/// `chain` valid and normalised. Usage error when budget, slots or the table make no sense.
[[nodiscard]] base::Result<RotorScale> rotorScale(const Chain& chain, std::int64_t maxBudget,
                                                  const RotorOptions& options);

} // namespace plimsoll::solve
