// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/take_best.h"

#include <utility>

namespace plimsoll::cli {

namespace {

/// Null: not asked for, or stopped; without the whole search it would know too little.
run::ReservedTablePtr tableOf(const Planning& planning, const plan::FrontierPtr& frontier,
                              const Taking& taking, const base::JobContext& context)
{
    if (!run::hasAllocator(planning.problem) || !planning.searched || planning.outcome.stopped
        || taking.prefer == run::Prefer::Fastest)
        return nullptr;
    return run::reservedTable(frontier, taking.allocator, nullptr, context).value_or(nullptr);
}

void choose(Planning& planning, const plan::FrontierPtr& frontier, const Taking& taking,
            const run::ReservedTablePtr& table, const base::JobContext& context)
{
    const plan::Problem& problem = planning.problem;
    base::Result<run::PlanChoice> choice =
        run::choosePlan(*frontier, taking.allocator, problem.budget, taking.prefer, context, table);
    if (!choice && choice.error().kind == base::ErrorKind::Cancelled)
        return;
    run::PlanChoice chosen = orThrow(std::move(choice));
    planning.comparablePeak = chosen.comparablePeak(problem.budget);
    planning.run = RunAnswer{*chosen.verdict, taking.settings, std::move(chosen.passedOver),
                             std::move(chosen.expandable)};
    const bool stopped = planning.outcome.stopped;
    planning.outcome = solve::outcomeWith(problem, frontier, std::move(chosen.plan));
    planning.outcome.stopped = stopped;
}

} // namespace

void takeBest(Planning& planning, const plan::FrontierPtr& frontier, const Taking& taking,
              const base::JobContext& context)
{
    const bool stopped = planning.outcome.stopped;
    planning.outcome = solve::outcomeAt(planning.problem, frontier);
    planning.outcome.stopped = stopped;
    planning.comparablePeak = planning.problem.budget;
    const run::ReservedTablePtr table = tableOf(planning, frontier, taking, context);
    planning.byBudget = table ? run::plansByBudget(*table) : run::plansByBudget(*frontier);
    if (planning.outcome.best && run::hasAllocator(planning.problem))
        choose(planning, frontier, taking, table, context);
    const bool runs = planning.run && planning.run->verdict.status != run::RunStatus::Fails;
    if (table && !runs && !planning.byBudget.empty())
        planning.runsFrom = planning.byBudget.front().budget;
}

} // namespace plimsoll::cli
