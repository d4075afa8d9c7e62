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
    Peer, ///< as the widespread implementation computes it, for comparison; may exceed the budget
};

enum class TieRule : std::uint8_t {
    ChainLowMemory, ///< among equal times, prefer saving to recomputing, then the lower budget
    LeafSmallest,   ///< among equal times, prefer recomputing, shortest run first, as the peer does
};

struct RotorOptions
{
    /// Sizes are rounded up to budget / slots. Default: exact if the table stays small, else a
    /// number of slots that takes less than twice the time of 500; as needs are summed before they
    /// are rounded, and schedules a little above the budget are tried, little is lost.
    std::optional<int> slots;
    /// Default number of slots: as many as `tableLimit` and the time of a few sweeps allow.
    bool finest = false;
    Recurrence recurrence = Recurrence::Corrected;
    TieRule ties = TieRule::ChainLowMemory; ///< the peer recurrence always uses LeafSmallest
    int threads = 1;                        ///< 0: as many as the machine has
    std::size_t tableLimit = std::size_t{128} << 20; ///< bytes, for tables without `slots`
};

/// How sizes become slots. The needs of a step are summed first and rounded once if that is sound;
/// with a given number of slots each size is rounded separately, as other tools do.
struct RotorScale
{
    std::int64_t unit = 1;       ///< of one slot, in the chain's size unit
    std::int64_t divisor = 1;    ///< divisor of a sum of `sizes`: `unit`, or 1 if rounded
    bool exact = false;          ///< `unit` divides every size, and all of the budget can be used
    bool rounded = false;        ///< `sizes` are in slots already
    int slots = 0;               ///< rows hold slots 0..slots
    int spare = 0;               ///< slots past the budget, to compensate rounding
    Chain sizes;                 ///< its sizes in bytes or slots, padded to L + 2 and L + 1 entries
    std::vector<std::int64_t> x; ///< [L + 2] in slots

    [[nodiscard]] std::int64_t ceilSlots(std::int64_t sum) const;
    /// Slots for the top cell at a budget that includes x[0].
    [[nodiscard]] std::int64_t slotsFor(std::int64_t budget) const;
    /// The smallest budget, x[0] included, that yields these slots.
    [[nodiscard]] std::int64_t budgetOf(std::int64_t count) const;
};

/// `chain` must be valid and normalised. Usage error if budget, slots or the table are invalid.
[[nodiscard]] base::Result<RotorScale> rotorScale(const Chain& chain, std::int64_t maxBudget,
                                                  const RotorOptions& options);

} // namespace plimsoll::solve
