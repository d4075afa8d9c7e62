// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/bounds/remat_problem.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// The goal and the limits of an exhaustive search.
struct RematExactLimits
{
    std::size_t states = 0;
    double below = std::numeric_limits<double>::infinity(); ///< time of recomputations
    std::vector<double> prices = {}; ///< by op, of a good bound (RematBound); empty: 0
};

/// The result of an exhaustive search.
struct RematExact
{
    bool isProven = false;         ///< false: it gave up
    std::optional<RematPlan> plan; ///< the fastest plan; nothing: none fits and is below
    double recomputeTime = 0; ///< a lower bound on every plan's recomputation time; if it gave up,
                              ///< on plans below the limit
};

/// Searches all plans of a problem (A* over what is in memory before each op), including rows in
/// any order and values of which only some writers are recomputed. Gives up at once if there are
/// more versions of values than it has bits for, and when it would need more states. Requires a
/// problem that simulate() accepts.
[[nodiscard]] RematExact solveExactly(const RematProblem& problem, std::int64_t budget,
                                      const RematExactLimits& limits, const base::JobContext& job);

} // namespace plimsoll::solve
