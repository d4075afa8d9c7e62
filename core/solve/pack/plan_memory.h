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

/// Packs the live intervals of the plan's schedule: tries only a few first-fit packings of the
/// step's blocks; if stopped, fewer. Replays PyTorch's allocator for the first iterations of a
/// training loop, as run::runLoop(), whether stopped or not: some milliseconds.
[[nodiscard]] base::Result<PlanMemory> planMemory(const plan::VerifiedPlan& plan,
                                                  const base::JobContext& context);

} // namespace plimsoll::solve
