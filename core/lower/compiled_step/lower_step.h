// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/schedule.h"

namespace plimsoll::plan {

/// lower() for plans of runtime Step, after the rules of STEP_RUNTIME.md. The rows of `again` must
/// be legal, which verify() checks; O(ops + executions).
[[nodiscard]] Schedule lowerStep(const graph::Program& program, const RecomputeSchedule& plan);

} // namespace plimsoll::plan
