// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/plan/plan.h"
#include "core/solve/bounds/remat_problem.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// Numbers of a step's ops as they run. What runs ahead of the first op that hasn't run is rising.
using StepOrder = std::vector<std::uint32_t>;

/// The order in which the runner executes what any topological order brings ahead: runs of ops
/// ahead of the same one in rising order.
[[nodiscard]] StepOrder runnersOrder(const StepOrder& order);

/// A step as a problem in another order: op k of it is the order's k-th.
[[nodiscard]] RematProblem inOrder(const RematProblem& problem, const StepOrder& order);

/// Rows of repetitions of the step as those of such a problem: before the same ops.
[[nodiscard]] std::vector<RematRecomputeStep> inOrder(const std::vector<RematRecomputeStep>& rows,
                                                      const StepOrder& order);

/// A plan of such a problem for the runtime Step. Nothing where it takes an op to run twice ahead
/// of the same one, which a row can't say.
[[nodiscard]] std::optional<plan::Plan> stepPlanOf(const RematPlan& plan, const StepOrder& order);

/// An order in which the runtime Step may execute the ops of a step
/// (core/lower/compiled_step/STEP_RUNTIME.md), with the smallest peak, nothing repeated, that local
/// moves find, which bring ops behind the fullest one or in front of it; as recorded where none is
/// smaller. Stopped it returns what it has.
[[nodiscard]] StepOrder lowestOrder(const plan::Problem& problem, const base::JobContext& job);

} // namespace plimsoll::solve
