// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/remat/remat_problem.h"

#include <cstdint>
#include <optional>

namespace plimsoll::solve {

/// What an exhaustive search says.
struct RematExact
{
    bool isProven = false;         ///< false: it gave up
    std::optional<RematPlan> plan; ///< the fastest one; nothing: none fits
};

/// Looks at every plan of a small problem (A* over what is in memory before each op), rows in any
/// order and values whose writers run again in part included. It gives up at once where a problem
/// is too large for that, and where the search grows beyond some thousands of states. Takes a
/// problem that simulate() accepts.
[[nodiscard]] RematExact solveExactly(const RematProblem& problem, std::int64_t budget,
                                      const base::JobContext& job);

} // namespace plimsoll::solve
