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

/// What an exhaustive search is to look for, and how far.
struct RematExactLimits
{
    std::size_t states = 0;
    double below = std::numeric_limits<double>::infinity(); ///< time of repetitions
    std::vector<double> prices = {}; ///< by op, of a good bound (RematBound); empty: 0
};

/// What an exhaustive search says.
struct RematExact
{
    bool isProven = false;         ///< false: it gave up
    std::optional<RematPlan> plan; ///< the fastest one; nothing: none fits and is below
    double recomputeTime =
        0; ///< no plan's repetitions take less; where it gave up, none that is below
};

/// Looks at every plan of a problem (A* over what is in memory before each op), rows in any order
/// and values whose writers run again in part included. It gives up at once where there are more
/// versions of values than it has bits for, and where it would need more states. Takes a problem
/// that simulate() accepts.
[[nodiscard]] RematExact solveExactly(const RematProblem& problem, std::int64_t budget,
                                      const RematExactLimits& limits, const base::JobContext& job);

} // namespace plimsoll::solve
