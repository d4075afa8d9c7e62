// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/planner_list.h"

#include "core/solve/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace plimsoll::cli {

namespace {

ordered_json optionJson(const solve::OptionRecord& option)
{
    ordered_json json = {{"name", option.name},
                         {"kind", solve::optionKindName(option.kind())},
                         {"sentence", option.sentence}};
    if (option.isText) {
        json["default"] = "";
        json["longest"] = option.upper;
        return json;
    }
    json["lower"] = option.lower;
    json["default"] = option.standard;
    json["upper"] = option.upper;
    if (!option.choices.empty())
        json["choices"] = option.choices;
    return json;
}

/// "--slots 16..4000 (default 500): ...".
std::string optionText(const solve::OptionRecord& option)
{
    if (option.isText)
        return fmt::format("--{} TEXT, such as {} (default: none): {}", option.name, option.example,
                           option.sentence);
    return fmt::format("--{} {} (default {}): {}", option.name,
                       option.choices.empty() ? fmt::format("{}..{}", option.lower, option.upper)
                                              : fmt::format("{}", fmt::join(option.choices, "|")),
                       solve::valueText(option, option.standard), option.sentence);
}

} // namespace

Answer listPlanners()
{
    Answer answer;
    ordered_json rows = ordered_json::array();
    for (const auto& planner : solve::planners()) {
        const solve::PlannerDescriptor& descriptor = planner->descriptor();
        ordered_json options = ordered_json::array();
        answer.text += fmt::format("{:<12} {}\n", descriptor.id, descriptor.sentence);
        for (const solve::OptionRecord& option : descriptor.options) {
            options.push_back(optionJson(option));
            answer.text += fmt::format("    {}\n", optionText(option));
        }
        answer.text += fmt::format("    based on: {}\n", descriptor.source);
        for (const std::string& sentence : descriptor.leavesOut)
            answer.text += fmt::format("    leaves out: {}\n", sentence);
        rows.push_back({{"id", descriptor.id},
                        {"name", descriptor.name},
                        {"sentence", descriptor.sentence},
                        {"source", descriptor.source},
                        {"leaves_out", descriptor.leavesOut},
                        {"options", std::move(options)},
                        {"default", descriptor.id == solve::kDefaultPlanner}});
    }
    answer.json = {{"planners", std::move(rows)}};
    return answer;
}

bool isPlannerDefault(const std::string& name, const std::string& text)
{
    for (const auto& planner : solve::planners())
        if (planner->descriptor().id != solve::kDefaultPlanner)
            for (const solve::OptionRecord& record : planner->descriptor().options)
                if (record.name == name)
                    return solve::valueText(record, solve::defaultValue(record)) == text;
    return false;
}

std::string explainers()
{
    std::vector<std::string> ids;
    for (const auto& planner : solve::planners())
        if (planner->descriptor().explains)
            ids.push_back(planner->descriptor().id);
    return fmt::format("{}", fmt::join(ids, ", "));
}

} // namespace plimsoll::cli
