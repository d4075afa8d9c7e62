// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/bound.h"
#include "core/solve/bounds/remat_problem.h"

namespace plimsoll::solve {

/// The constraints on memory of every plan for the runtime: the recorded ops in their order, and
/// for each the values that it uses. Values are those that a plan may drop and recompute; floors
/// are what must be in memory besides them (plan::WorkingSets).
[[nodiscard]] RematProblem boundingProblem(const plan::Problem& problem, plan::Runtime runtime);

/// A lower bound on the step time of plans within the problem's budget that keep the recorded
/// order: the recorded time, plus the recomputation that prices on memory prove (RematBounds).
/// Takes some milliseconds.
[[nodiscard]] base::Nanoseconds
stepTimeLowerBound(const plan::Problem& problem,
                   plan::Runtime runtime = plan::Runtime::CheckpointedModule);

} // namespace plimsoll::solve
