// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/plan/schedule.h"

#include <cstddef>
#include <vector>

namespace plimsoll::plan {

/// A reduction of a step: of a bucket, of a gradient (manual reduction), or of a unit (from ZeRO-2
/// on).
struct Reduction
{
    base::Bytes bytes;
    std::size_t gradients = 0;
    base::Nanoseconds ready; ///< since the step began: the bucket is complete
    base::Nanoseconds begin; ///< the link is free for it
    base::Nanoseconds end;
};

/// An all-gather of a unit's parameters, from ZeRO-2 on.
struct Gathering
{
    std::size_t unit = 0; ///< index into Parallel::units
    base::Bytes bytes;
    base::Nanoseconds issued; ///< since the step began
    base::Nanoseconds begin;  ///< the link is free
    base::Nanoseconds end;
    base::Nanoseconds wanted; ///< when the unit's next op could run
};

/// What a data parallel step costs in addition to its ops (TIMES in PARALLEL.md).
struct Communication
{
    base::Nanoseconds sync;    ///< broadcast of buffers (manual: and parameters) before forward
    base::Nanoseconds copies;  ///< copies into and out of buckets, and divisions, on the device
    base::Nanoseconds reduce;  ///< time that the link is busy with gradients
    base::Nanoseconds exposed; ///< part of `reduce` for which the device waits
    base::Nanoseconds gather;  ///< ZeRO: time that the link is busy with parameters
    base::Nanoseconds gatherExposed;   ///< part of `gather` for which the device waits; ZeRO-1: all
    std::vector<Reduction> reductions; ///< in order
    std::vector<Gathering> gatherings; ///< in order
    std::vector<base::Nanoseconds> steps; ///< by step of the schedule: everything that runs, or is
                                          ///< waited for, right after the step
};

/// Requires a problem of one rank; `times` by op.
[[nodiscard]] Communication communicate(const Problem& problem, const Schedule& schedule,
                                        const std::vector<base::Nanoseconds>& times);

} // namespace plimsoll::plan
