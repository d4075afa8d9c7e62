// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/schedule.h"

namespace plimsoll::plan {

/// Completes a plan after the rules of its runtime, checkpoint/LIFETIMES.md or
/// compiled_step/STEP_RUNTIME.md. The plan must be legal, which verify() checks; O(ops + saved)
/// times nesting depth.
[[nodiscard]] Schedule lower(const graph::Program& program, const Plan& plan);

/// lower() for plans of checkpoint regions.
[[nodiscard]] Schedule lowerRegions(const graph::Program& program, const CheckpointRegions& plan);

/// lower() for plans of runtime Step; O(ops + executions).
[[nodiscard]] Schedule lowerStep(const graph::Program& program, const RecomputeSchedule& plan);

} // namespace plimsoll::plan
