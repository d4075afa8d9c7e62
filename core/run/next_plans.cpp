// SPDX-License-Identifier: Apache-2.0
#include "core/run/next_plans.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace plimsoll::run {

plan::FrontierPoint planFor(const PlansByBudget& plans, base::Bytes budget)
{
    const auto above = std::ranges::upper_bound(plans, budget, {}, &PlanFrom::budget);
    return above == plans.begin() ? plan::FrontierPoint{} : std::prev(above)->plan;
}

std::vector<NextPlan> nextPlans(const PlansByBudget& plans, const plan::VerifiedPlan& present,
                                std::size_t count,
                                const std::function<base::Bytes(base::Bytes)>& rounded)
{
    plan::Frontier frontier;
    for (const PlanFrom& from : plans)
        frontier.insert(from.plan);
    std::vector<NextPlan> found;
    base::Bytes least = present.evaluation().peak;
    for (const plan::CheaperPlan& cheapest : plan::cheapestPlans(frontier, present, count)) {
        const auto from = std::ranges::find(plans, cheapest.to, &PlanFrom::plan);
        if (from->budget >= present.problem().budget) // there it takes more than this one has
            continue;
        const base::Bytes budget = rounded ? rounded(from->budget) : from->budget;
        plan::FrontierPoint taken = planFor(plans, budget); // may be a faster one
        if (taken->evaluation().peak >= least)
            continue;
        least = taken->evaluation().peak;
        found.push_back({budget, plan::cheaperPlan(present, std::move(taken))});
    }
    return found;
}

} // namespace plimsoll::run
