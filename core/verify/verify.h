// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/fault.h"
#include "core/plan/plan.h"

#include <cstddef>
#include <vector>

namespace plimsoll::plan {

/// What an independent replay of the plan saw.
struct Verification
{
    std::vector<Fault> faults; ///< empty: the plan is good
    base::Bytes peak;          ///< reserve included; 0 when regions or repetitions are illegal
    std::size_t peakStep = 0;
    std::vector<base::Bytes> liveBytes; ///< during each executed step, reserve included
};

/// Replays the plan with reference counts, as its runtime would run it. Shares no code with
/// planners, lower() or evaluate() (its library links neither). Checks the regions or
/// repetitions, every read, the budget at every step, and the problem's pins.
[[nodiscard]] Verification verify(const Problem& problem, const Plan& plan);

} // namespace plimsoll::plan
