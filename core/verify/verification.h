// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::plan {

enum class FaultKind : std::uint8_t {
    IllegalRegion,    ///< the runtime can't execute it, or not with the same results
    IllegalRepeat,    ///< recomputations that the runtime Step can't execute
    UseBeforeCompute, ///< an execution reads something that isn't in memory yet
    UseAfterFree,
    OverwrittenInput, ///< a recomputation would read a value that has been overwritten
    OverBudget,
    PinViolated, ///< not as the user pinned it; the plan can run all the same
};

/// "illegal_region", … as printed by `check --json`.
[[nodiscard]] inline const char* faultName(FaultKind kind)
{
    static constexpr std::array kNames{"illegal_region", "illegal_repeat",    "use_before_compute",
                                       "use_after_free", "overwritten_input", "over_budget",
                                       "pin_violated"};
    return kNames.at(static_cast<std::size_t>(kind));
}

struct Fault
{
    FaultKind kind = FaultKind::IllegalRegion;
    std::string sentence; ///< names op, tensor and module
};

/// The result of an independent replay of the plan.
struct Verification
{
    std::vector<Fault> faults; ///< empty: the plan is good
    base::Bytes peak;          ///< reserve included; 0 if regions or recomputations are illegal
    std::size_t peakStep = 0;
    std::vector<base::Bytes> liveBytes; ///< during each executed step, reserve included
};

} // namespace plimsoll::plan
