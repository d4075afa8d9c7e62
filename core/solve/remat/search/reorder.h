// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/plan/plan.h"
#include "core/solve/bounds/remat_problem.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// Numbers of a step's ops as they run. Those ahead of the first op that hasn't run are rising.
using StepOrder = std::vector<std::uint32_t>;

/// The order in which the runner executes what a topological order moves ahead: runs of ops ahead
/// of the same one are rising.
[[nodiscard]] StepOrder runnersOrder(const StepOrder& order);

/// A step as a problem in another order: op k of it is the order's k-th.
[[nodiscard]] RematProblem inOrder(const RematProblem& problem, const StepOrder& order);

/// Rows of recomputations of the step as those of such a problem: before the same ops.
[[nodiscard]] std::vector<RematRecomputeStep> inOrder(const std::vector<RematRecomputeStep>& rows,
                                                      const StepOrder& order);

/// A plan of such a problem for the runtime Step. Nothing if an op would have to run twice ahead of
/// the same one, which a row can't express.
[[nodiscard]] std::optional<plan::Plan> stepPlanOf(const RematPlan& plan, const StepOrder& order);

/// An order in which the runtime Step may execute the ops of a step
/// (core/lower/compiled_step/STEP_RUNTIME.md), without recomputation, with the smallest peak that
/// local moves find, which move ops after or before the one at the peak; the recorded order if none
/// is smaller. If stopped, it returns what it has.
[[nodiscard]] StepOrder lowestOrder(const plan::Problem& problem, const base::JobContext& job);

} // namespace plimsoll::solve
