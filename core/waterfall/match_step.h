// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/waterfall/step_match.h"

namespace plimsoll::waterfall {

/// Its last whole step: see lastWholeStep(). An error of kind File if there is none.
[[nodiscard]] base::Result<MeasuredStep> measuredStep(const memtrace::MemoryTrace& trace,
                                                      const memtrace::DeviceTrace& device,
                                                      bool accumulates);

/// Matches by order and size: allocations of the step by a longest common subsequence, first of
/// those that are also alike in how long they live and in whether the optimizer makes them, then of
/// the others between two of these, and improveMatch(); memory from before the step by size. Of a
/// step that isn't whole, with what the prediction allocates up to where the recording ends.
[[nodiscard]] StepMatch matchStep(const compare::PredictedStep& step, const MeasuredStep& measured);

} // namespace plimsoll::waterfall
