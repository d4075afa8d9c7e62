// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/api/status.h"
#include "core/solve/bounds/remat_bounds.h"
#include "core/solve/bounds/remat_problem.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// A plan and what simulate() says of it.
struct RematPoint
{
    RematPlan plan;
    RematFigures figures;
};

/// Is told of each plan that fits and is faster than those before.
using RematIncumbent = std::function<void(const RematPoint&)>;

struct RematAnswer
{
    Status status = Status::NotFound;
    std::optional<RematPoint> best; ///< fastest within the budget
    RematFigures base;              ///< nothing repeated
    RematWorkingSet workingSet;     ///< no plan needs less
    std::int64_t smallestPeak = 0;  ///< of the plans that are known, also those that don't fit
    double timeBound = 0;           ///< no plan within the budget is faster; 0: there is none
    bool stopped = false;           ///< before the search was over
};

/// Is told what is known so far: first the bound alone, then whenever plan or bound got better. The
/// status is none yet.
using RematListener = std::function<void(const RematAnswer&)>;

/// Looks for the fastest plan within a budget; of a small problem it finds it. The same input gives
/// the same plan unless the job is stopped, which leaves the best plan so far. "Does not fit" is an
/// answer; a problem that simulate() does not take is an error.
[[nodiscard]] base::Result<RematAnswer> solveRemat(const RematProblem& problem, std::int64_t budget,
                                                   const base::JobContext& job,
                                                   const RematListener& listener = {});

/// The fastest plan found for each budget, each search warm-started from the next larger one's
/// plan and from those of `starts`, plans of whatever origin, that fit; no slower than any of them,
/// and a larger budget never has a slower plan or one of a smaller peak. `budgets` fall; nothing
/// where none was found. `incumbent` is told of the first plan for each budget, which may still be
/// made faster. Starts that simulate() does not take are left out.
[[nodiscard]] base::Result<std::vector<std::optional<RematPoint>>>
rematFrontier(const RematProblem& problem, const std::vector<std::int64_t>& budgets,
              const base::JobContext& job, const RematIncumbent& incumbent = {},
              const std::vector<RematPlan>& starts = {});

} // namespace plimsoll::solve
