// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/step_match.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::waterfall {

/// Blocks of forward that one side keeps for backward and the other frees before. What the step
/// returns isn't compared: programs keep it for as long as they like.
struct Lifetimes
{
    std::size_t compared = 0;   ///< matched blocks of forward
    std::size_t kept = 0;       ///< matched blocks that the prediction keeps for backward
    std::size_t recomputed = 0; ///< matched blocks that it recomputes for backward
    std::vector<std::uint32_t> freedEarlier; ///< allocations of `kept` ones that backward lacks
    std::vector<std::uint32_t> heldLonger;   ///< allocations that only the recording keeps for it
    std::size_t heldRecomputed = 0;          ///< `recomputed` ones that the recording keeps
    /// `freedEarlier` ones that the recording recomputes: in backward it allocates a block of that
    /// size that isn't predicted.
    std::size_t remade = 0;

    /// Whether the recording recomputes other blocks than predicted. Single ones may be chance:
    /// they are freed early, and something else has their size.
    [[nodiscard]] bool areOfAnotherPlan() const;
};

[[nodiscard]] Lifetimes compareLifetimes(const compare::PredictedStep& step, const StepMatch& match,
                                         const MeasuredStep& measured);
/// A sentence for those that areOfAnotherPlan().
[[nodiscard]] std::string otherPlanText(const Lifetimes& lifetimes, const plan::Plan& plan);

} // namespace plimsoll::waterfall
