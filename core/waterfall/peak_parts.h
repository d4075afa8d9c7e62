// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/row.h"
#include "core/waterfall/step_match.h"

#include <array>
#include <cstddef>

namespace plimsoll::waterfall {

/// The difference of the peaks, divided among the reasons.
struct PeakParts
{
    /// By Reason. Those behind NotExplained are empty.
    std::array<WaterfallRow, kReasonCount> rows;
    std::size_t byFrames = 0; ///< workspaces that are recognised by their stacks; others by size

    [[nodiscard]] WaterfallRow& row(Reason reason)
    {
        return rows.at(static_cast<std::size_t>(reason));
    }
};

/// `place`: the predicted step at the measured peak. Matched memory that is live at both places, or
/// at neither, is no difference. Other matched memory is freed earlier, or held longer, on one
/// side. What isn't matched goes to a reason that shows it, or is not explained.
[[nodiscard]] PeakParts peakParts(const compare::PredictedStep& step, const StepMatch& match,
                                  const MeasuredStep& measured, std::size_t place);

} // namespace plimsoll::waterfall
