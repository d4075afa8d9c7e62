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

/// From the plans to take at one budget with all pins, and with all but this one; null: there is
/// none. Never negative: a plan that honours all pins also is one without the pin.
[[nodiscard]] PinPrice priceOf(const plan::VerifiedPlanPtr& best,
                               const plan::VerifiedPlanPtr& without);

/// The plans for all budgets without one pin, and which of them run.
struct WithoutPin
{
    PlannedPtr planned;
    run::ReservedTablePtr table; ///< null for a step for the CPU
};

/// For each pin of the choices, in order, the plans with the other pins only. Takes as long as
/// planning once for each pin: off the GUI thread.
[[nodiscard]] base::Result<std::vector<WithoutPin>>
planWithoutEachPin(const graph::ProgramPtr& recorded, const Choices& choices,
                   const allocator::AllocatorSettings& settings, const base::JobContext& job);

/// By pin, of the plan that is chosen for the budget with all pins; null: none is. Milliseconds to
/// seconds, as answerAt(); cancelled if stopped.
[[nodiscard]] base::Result<std::vector<PinPrice>>
pinPrices(const plan::VerifiedPlanPtr& chosen, base::Bytes budget,
          const std::vector<WithoutPin>& without, const allocator::AllocatorSettings& settings,
          const base::JobContext& job);

} // namespace plimsoll::workspace
