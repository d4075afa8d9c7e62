// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/evaluate/certify.h"

namespace plimsoll::solve {

/// What a plan's blocks of memory take once they have addresses; the reserve is in all of it.
struct PlanMemory
{
    base::Bytes packedHeight;       ///< of the best offsets found, checked
    base::Bytes packedLowerBound;   ///< no offsets need less; at least the plan's peak
    base::Bytes reserved;           ///< what PyTorch's caching allocator would reserve
    base::Bytes reservedExpandable; ///< the same with expandable segments
};

/// From the lives of storages in the plan's schedule. PyTorch's allocator is replayed for one step:
/// what is older than the step is allocated first, in the program's order. Takes some first fits of
/// the blocks that come and go, not more; stopped, it takes less.
[[nodiscard]] base::Result<PlanMemory> planMemory(const plan::VerifiedPlan& plan,
                                                  const base::JobContext& context);

} // namespace plimsoll::solve
