// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/verify/verification.h"

namespace plimsoll::plan::verifying {

/// Runs a step with its regions as PyTorch does, one op after the other, counting the holders of
/// each storage: Python's variables, saved tensors, frames of regions, their tables of recomputed
/// tensors, and variables of a recomputation until it stops. The regions must be legal.
void replayRegions(const Problem& problem, const CheckpointRegions& plan, Verification& seen);

/// Runs a step as plimsoll.compile_step() does, every execution in order, counting holders and
/// writes of each storage. The schedule must have no repeatFaults().
void replayStep(const Problem& problem, const RecomputeSchedule& plan, Verification& seen);

} // namespace plimsoll::plan::verifying
