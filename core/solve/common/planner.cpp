// SPDX-License-Identifier: Apache-2.0
#include "core/solve/common/planner.h"

#include "core/base/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace plimsoll::solve {

namespace {

/// "it has slots, runtime".
std::string namesOf(const std::vector<OptionRecord>& options)
{
    std::vector<std::string_view> names;
    names.reserve(options.size());
    for (const OptionRecord& option : options)
        names.emplace_back(option.name);
    return names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
}

} // namespace

const char* statusName(Status status)
{
    static constexpr std::array kNames{"optimal", "feasible", "infeasible", "not_found"};
    return kNames.at(static_cast<std::size_t>(status));
}

namespace {

/// In the order of the values 0 and 1.
const std::vector<std::string>& switchChoices()
{
    static const std::vector<std::string> kChoices{"off", "on"};
    return kChoices;
}

} // namespace

OptionRecord switchRecord(std::string name, std::string label, std::string sentence)
{
    return {.name = std::move(name),
            .sentence = std::move(sentence),
            .lower = 0,
            .standard = 0,
            .upper = 1,
            .choices = switchChoices(),
            .label = std::move(label)};
}

bool isSwitch(const OptionRecord& record)
{
    return record.lower == 0 && record.choices == switchChoices();
}

Planner::Planner(PlannerDescriptor descriptor) : m_descriptor{std::move(descriptor)} {}

base::Result<plan::FrontierPtr> Planner::frontier(const plan::Problem& problem,
                                                  const Options& options,
                                                  const base::JobContext& job,
                                                  const Listener& listener) const
{
    if (const base::Result<void> checked = checkOptions(m_descriptor, options); !checked)
        return tl::unexpected{checked.error()};
    return search(problem, options, job, listener);
}

base::Result<std::vector<Pick>> Planner::explain(const plan::VerifiedPlan& /*plan*/) const
{
    return base::failure(base::ErrorKind::Usage,
                         fmt::format("The planner {} does not choose value by value, so that there "
                                     "is nothing to explain.",
                                     descriptor().id));
}

base::Result<void> checkOptions(const PlannerDescriptor& descriptor, const Options& options)
{
    for (const auto& option : options) {
        const std::string& name = option.first;
        const std::int64_t value = option.second;
        const auto record =
            std::find_if(descriptor.options.begin(), descriptor.options.end(),
                         [&name](const OptionRecord& candidate) { return candidate.name == name; });
        if (record == descriptor.options.end())
            return base::failure(base::ErrorKind::Usage,
                                 fmt::format("The planner {} has no option \"{}\": {}.",
                                             descriptor.id, name, namesOf(descriptor.options)));
        if (value < record->lower || value > record->upper)
            return base::failure(
                base::ErrorKind::Usage,
                fmt::format("The option {} of the planner {} takes {} to {}, not {}.", name,
                            descriptor.id, record->lower, record->upper, value));
    }
    return {};
}

base::Result<std::int64_t> choiceValue(const OptionRecord& record, const std::string& name)
{
    const auto found = std::find(record.choices.begin(), record.choices.end(), name);
    if (found == record.choices.end())
        return base::failure(base::ErrorKind::Usage,
                             fmt::format("--{} {} is not known: choose one of {}.", record.name,
                                         base::printable(name, 40),
                                         fmt::join(record.choices, ", ")));
    return record.lower + (found - record.choices.begin());
}

std::string valueText(const OptionRecord& record, std::int64_t value)
{
    if (record.choices.empty())
        return std::to_string(value);
    return record.choices.at(static_cast<std::size_t>(value - record.lower));
}

std::int64_t optionValue(const PlannerDescriptor& descriptor, const Options& options,
                         const std::string& name)
{
    if (const auto given = options.find(name); given != options.end())
        return given->second;
    for (const OptionRecord& record : descriptor.options)
        if (record.name == name)
            return record.standard;
    return 0;
}

std::vector<std::pair<std::string, std::string>> optionTexts(const PlannerDescriptor& descriptor,
                                                             const Options& options)
{
    std::vector<std::pair<std::string, std::string>> texts;
    for (const OptionRecord& record : descriptor.options)
        texts.emplace_back(record.name,
                           valueText(record, optionValue(descriptor, options, record.name)));
    std::sort(texts.begin(), texts.end());
    return texts;
}

OptionRecord runtimeRecord()
{
    return {.name = "runtime",
            .sentence =
                "What executes the plan: checkpoint regions in the model (plimsoll.apply), or "
                "the recorded ops one by one (plimsoll.compile_step).",
            .lower = 0,
            .standard = 0,
            .upper = 1,
            .choices = {"checkpoint", "step"},
            .label = "Runtime"};
}

OptionRecord stepRuntimeRecord()
{
    return {.name = "runtime",
            .sentence = "What executes the plan: the recorded ops one by one "
                        "(plimsoll.compile_step).",
            .lower = 1,
            .standard = 1,
            .upper = 1,
            .choices = {"step"},
            .label = "Runtime"};
}

plan::Runtime runtimeOf(const PlannerDescriptor& descriptor, const Options& options)
{
    return optionValue(descriptor, options, "runtime") == 1 ? plan::Runtime::Step
                                                            : plan::Runtime::Checkpoint;
}

OptionRecord granularityRecord()
{
    return {.name = "granularity",
            .sentence = "Where regions may begin and end: between modules, or between any two ops.",
            .lower = 0,
            .standard = 0,
            .upper = 1,
            .choices = {"module", "op"},
            .label = "Regions"};
}

OptionRecord savedSetsRecord()
{
    return switchRecord("saved-sets", "Keep single results",
                        "Whether single results inside regions are kept where the budget has "
                        "room.");
}

OptionRecord freezeStatsRecord()
{
    return switchRecord("freeze-stats", "Freeze batch-norm statistics",
                        "Whether recomputations leave batch norm's running statistics alone, so "
                        "that they are updated once, as without a plan.");
}

bool freezesStats(const PlannerDescriptor& descriptor, const Options& options)
{
    return optionValue(descriptor, options, "freeze-stats") == 1;
}

plan::Runtime runtimeOf(const plan::Frontier& frontier)
{
    return frontier.points().empty() ? plan::Runtime::Checkpoint
                                     : frontier.points().front()->plan().runtime;
}

namespace {

/// Whether some plan runs ops in another order than the recorded one: an op listed before an
/// earlier one is ahead of its place.
bool reorders(const plan::Frontier& frontier)
{
    return std::ranges::any_of(frontier.points(), [](const plan::VerifiedPlanPtr& point) {
        return std::ranges::any_of(point->plan().again, [](const plan::Again& row) {
            return !row.ops.empty()
                   && row.ops.back().index() > static_cast<std::size_t>(row.before);
        });
    });
}

/// What is known to hold for the recorded order holds for no other.
base::Nanoseconds timeBoundOf(const plan::Problem& problem, const plan::Frontier& frontier)
{
    if (!reorders(frontier))
        return plan::stepTimeLowerBound(problem, runtimeOf(frontier));
    const plan::Evaluation& any = frontier.points().front()->evaluation();
    return any.stepTime - any.recomputeTime;
}

} // namespace

Outcome outcomeAt(const plan::Problem& problem, plan::FrontierPtr frontier)
{
    Outcome outcome;
    outcome.frontier = std::move(frontier);
    const plan::Runtime runtime = runtimeOf(*outcome.frontier);
    outcome.peakBound = plan::peakLowerBound(problem, runtime);
    outcome.timeBound = timeBoundOf(problem, *outcome.frontier);
    if (const plan::VerifiedPlanPtr point = outcome.frontier->at(problem.budget))
        if (base::Result<plan::VerifiedPlanPtr> best = plan::withBudget(*point, problem.budget))
            outcome.best = *best;
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
