// SPDX-License-Identifier: Apache-2.0
#include "core/solve/auto/fit_planners.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace plimsoll::solve {

namespace {

/// What the planner is to be given; nothing: it can't do that.
std::optional<Options> optionsFor(const PlannerDescriptor& planner, const PlannerDescriptor& asked,
                                  const Options& options)
{
    const bool hasRegions = runtimeOf(asked, options) == plan::Runtime::Checkpoint;
    Options given;
    for (const OptionRecord& record : asked.options) {
        const std::int64_t value = optionValue(asked, options, record.name);
        const auto own = std::find_if(
            planner.options.begin(), planner.options.end(),
            [&record](const OptionRecord& candidate) { return candidate.name == record.name; });
        if (own != planner.options.end()) {
            if (value < own->lower || value > own->upper)
                return std::nullopt;
            given[record.name] = value;
            continue;
        }
        // Where regions may begin says nothing to who makes none.
        const bool asksForNothing =
            value == record.standard || (!hasRegions && record.name == "granularity");
        if (!asksForNothing)
            return std::nullopt;
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
