// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/planning.h"

#include <utility>

namespace plimsoll::workspace {

namespace {

constexpr base::Bytes kUnlimited{std::int64_t{1} << 62};

} // namespace

plan::Problem pose(const graph::ProgramPtr& program, const Choices& choices, base::Bytes budget)
{
    return {program, choices.device, budget, choices.reserve, choices.rounding};
}

base::Result<PlannedPtr> planGraph(const graph::ProgramPtr& program, const Choices& choices,
                                   const base::JobContext& job)
{
    const base::Result<const solve::Planner*> planner = solve::findPlanner(choices.planner);
    if (!planner)
        return tl::unexpected{planner.error()};
    const plan::Problem problem = pose(program, choices, kUnlimited);
    auto planned = std::make_shared<Planned>();
    planned->choices = choices;
    base::Result<plan::VerifiedPlanPtr> unplanned = plan::certify(problem, plan::keepEverything());
    if (!unplanned)
        return tl::unexpected{unplanned.error()};
    planned->unplanned = *std::move(unplanned);
    base::Result<plan::FrontierPtr> frontier = (*planner)->frontier(problem, choices.options, job);
    if (!frontier)
        return tl::unexpected{frontier.error()};
    if (job.stopRequested())
        return base::cancelled();
    planned->frontier = *std::move(frontier);
    planned->peakBound = plan::peakLowerBound(problem);
    planned->smallestPeak = planned->unplanned->evaluation().peak;
    if (!planned->frontier->points().empty())
        planned->smallestPeak = planned->frontier->points().front()->evaluation().peak;
    return PlannedPtr{std::move(planned)};
}

solve::Outcome answerAt(const graph::ProgramPtr& program, const Planned& planned,
                        base::Bytes budget)
{
    return solve::outcomeAt(pose(program, planned.choices, budget), planned.frontier);
}

plan::VerifiedPlanPtr planAt(const Planned& planned, base::Bytes budget)
{
    const plan::VerifiedPlanPtr point = planned.frontier->at(budget);
    if (!point)
        return nullptr;
    base::Result<plan::VerifiedPlanPtr> fitted = plan::withBudget(*point, budget);
    return fitted ? *std::move(fitted) : nullptr;
}

} // namespace plimsoll::workspace
