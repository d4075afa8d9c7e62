// SPDX-License-Identifier: Apache-2.0
#include "core/solve/auto/fit_planners.h"

#include <fmt/format.h>

#include <algorithm>
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

/// What the planner is to be given; else why it can't do that: a sentence.
base::Result<Options> optionsFor(const PlannerDescriptor& planner, const PlannerDescriptor& asked,
                                 const Options& options)
{
    const bool hasRegions = runtimeOf(asked, options) == plan::Runtime::Checkpoint;
    Options given;
    const auto cannot = [](const OptionRecord& record, const OptionValue& value) {
        return base::failure(
            base::ErrorKind::Usage,
            fmt::format("It makes no plans with {} {}.", record.name, valueText(record, value)));
    };
    for (const OptionRecord& record : asked.options) {
        const OptionValue value = chosenValue(asked, options, record.name);
        const auto own = std::find_if(
            planner.options.begin(), planner.options.end(),
            [&record](const OptionRecord& candidate) { return candidate.name == record.name; });
        if (own == planner.options.end()) {
            if (isDemand(record, value, hasRegions))
                return cannot(record, value);
        } else if (!checkValue(*own, value)) {
            return cannot(record, value);
        } else {
            given[record.name] = value;
        }
    }
    return given;
}

} // namespace

FitPlanners fitPlanners(const std::vector<const Planner*>& planners, const PlannerDescriptor& asked,
                        const Options& options)
{
    FitPlanners all;
    for (const Planner* planner : planners) {
        plan::PartReport report{planner->descriptor().id, plan::PartState::Waiting};
        if (base::Result<Options> given = optionsFor(planner->descriptor(), asked, options)) {
            all.fit.push_back({planner, *std::move(given), all.reports.size()});
        } else {
            report.state = plan::PartState::Unfit;
            report.reason = given.error().message;
        }
        all.reports.push_back(std::move(report));
    }
    return all;
}

} // namespace plimsoll::solve
