// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <vector>

namespace plimsoll::plan {

enum class FaultKind {
    IllegalRegion,    ///< not what the runtime can execute, or not with the same results
    IllegalRepeat,    ///< ops that the runtime Step can't execute again
    UseBeforeCompute, ///< an execution reads what is not there yet
    UseAfterFree,
    OverwrittenInput, ///< a recomputation would read a value that was overwritten since
    OverBudget,
    PinViolated, ///< not as the user pinned it; the plan can run all the same
};

/// "illegal_region", … as printed by `check --json`.
[[nodiscard]] const char* faultName(FaultKind kind);

struct Fault
{
    FaultKind kind = FaultKind::IllegalRegion;
    std::string sentence; ///< names op, tensor and module
};

/// What an independent replay of the plan saw.
struct Verification
{
    std::vector<Fault> faults; ///< empty: the plan is good
    base::Bytes peak;          ///< reserve included; 0 when regions or repetitions are illegal
    std::size_t peakStep = 0;
    std::vector<base::Bytes> liveBytes; ///< during each executed step, reserve included
};

/// Replays the plan with reference counts, as its runtime would run it. Shares no code with
/// planners, lower() or evaluate() (own library plimsoll_plan_verify). Checks the regions or
/// repetitions, every read, the budget at every step, and the problem's pins.
[[nodiscard]] Verification verify(const Problem& problem, const Plan& plan);

} // namespace plimsoll::plan
