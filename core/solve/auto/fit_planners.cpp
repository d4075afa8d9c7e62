// SPDX-License-Identifier: Apache-2.0
#include "core/solve/auto/fit_planners.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace plimsoll::solve {

namespace {

/// Whether a planner that does not know the option can't do what is asked. Other options say only
/// how hard or with which further means those look that have them.
bool isDemand(const OptionRecord& record, const OptionValue& value, bool hasRegions)
{
    if (value == defaultValue(record))
        return false;
    // Where regions may begin says nothing to who makes none.
    return record.name == "runtime" || record.name == "freeze-stats"
           || (record.name == "granularity" && hasRegions);
}

/// What the planner is to be given; nothing: it can't do that.
std::optional<Options> optionsFor(const PlannerDescriptor& planner, const PlannerDescriptor& asked,
                                  const Options& options)
{
    const bool hasRegions = runtimeOf(asked, options) == plan::Runtime::Checkpoint;
    Options given;
    for (const OptionRecord& record : asked.options) {
        const OptionValue value = chosenValue(asked, options, record.name);
        const auto own = std::find_if(
            planner.options.begin(), planner.options.end(),
            [&record](const OptionRecord& candidate) { return candidate.name == record.name; });
        if (own == planner.options.end()) {
            if (isDemand(record, value, hasRegions))
                return std::nullopt;
        } else if (!checkValue(*own, value)) {
            return std::nullopt;
        } else {
            given[record.name] = value;
        }
    }
    return given;
}

} // namespace

std::vector<FitPlanner> fitPlanners(const std::vector<const Planner*>& planners,
                                    const PlannerDescriptor& asked, const Options& options)
{
    std::vector<FitPlanner> fit;
    for (const Planner* planner : planners)
        if (std::optional<Options> given = optionsFor(planner->descriptor(), asked, options))
            fit.push_back({planner, *std::move(given)});
    return fit;
}

} // namespace plimsoll::solve
