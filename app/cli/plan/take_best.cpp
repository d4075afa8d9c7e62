// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/take_best.h"

#include <utility>

namespace plimsoll::cli {

namespace {

/// Needs the whole search.
void findWhereOneRuns(Planning& planning, const Taking& taking, const base::JobContext& context)
{
    if (!planning.searched || planning.outcome.stopped || taking.prefer == run::Prefer::Fastest)
        return;
    const base::Result<run::ReservedTablePtr> table =
        run::reservedTable(planning.outcome.frontier, taking.allocator, nullptr, context);
    if (!table) // only ever cancelled
        return;
    if (const run::PlansByBudget plans = run::plansByBudget(**table); !plans.empty())
        planning.runsFrom = plans.front().budget;
}

} // namespace

void takeBest(Planning& planning, const plan::FrontierPtr& frontier, const Taking& taking,
              const base::JobContext& context)
{
    const plan::Problem& problem = planning.problem;
    const bool stopped = planning.outcome.stopped;
    planning.outcome = solve::outcomeAt(problem, frontier);
    planning.outcome.stopped = stopped;
    planning.comparablePeak = problem.budget;
    if (!run::hasAllocator(problem))
        return;
    if (planning.outcome.best) {
        base::Result<run::PlanChoice> choice =
            run::choosePlan(*frontier, taking.allocator, problem.budget, taking.prefer, context);
        if (!choice && choice.error().kind == base::ErrorKind::Cancelled)
            return;
        run::PlanChoice chosen = orThrow(std::move(choice));
        planning.comparablePeak = chosen.comparablePeak(problem.budget);
        planning.run = RunAnswer{*chosen.verdict, taking.settings, std::move(chosen.passedOver),
                                 std::move(chosen.expandable)};
        planning.outcome = solve::outcomeWith(problem, frontier, std::move(chosen.plan));
        planning.outcome.stopped = stopped;
    }
    if (!planning.run || planning.run->verdict.status == run::RunStatus::Fails)
        findWhereOneRuns(planning, taking, context);
}

} // namespace plimsoll::cli
