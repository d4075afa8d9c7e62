// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/verify/verification.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// Rows of `again` that the runner can't execute at all, whatever is in memory: a sentence each.
[[nodiscard]] std::vector<Fault> repeatFaults(const graph::Program& program,
                                              const RecomputeSchedule& plan);

/// Runs a step as plimsoll.compile_step() does, every execution in order, with counts of holders
/// and of writes for each storage. `again` must be without repeatFaults().
void replayStep(const Problem& problem, const RecomputeSchedule& plan, Verification& seen);

} // namespace plimsoll::plan::verifying
