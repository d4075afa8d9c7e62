// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <optional>
#include <vector>

namespace plimsoll::workspace {

/// The cost of a pin at one budget.
struct PinPrice
{
    std::optional<base::Nanoseconds> price; ///< in step time; none: there is no plan to compare
    bool isWhy = false;                     ///< there is no plan with the pin, but one without it

    bool operator==(const PinPrice&) const = default;
};

/// From the fastest plans within one budget with all pins, and with all but this one; null: there
/// is none. Never negative: a plan that honours all pins also is one without the pin.
[[nodiscard]] PinPrice priceOf(const plan::VerifiedPlanPtr& best,
                               const plan::VerifiedPlanPtr& without);

/// For each pin of the choices, in order, the plans for all budgets with the other pins only. Takes
/// as long as planning once for each pin: off the GUI thread.
[[nodiscard]] base::Result<std::vector<PlannedPtr>>
planWithoutEachPin(const graph::ProgramPtr& recorded, const Choices& choices,
                   const base::JobContext& job);

/// `without`: of the choices of `planned`.
[[nodiscard]] std::vector<PinPrice>
pinPrices(const Planned& planned, const std::vector<PlannedPtr>& without, base::Bytes budget);

} // namespace plimsoll::workspace
