// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/waterfall.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace plimsoll::waterfall {

/// Predicted and measured bytes of a step on one axis, aligned by op: a matched allocation is where
/// its op begins in the prediction, and what is recorded between two of them lies between these. So
/// phases begin and end together. Immutable.
///
/// The axis has a step for each predicted step and for each recorded event.
struct AlignedCurves
{
    /// The axis, with the predicted bytes in a single layer and the phases as bands.
    timeline::TimelinePtr ground;
    bool isTimed = true; ///< positions are the predicted nanoseconds; else they count ops
    std::vector<std::int64_t> predicted; ///< bytes, by step of the axis
    std::vector<std::int64_t> measured;
    std::vector<std::uint32_t> stepAt;  ///< by step of the axis: the predicted step that runs there
    std::vector<std::uint32_t> eventAt; ///< the event after which it is, of the device
    std::size_t predictedPeak = 0;      ///< step of the axis that reaches it first
    std::size_t measuredPeak = 0;
};

using AlignedCurvesPtr = std::shared_ptr<const AlignedCurves>;

[[nodiscard]] AlignedCurvesPtr alignCurves(const Waterfall& waterfall, const Measured& measured);

} // namespace plimsoll::waterfall
