// SPDX-License-Identifier: Apache-2.0
#include "core/solve/api/planner.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/plan/plan_kinds.h"
#include "core/solve/bounds/time_bound.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace plimsoll::solve {

namespace {

/// For example "it has slots, runtime".
std::string namesOf(const std::vector<OptionRecord>& options)
{
    std::vector<std::string_view> names;
    names.reserve(options.size());
    for (const OptionRecord& option : options)
        names.emplace_back(option.name);
    return names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
}

const OptionRecord* recordOf(const PlannerDescriptor& descriptor, const std::string& name)
{
    const auto found = std::ranges::find(descriptor.options, name, &OptionRecord::name);
    return found != descriptor.options.end() ? &*found : nullptr;
}

} // namespace

Planner::Planner(PlannerDescriptor descriptor) : m_descriptor{std::move(descriptor)} {}

base::Result<plan::FrontierPtr> Planner::frontier(const plan::Problem& problem,
                                                  const Options& options,
                                                  const base::JobContext& job,
                                                  const Listener& listener) const
{
    RETURN_IF_ERROR(checkOptions(m_descriptor, options));
    return search(problem, options, job, listener);
}

base::Result<std::vector<Pick>> Planner::explain(const plan::VerifiedPlan& /*plan*/) const
{
    return base::failure(
        base::ErrorKind::Usage,
        fmt::format(
            "The planner {} does not choose value by value, so there is nothing to explain.",
            descriptor().id));
}

base::Result<void> checkOptions(const PlannerDescriptor& descriptor, const Options& options)
{
    for (const auto& [name, value] : options) {
        const OptionRecord* record = recordOf(descriptor, name);
        if (record == nullptr)
            return base::failure(base::ErrorKind::Usage,
                                 fmt::format("The planner {} has no option \"{}\": {}.",
                                             descriptor.id, name, namesOf(descriptor.options)));
        if (const base::Result<void> taken = checkValue(*record, value); !taken)
            return base::failure(base::ErrorKind::Usage,
                                 fmt::format("The option {} of the planner {} {}.", name,
                                             descriptor.id, taken.error().message));
    }
    return {};
}

OptionValue chosenValue(const PlannerDescriptor& descriptor, const Options& options,
                        const std::string& name)
{
    if (const auto given = options.find(name); given != options.end())
        return given->second;
    const OptionRecord* record = recordOf(descriptor, name);
    return record != nullptr ? defaultValue(*record) : OptionValue{};
}

plan::PlannerCall callOf(const PlannerDescriptor& descriptor, const Options& options)
{
    plan::PlannerCall call{descriptor.id, {}};
    for (const OptionRecord& record : descriptor.options)
        call.options.emplace_back(record.name,
                                  valueText(record, chosenValue(descriptor, options, record.name)));
    std::ranges::sort(call.options);
    return call;
}

std::string callText(const PlannerDescriptor& descriptor,
                     const std::vector<std::pair<std::string, std::string>>& options)
{
    std::string call = descriptor.id;
    for (const auto& [name, text] : options) {
        const OptionRecord* record = recordOf(descriptor, name);
        if (record == nullptr || text != valueText(*record, defaultValue(*record)))
            call += fmt::format(" --{} {}", name, text);
    }
    return call;
}

base::Result<void> checkRuntime(const PlannerDescriptor& descriptor, const Options& options)
{
    const OptionReader asked{descriptor, options};
    for (const auto& [option, why] : plan::kindOf(runtimeOf(descriptor, options)).refused)
        if (asked.get<bool>(option))
            return base::failure(base::ErrorKind::Usage, why);
    return {};
}

plan::Runtime runtimeOf(const PlannerDescriptor& descriptor, const Options& options)
{
    return OptionReader{descriptor, options}.get<plan::Runtime>("runtime");
}

namespace {

/// Whether some plan runs ops in a different order than recorded: a row that lists an op after its
/// `before` runs that op ahead of its recorded place.
bool reorders(const plan::Frontier& frontier)
{
    return std::ranges::any_of(frontier.points(), [](const plan::FrontierPoint& point) {
        return std::ranges::any_of(
            point->plan().recomputeSteps(), [](const plan::RecomputeStep& row) {
                return !row.ops.empty()
                       && row.ops.back().index() > static_cast<std::size_t>(row.before);
            });
    });
}

/// The lower bound holds for the recorded order only; a reordered plan may be faster.
base::Nanoseconds timeBoundOf(const plan::Problem& problem, const plan::Frontier& frontier)
{
    if (!reorders(frontier))
        return stepTimeLowerBound(problem, frontier.runtime());
    const plan::Evaluation& any = frontier.points().front()->evaluation();
    return any.stepTime - any.recomputeTime;
}

} // namespace

Outcome outcomeAt(const plan::Problem& problem, plan::FrontierPtr frontier)
{
    plan::FrontierPoint best;
    if (const plan::FrontierPoint point = frontier->at(problem.budget))
        if (base::Result<plan::VerifiedPlanPtr> plan = plan::withBudget(*point, problem.budget))
            best = {*plan, point.provenance};
    return outcomeWith(problem, std::move(frontier), std::move(best));
}

Outcome outcomeWith(const plan::Problem& problem, plan::FrontierPtr frontier,
                    plan::FrontierPoint best)
{
    Outcome outcome;
    outcome.frontier = std::move(frontier);
    outcome.best = std::move(best);
    const plan::Runtime runtime = outcome.frontier->runtime();
    outcome.peakBound = plan::peakLowerBound(problem, runtime);
    outcome.timeBound = timeBoundOf(problem, *outcome.frontier);
    if (outcome.best)
        outcome.status = outcome.best->evaluation().stepTime <= outcome.timeBound
                             ? Status::Optimal
                             : Status::Feasible;
    else
        outcome.status =
            problem.budget < outcome.peakBound.bytes ? Status::Infeasible : Status::NotFound;
    return outcome;
}

} // namespace plimsoll::solve
