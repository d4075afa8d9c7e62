// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/planning.h"

#include "core/graph/resize.h"
#include "core/plan/pins.h"
#include "core/solve/api/certify_and_insert.h"

#include <chrono>
#include <utility>
#include <vector>

namespace plimsoll::workspace {

void Planned::setFrontier(plan::FrontierPtr known)
{
    frontier = std::move(known);
    smallestPeak = frontier->points().empty() ? unplanned->evaluation().peak
                                              : frontier->points().front()->evaluation().peak;
}

base::Result<plan::Problem> makeProblem(const graph::ProgramPtr& program, const Choices& choices,
                                        base::Bytes budget)
{
    base::Result<std::vector<plan::Pin>> pins = plan::resolvePins(choices.pins, *program);
    if (!pins)
        return tl::unexpected{pins.error()};
    const plan::Problem alone{program,         choices.device,   budget,
                              choices.reserve, choices.rounding, *std::move(pins)};
    return choices.parallel ? plan::forRank(alone, *choices.parallel) : alone;
}

base::Result<graph::ProgramPtr> programAt(const graph::ProgramPtr& recorded, const Sizes& sizes,
                                          const base::JobContext& job)
{
    std::vector<graph::AxisSize> wanted;
    for (const auto& [axis, size] : sizes)
        wanted.push_back({axis, size});
    return graph::resized(recorded, wanted, job);
}

base::Result<Planned> unplannedStep(const graph::ProgramPtr& recorded, const Choices& choices,
                                    const base::JobContext& job)
{
    const base::Result<graph::ProgramPtr> program = programAt(recorded, choices.sizes, job);
    if (!program)
        return tl::unexpected{program.error()};
    if (job.stopRequested())
        return base::cancelled();
    const base::Result<plan::Problem> problem = makeProblem(*program, choices, plan::kUnlimited);
    if (!problem)
        return tl::unexpected{problem.error()};
    plan::Problem unpinned = *problem;
    unpinned.pins.clear();
    base::Result<plan::VerifiedPlanPtr> unplanned = plan::certify(unpinned, plan::keepEverything());
    if (!unplanned)
        return tl::unexpected{unplanned.error()};
    Planned planned;
    planned.choices = choices;
    planned.problem = *problem;
    planned.unplanned = *std::move(unplanned);
    planned.peakBound = plan::peakLowerBound(*problem);
    plan::Frontier frontier;
    if (problem->pins.empty())
        frontier.insert(planned.unplanned);
    else if (base::Result<void> offered =
                 solve::certifyAndInsert(frontier, *problem, plan::keepEverything());
             !offered)
        return tl::unexpected{offered.error()};
    planned.setFrontier(std::make_shared<const plan::Frontier>(std::move(frontier)));
    return planned;
}

base::Result<PlannedPtr> planGraph(const graph::ProgramPtr& recorded, const Choices& choices,
                                   const base::JobContext& job, const PlannedListener& listener)
{
    const base::Result<const solve::Planner*> planner = solve::findPlanner(choices.planner);
    if (!planner)
        return tl::unexpected{planner.error()};
    base::Result<Planned> planned = unplannedStep(recorded, choices, job);
    if (!planned)
        return tl::unexpected{planned.error()};
    const auto began = std::chrono::steady_clock::now();
    planned->peakBound = plan::peakLowerBound(
        planned->problem, solve::runtimeOf((*planner)->descriptor(), choices.options));
    const auto with = [&planned](plan::FrontierPtr frontier) {
        auto known = std::make_shared<Planned>(*planned);
        known->setFrontier(std::move(frontier));
        return known;
    };
    solve::Listener heard;
    if (listener)
        heard = [&](const plan::FrontierPtr& frontier) { listener(with(frontier)); };
    base::Result<plan::FrontierPtr> frontier =
        (*planner)->frontier(planned->problem, choices.options, job, heard);
    if (!frontier)
        return tl::unexpected{frontier.error()};
    if (job.stopRequested())
        return base::cancelled();
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
    planned->took = base::Nanoseconds{took.count()};
    return with(*std::move(frontier));
}

solve::Outcome answerAt(const Planned& planned, base::Bytes budget)
{
    plan::Problem problem = planned.problem;
    problem.budget = budget;
    return solve::outcomeAt(problem, planned.frontier);
}

plan::FrontierPoint planAt(const Planned& planned, base::Bytes budget)
{
    const plan::FrontierPoint point = planned.frontier->at(budget);
    if (!point)
        return {};
    base::Result<plan::VerifiedPlanPtr> fitted = plan::withBudget(*point, budget);
    return fitted ? plan::FrontierPoint{*fitted, point.provenance} : plan::FrontierPoint{};
}

} // namespace plimsoll::workspace
