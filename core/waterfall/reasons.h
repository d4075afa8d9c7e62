// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/row.h"
#include "core/waterfall/step_match.h"

#include <cstddef>
#include <string>

namespace plimsoll::waterfall {

/// What the sentences of rows are made from.
struct ReasonFacts
{
    const compare::PredictedStep& step;
    const MeasuredStep& measured;
    std::size_t place = 0;    ///< the predicted step at the measured peak
    std::size_t byFrames = 0; ///< workspaces that are recognised by their stacks; others by size
    bool isRounded = false;   ///< blocks are counted as rounded up
};

/// A row's sentence.
[[nodiscard]] std::string reasonText(const WaterfallRow& row, const ReasonFacts& facts);
/// "blocks.3.up · aten.addmm, backward": a step of the schedule.
[[nodiscard]] std::string placeText(const compare::PredictedStep& step, std::size_t at);

} // namespace plimsoll::waterfall
