// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/frontier.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::plan {

/// How the smaller of two plans treats a value.
enum class Decision : std::uint8_t {
    Recompute, ///< kept in the larger plan
    Keep,      ///< recomputed in the larger plan
    MoreOften, ///< recomputed in both
    LessOften, ///< recomputed in both
};

/// "recompute", "keep", "more_often", "less_often".
[[nodiscard]] const char* decisionName(Decision decision);

/// A value that two plans treat differently.
struct DecisionChange
{
    Decision decision = Decision::Recompute;
    Recomputed value;         ///< as seen by the plan that spends more time on it
    base::Nanoseconds change; ///< of the time in recomputations, below 0 where it is saved
};

/// The difference between a plan and a smaller one of the same problem.
struct CheaperPlan
{
    FrontierPoint to;
    base::Bytes saved;                   ///< of the peak, above 0
    base::Nanoseconds extraTime;         ///< of the step
    std::vector<DecisionChange> changes; ///< in order of the ops

    /// The price of one GiB.
    [[nodiscard]] double nanosecondsPerGibibyte() const;
};

/// `to` must have a smaller peak than `from`.
[[nodiscard]] CheaperPlan cheaperPlan(const VerifiedPlan& from, FrontierPoint to);

/// The cheapest next savings: the differences to the fastest plans that need one, two, … GiB less
/// than `from`, or tenths less where those are smaller. The last one leads to the smallest plan if
/// none saves that much. At most `count`; none if no plan needs less.
[[nodiscard]] std::vector<CheaperPlan> cheapestPlans(const Frontier& frontier,
                                                     const VerifiedPlan& from, std::size_t count);

} // namespace plimsoll::plan
