// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"
#include "core/solve/bounds/remat_problem.h"

#include <vector>

namespace plimsoll::solve {

/// A training step under the runtime Step (STEP_RUNTIME.md) as a rematerialization problem.
///
/// Ops are those of forward, loss and backward, under their own numbers. Values are the storages
/// that they allocate, views belonging to theirs; what outlives them or what the optimizer uses is
/// kept. Floors are everything else: what was there before the step, and the reserve. An op may
/// repeat when the runner can repeat it anywhere: not one that reads what is older than the step
/// and overwritten later on, although it could before that, and none that makes what a pin keeps.
[[nodiscard]] RematProblem problemOf(const plan::Problem& problem);

/// A plan of such a problem for the runtime Step, without planner and options.
[[nodiscard]] plan::Plan stepPlanOf(const RematPlan& plan);

/// The opposite, of a plan for the runtime Step.
[[nodiscard]] RematPlan rematPlanOf(const plan::Plan& plan);

} // namespace plimsoll::solve
