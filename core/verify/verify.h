// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/verify/verification.h"

namespace plimsoll::plan {

/// Replays the plan with reference counts, as its runtime would run it. Shares no code with
/// planners, lower() or evaluate() (its library links neither). Checks the regions or
/// recomputations, every read, the budget at every step, and the problem's pins.
[[nodiscard]] Verification verify(const Problem& problem, const Plan& plan);

} // namespace plimsoll::plan
