// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/plan/schedule.h"

#include <cstddef>
#include <vector>

namespace plimsoll::plan {

/// One reduction of a step: of a bucket, of a manual reduction one gradient, from ZeRO-2 on one
/// unit.
struct Reduction
{
    base::Bytes bytes;
    std::size_t gradients = 0;
    base::Nanoseconds ready; ///< since the step began: all of it is in the bucket
    base::Nanoseconds begin; ///< the link is free for it
    base::Nanoseconds end;
};

/// One all-gather of a unit's parameters, from ZeRO-2 on.
struct Gathering
{
    std::size_t unit = 0; ///< index into Parallel::units
    base::Bytes bytes;
    base::Nanoseconds issued; ///< since the step began
    base::Nanoseconds begin;  ///< the link is free for it
    base::Nanoseconds end;
    base::Nanoseconds wanted; ///< the unit's next op could run
};

/// What a data parallel step costs beside its ops (TIMES in PARALLEL.md).
struct Communication
{
    base::Nanoseconds sync;    ///< buffers, and of a manual reduction parameters, before forward
    base::Nanoseconds copies;  ///< into buckets and out of them, or dividing, on the device
    base::Nanoseconds reduce;  ///< that the link is busy with gradients
    base::Nanoseconds exposed; ///< of `reduce`: what the device waits for
    base::Nanoseconds gather;  ///< ZeRO: that the link is busy with parameters
    base::Nanoseconds gatherExposed;      ///< of `gather`: what the device waits for; of ZeRO-1 all
    std::vector<Reduction> reductions;    ///< in order
    std::vector<Gathering> gatherings;    ///< in order
    std::vector<base::Nanoseconds> steps; ///< by step of the schedule: all of it that runs, or is
                                          ///< waited for, right behind the step
};

/// Requires a problem that is one of several processes; `times` by op.
[[nodiscard]] Communication communicate(const Problem& problem, const Schedule& schedule,
                                        const std::vector<base::Nanoseconds>& times);

} // namespace plimsoll::plan
