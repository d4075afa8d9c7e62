// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/waterfall/step_match.h"

#include <cstdint>

namespace plimsoll::waterfall {

/// The step that a plan predicts, rounded as the sizes of a device are recorded, without a reserve.
[[nodiscard]] compare::PredictedStep predictedStep(const plan::Problem& problem,
                                                   const plan::Plan& plan,
                                                   const memtrace::DeviceTrace& device);

/// Of the allocations that are predicted, how many are found.
[[nodiscard]] std::int64_t foundPerMille(const StepMatch& match);

/// An error of kind File if a measured step isn't the predicted one: fewer than half of the
/// predicted allocations, or of the bytes that forward allocates, are found in it, or fewer than a
/// fifth of its own are predicted. Of a step that isn't whole, up to its end: four fifths of the
/// predicted ones, and half of its own.
[[nodiscard]] base::Result<void> checkStep(const compare::PredictedStep& step,
                                           const StepMatch& match, const MeasuredStep& measured);

} // namespace plimsoll::waterfall
