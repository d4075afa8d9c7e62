// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/verify/verification.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// Checks REGIONS of LIFETIMES.md one by one: one sentence per fault, none if the runtime can
/// execute the regions with the same results.
[[nodiscard]] std::vector<Fault> regionFaults(const graph::Program& program,
                                              const CheckpointRegions& plan);

/// Regions that would be recomputed inside forward or loss because something there unpacks what
/// they save (such as a gradient computed in forward): rule 7 of LIFETIMES.md.
[[nodiscard]] std::vector<Fault> triggerFaults(const graph::Program& program,
                                               const CheckpointRegions& plan);

/// Rows of a recompute schedule that the runner can't execute, whatever is in memory: a sentence
/// each.
[[nodiscard]] std::vector<Fault> repeatFaults(const graph::Program& program,
                                              const RecomputeSchedule& plan);

/// The problem of one rank, derived from the recorded step and the setting alone (PARALLEL.md); the
/// problem of a single process unchanged.
[[nodiscard]] Problem ofOneProcess(const Problem& problem);

/// What a plan does that data parallel training doesn't support.
[[nodiscard]] std::vector<Fault> parallelFaults(const Problem& problem, const Plan& plan);

} // namespace plimsoll::plan::verifying
