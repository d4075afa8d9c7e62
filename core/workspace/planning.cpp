// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/planning.h"

#include "core/base/try.h"
#include "core/graph/resize.h"
#include "core/plan/pins.h"
#include "core/run/reserved_table.h"
#include "core/solve/api/certify_and_insert.h"

#include <algorithm>
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

plan::Workspaces reservedWorkspaces(const graph::Program& recorded, const plan::Device& device)
{
    return plan::workspacesOf(recorded, device, plan::configuredWorkspace());
}

Sizes withSize(Sizes sizes, const graph::Axis& axis, std::int64_t size)
{
    if (size == axis.size)
        sizes.erase(axis.name);
    else
        sizes[axis.name] = size;
    return sizes;
}

void setDevice(Choices& choices, const graph::Program& recorded, plan::Device device)
{
    const bool isDefault = choices.reserve == reservedWorkspaces(recorded, choices.device).all();
    if (choices.parallel
        && choices.parallel->busBandwidth == plan::usualBusBandwidth(choices.device))
        choices.parallel->busBandwidth = plan::usualBusBandwidth(device);
    choices.device = std::move(device);
    if (isDefault || choices.reserve >= choices.device.memory)
        choices.reserve = reservedWorkspaces(recorded, choices.device).all();
}

base::Result<plan::Problem> makeProblem(const graph::ProgramPtr& program, const Choices& choices,
                                        base::Bytes budget)
{
    ASSIGN_OR_RETURN(std::vector<plan::Pin> pins, plan::resolvePins(choices.pins, *program));
    const plan::Problem alone{program,         choices.device,   budget,
                              choices.reserve, choices.rounding, std::move(pins)};
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

base::Result<graph::ProgramPtr> stepOf(const graph::ProgramPtr& recorded, const Choices& choices,
                                       const base::JobContext& job)
{
    ASSIGN_OR_RETURN(graph::ProgramPtr program, programAt(recorded, choices.sizes, job));
    const compare::StepTimesPtr times = choices.times();
    return times ? compare::withTimes(program, *times) : program;
}

namespace {

/// Its peak if the job is stopped, whose result nobody looks at.
base::Bytes neededBy(const plan::VerifiedPlan& plan, const base::JobContext& job)
{
    const base::Bytes peak = plan.evaluation().peak;
    if (!run::hasAllocator(plan.problem()))
        return peak;
    return std::max(peak, run::reservedBy(plan, {}, job.stop).value_or(peak));
}

} // namespace

base::Result<Planned> unplannedStep(const graph::ProgramPtr& recorded, const Choices& choices,
                                    const base::JobContext& job)
{
    ASSIGN_OR_RETURN(const graph::ProgramPtr program, stepOf(recorded, choices, job));
    if (job.stopRequested())
        return base::cancelled();
    Planned planned;
    planned.choices = choices;
    ASSIGN_OR_RETURN(planned.problem, makeProblem(program, choices, plan::kUnlimited));
    plan::Problem unpinned = planned.problem;
    unpinned.pins.clear();
    ASSIGN_OR_RETURN(planned.unplanned, plan::certify(unpinned, plan::keepEverything()));
    planned.unplannedNeeds = neededBy(*planned.unplanned, job);
    planned.peakBound = plan::peakLowerBound(planned.problem);
    plan::Frontier frontier;
    if (planned.problem.pins.empty())
        frontier.insert(planned.unplanned);
    else
        RETURN_IF_ERROR(solve::certifyAndInsert(frontier, planned.problem, plan::keepEverything()));
    planned.setFrontier(std::make_shared<const plan::Frontier>(std::move(frontier)));
    return planned;
}

base::Result<Planned> boundedStep(const graph::ProgramPtr& recorded, const Choices& choices,
                                  const base::JobContext& job)
{
    ASSIGN_OR_RETURN(const solve::Planner* planner, solve::findPlanner(choices.planner));
    ASSIGN_OR_RETURN(Planned planned, unplannedStep(recorded, choices, job));
    planned.peakBound = plan::peakLowerBound(
        planned.problem, solve::runtimeOf(planner->descriptor(), choices.options));
    return planned;
}

base::Result<PlannedPtr> planGraph(const graph::ProgramPtr& recorded, const Choices& choices,
                                   const base::JobContext& job, const PlannedListener& listener)
{
    ASSIGN_OR_RETURN(const solve::Planner* planner, solve::findPlanner(choices.planner));
    ASSIGN_OR_RETURN(Planned planned, boundedStep(recorded, choices, job));
    const auto began = std::chrono::steady_clock::now();
    const auto with = [&planned](plan::FrontierPtr frontier) {
        auto known = std::make_shared<Planned>(planned);
        known->setFrontier(std::move(frontier));
        return known;
    };
    solve::Listener heard;
    if (listener)
        heard = [&](const plan::FrontierPtr& frontier) { listener(with(frontier)); };
    ASSIGN_OR_RETURN(plan::FrontierPtr frontier,
                     planner->frontier(planned.problem, choices.options, job, heard));
    if (job.stopRequested())
        return base::cancelled();
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
    planned.took = base::Nanoseconds{took.count()};
    return with(std::move(frontier));
}

base::Result<Answer> answerAt(const Planned& planned, base::Bytes budget,
                              const allocator::AllocatorSettings& settings,
                              const base::JobContext& job, const run::ReservedTablePtr& known)
{
    plan::Problem problem = planned.problem;
    problem.budget = budget;
    Answer answer;
    if (!run::hasAllocator(problem)) {
        answer.outcome = solve::outcomeAt(problem, planned.frontier);
        answer.choice.plan = answer.outcome.best;
        return answer;
    }
    ASSIGN_OR_RETURN(answer.choice, run::choosePlan(*planned.frontier, settings, budget,
                                                    run::Prefer::Runs, job, known));
    answer.outcome = solve::outcomeWith(problem, planned.frontier, answer.choice.plan);
    return answer;
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
