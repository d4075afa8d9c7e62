// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/bounds/remat_problem.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace plimsoll::solve {

/// Finds plans for tight budgets, where local moves stall: simulates the ops in their order with a
/// memory of the budget's size, like a runtime that recomputes on demand (Dynamic Tensor
/// Rematerialization, ICLR 2021), but with knowledge of future uses. If an op finds no room, it
/// evicts what is cheap to recompute per byte and needed late; if an operand is missing, that is
/// recomputed first, recursively. Returns the fastest of `plays` runs with different weights, fewer
/// if a fixed amount of work is used up, without unnecessary recomputations.
///
/// Rows of the plan are
/// in any order, and an op may be in one several times. Nothing if no run reached the end, or if
/// ops overwrite values. Requires a problem that simulate() accepts.
[[nodiscard]] std::optional<RematPlan> evictingPlan(const RematProblem& problem,
                                                    std::int64_t budget, std::size_t plays,
                                                    const base::JobContext& job);

} // namespace plimsoll::solve
