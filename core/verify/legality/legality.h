// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/verify/verification.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// REGIONS of LIFETIMES.md, checked one by one: one sentence per fault, none when the runtime can
/// execute the regions with the same results.
[[nodiscard]] std::vector<Fault> regionFaults(const graph::Program& program,
                                              const CheckpointRegions& plan);

/// Regions that would be recomputed inside forward or loss, because something there unpacks what
/// they save (a gradient taken inside of the forward, say): rule 7 of LIFETIMES.md.
[[nodiscard]] std::vector<Fault> triggerFaults(const graph::Program& program,
                                               const CheckpointRegions& plan);

/// Rows of a recompute schedule that the runner can't execute at all, whatever is in memory: a
/// sentence each.
[[nodiscard]] std::vector<Fault> repeatFaults(const graph::Program& program,
                                              const RecomputeSchedule& plan);

/// The problem as one process of several has it, worked out from the recorded step and the setting
/// alone (PARALLEL.md); a problem of a process by itself as it is.
[[nodiscard]] Problem ofOneProcess(const Problem& problem);

/// What a plan asks for that can't be under data parallel.
[[nodiscard]] std::vector<Fault> parallelFaults(const Problem& problem, const Plan& plan);

} // namespace plimsoll::plan::verifying
