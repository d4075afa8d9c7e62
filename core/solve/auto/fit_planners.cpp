// SPDX-License-Identifier: Apache-2.0
#include "core/solve/auto/fit_planners.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::solve {

namespace {

/// Whether a planner without this option can't do what the user asked for. Options other than
/// `runtime` and `freeze-stats` only tune the search, so planners that lack them still take part.
bool isDemand(const OptionRecord& record, const OptionValue& value)
{
    return value != defaultValue(record)
           && (record.name == "runtime" || record.name == "freeze-stats");
}

/// Whether the part does no more than was asked for: it must use the requested runtime, and a
/// higher value of a switch or choice includes the lower ones.
bool isAskedFor(const AutoPart& part, const PlannerDescriptor& asked, const Options& options)
{
    return std::all_of(part.own.begin(), part.own.end(), [&](const auto& own) {
        const auto& [name, value] = own;
        const bool isKnown =
            std::any_of(asked.options.begin(), asked.options.end(),
                        [&name = name](const OptionRecord& record) { return record.name == name; });
        const OptionValue wanted = chosenValue(asked, options, name);
        return !isKnown || (name == "runtime" ? value == wanted : value <= wanted);
    });
}

/// The options to pass to the part, or a sentence that says why it can't take them.
base::Result<Options> optionsFor(const AutoPart& part, const PlannerDescriptor& asked,
                                 const Options& options)
{
    const std::vector<OptionRecord>& records = part.planner->descriptor().options;
    Options given = part.own;
    const auto cannot = [](const OptionRecord& record, const OptionValue& value) {
        return base::failure(
            base::ErrorKind::Usage,
            fmt::format("It makes no plans with {} {}.", record.name, valueText(record, value)));
    };
    for (const OptionRecord& record : asked.options) {
        if (part.own.contains(record.name))
            continue;
        const OptionValue value = chosenValue(asked, options, record.name);
        const auto own =
            std::find_if(records.begin(), records.end(), [&record](const OptionRecord& candidate) {
                return candidate.name == record.name;
            });
        if (own == records.end()) {
            if (isDemand(record, value))
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

FitPlanners fitPlanners(const std::vector<AutoPart>& parts, const PlannerDescriptor& asked,
                        const Options& options)
{
    FitPlanners all;
    for (const AutoPart& part : parts) {
        if (!isAskedFor(part, asked, options))
            continue;
        const PlannerDescriptor& about = part.planner->descriptor();
        plan::PlannerProgress report{about.id, plan::PlannerState::Waiting};
        if (base::Result<Options> given = optionsFor(part, asked, options)) {
            report.call = callText(about, callOf(about, *given).options);
            all.fit.push_back({part.planner, *std::move(given), all.reports.size()});
        } else {
            report.state = plan::PlannerState::Unfit;
            report.reason = given.error().message;
        }
        all.reports.push_back(std::move(report));
    }
    return all;
}

} // namespace plimsoll::solve
