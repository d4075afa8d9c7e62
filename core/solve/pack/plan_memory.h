// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/evaluate/certify.h"

namespace plimsoll::solve {

/// The memory that a plan's blocks take once they have addresses, always with the reserve.
struct PlanMemory
{
    base::Bytes packedHeight;       ///< for the best offsets found, checked
    base::Bytes packedLowerBound;   ///< no offsets need less; at least the plan's peak
    base::Bytes reserved;           ///< what PyTorch's caching allocator would reserve
    base::Bytes reservedExpandable; ///< the same with expandable segments
};

/// From the live intervals of the plan's schedule. Replays PyTorch's allocator for one step, in
/// which storages older than the step are allocated first, in the program's order. Tries only a few
/// first-fit packings of the step's blocks; if stopped, fewer.
[[nodiscard]] base::Result<PlanMemory> planMemory(const plan::VerifiedPlan& plan,
                                                  const base::JobContext& context);

} // namespace plimsoll::solve
