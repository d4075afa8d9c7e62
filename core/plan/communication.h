// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/plan/schedule.h"

#include <vector>

namespace plimsoll::plan {

/// One all-reduce of a step: a bucket, of a manual reduction one gradient.
struct Reduction
{
    base::Bytes bytes;
    std::size_t gradients = 0;
    base::Nanoseconds ready; ///< since the step began: all of it is in the bucket
    base::Nanoseconds begin; ///< the link is free for it
    base::Nanoseconds end;
};

/// What a data parallel step costs beside its ops (TIMES in PARALLEL.md).
struct Communication
{
    base::Nanoseconds sync;    ///< buffers, and of a manual reduction parameters, before forward
    base::Nanoseconds copies;  ///< into buckets and out of them, or dividing, on the device
    base::Nanoseconds reduce;  ///< that the link is busy with gradients
    base::Nanoseconds exposed; ///< of `reduce`: what the device waits for, behind backward
    base::Nanoseconds gather;  ///< ZeRO: handing on updated parameters, behind the optimizer
    std::vector<Reduction> reductions;    ///< in order
    std::vector<base::Nanoseconds> steps; ///< by step of the schedule: all of it that runs, or is
                                          ///< waited for, right behind the step
};

/// A ring's all-reduce: 2(w-1)/w of the bytes over each link, in 2(w-1) hops.
[[nodiscard]] base::Nanoseconds allReduceTime(const DataParallel& setting, base::Bytes bytes);

/// Requires a problem that is one of several processes; `times` by op.
[[nodiscard]] Communication communicate(const Problem& problem, const Schedule& schedule,
                                        const std::vector<base::Nanoseconds>& times);

} // namespace plimsoll::plan
