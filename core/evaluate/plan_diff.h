// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/frontier.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::plan {

/// What becomes of a value in the one of two plans that needs less memory.
enum class Decision : std::uint8_t {
    Recompute, ///< kept before
    Keep,      ///< recomputed before
    MoreOften, ///< recomputed in both
    LessOften, ///< recomputed in both
};

/// "recompute", "keep", "more_often", "less_often".
[[nodiscard]] const char* decisionName(Decision decision);

/// A value that is treated differently by two plans.
struct DecisionChange
{
    Decision decision = Decision::Recompute;
    Recomputed value;         ///< as the plan sees it that spends more time on it
    base::Nanoseconds change; ///< of the time in recomputations, below 0 where it is saved
};

/// The way from one plan to another one of the same problem that needs less.
struct CheaperPlan
{
    FrontierPoint to;
    base::Bytes saved;                   ///< of the peak, above 0
    base::Nanoseconds extraTime;         ///< of the step
    std::vector<DecisionChange> changes; ///< in order of the ops

    /// What a GiB costs on this way.
    [[nodiscard]] double nanosecondsPerGibibyte() const;
};

/// `to` must have a smaller peak than `from`.
[[nodiscard]] CheaperPlan cheaperPlan(const VerifiedPlan& from, FrontierPoint to);

/// What is cheapest to save next: the ways to the fastest plans that need one, two, … GiB less than
/// `from`, or tenths less where those are smaller. The last one leads to the smallest plan where
/// none saves that much. At most `count`, none where no plan needs less.
[[nodiscard]] std::vector<CheaperPlan> cheapestPlans(const Frontier& frontier,
                                                     const VerifiedPlan& from, std::size_t count);
/// The first of them; `to` is null where there is none.
[[nodiscard]] CheaperPlan cheapestPlan(const Frontier& frontier, const VerifiedPlan& from);

} // namespace plimsoll::plan
