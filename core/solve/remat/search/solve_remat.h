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

/// A plan and its simulated figures.
struct RematPoint
{
    RematPlan plan;
    RematFigures figures;
};

/// Called with each plan that fits and is faster than those before.
using RematIncumbent = std::function<void(const RematPoint&)>;

struct RematAnswer
{
    Status status = Status::NotFound;
    std::optional<RematPoint> best; ///< fastest within the budget
    RematFigures base;              ///< without recomputation
    RematWorkingSet workingSet;     ///< a lower bound on every plan's peak
    std::int64_t smallestPeak = 0;  ///< of the known plans, including those that don't fit
    double timeBound = 0;           ///< no plan within the budget is faster; 0: unknown
    bool stopped = false;           ///< before the search was over
};

/// Called with the current state: first the bound alone, then whenever plan or bound improves. The
/// status is not set yet.
using RematListener = std::function<void(const RematAnswer&)>;

/// Searches the fastest plan within a budget; for small problems it is optimal. The same input
/// gives the same plan unless the job is stopped, which leaves the best plan so far. "Does not fit"
/// is an answer; a problem that simulate() doesn't accept is an error.
[[nodiscard]] base::Result<RematAnswer> solveRemat(const RematProblem& problem, std::int64_t budget,
                                                   const base::JobContext& job,
                                                   const RematListener& listener = {});

/// The fastest plan found for each budget. Each search is warm-started from the next larger
/// budget's plan and from those of `starts`, plans of any origin, that fit; it is no slower than
/// any of them, and a larger budget never has a slower plan or one with a smaller peak. `budgets`
/// are falling; nothing where no plan was found. `incumbent` is called with the first plan for each
/// budget, which may still be improved. Starts that simulate() doesn't accept are skipped.
[[nodiscard]] base::Result<std::vector<std::optional<RematPoint>>>
rematFrontier(const RematProblem& problem, const std::vector<std::int64_t>& budgets,
              const base::JobContext& job, const RematIncumbent& incumbent = {},
              const std::vector<RematPlan>& starts = {});

} // namespace plimsoll::solve
