// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/bound.h"
#include "core/solve/bounds/remat_problem.h"

namespace plimsoll::solve {

/// What every plan for the runtime must do about memory, whatever it keeps, drops and repeats: the
/// recorded ops in their order, and for each the values that it has in use. Values are those that a
/// plan may drop and recompute; floors are what must be there besides them (plan::WorkingSets).
[[nodiscard]] RematProblem boundingProblem(const plan::Problem& problem, plan::Runtime runtime);

/// No plan for the runtime within the problem's budget that keeps the recorded order has a shorter
/// step: the recorded time, and what prices on memory prove to be recomputed (RematBounds).
/// Some milliseconds.
[[nodiscard]] base::Nanoseconds
stepTimeLowerBound(const plan::Problem& problem,
                   plan::Runtime runtime = plan::Runtime::CheckpointedModule);

} // namespace plimsoll::solve
