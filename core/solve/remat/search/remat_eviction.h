// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/bounds/remat_problem.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace plimsoll::solve {

/// Finds plans for tight budgets, where local moves stall: plays the ops in their order with a
/// memory of the budget's size, as a runtime does that recomputes on demand (Dynamic Tensor
/// Rematerialization, ICLR 2021), but knowing the uses to come. Where an op finds no room, it
/// evicts what is cheap to make anew for its bytes and wanted late; where one misses an operand,
/// that is made first, and so on. Of `plays` with different tastes, fewer where a fixed amount of
/// work is used up before, the fastest counts, less the repetitions that it does without.
///
/// Rows of the plan are in any order, and an op may be in one several times. Nothing where no play
/// came to its end, or where ops overwrite values. Takes a problem that simulate() accepts.
[[nodiscard]] std::optional<RematPlan> evictingPlan(const RematProblem& problem,
                                                    std::int64_t budget, std::size_t plays,
                                                    const base::JobContext& job);

} // namespace plimsoll::solve
