// SPDX-License-Identifier: Apache-2.0
#include "core/solve/api/option_record.h"

#include "core/base/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace plimsoll::solve {

namespace {

constexpr std::int64_t kLongestText = 4096; // bytes: enough for all module names of a model

/// The names of the values 0 and 1, in this order.
const std::vector<std::string>& switchChoices()
{
    static const std::vector<std::string> kChoices{"off", "on"};
    return kChoices;
}

base::Result<void> refused(std::string why)
{
    return base::failure(base::ErrorKind::Usage, std::move(why));
}

base::Result<void> checkText(const OptionRecord& record, const std::string& text)
{
    if (static_cast<std::int64_t>(text.size()) > record.upper)
        return refused(
            fmt::format("takes at most {} bytes of text, not {}", record.upper, text.size()));
    if (base::printable(text, std::numeric_limits<std::size_t>::max()) != text)
        return refused(
            fmt::format("takes one line of text, not \"{}\": it has invisible characters",
                        base::printable(text, 40)));
    return {};
}

} // namespace

const char* optionKindName(OptionKind kind)
{
    static constexpr std::array kNames{"number", "choice", "text"};
    return kNames.at(static_cast<std::size_t>(kind));
}

OptionKind OptionRecord::kind() const
{
    if (isText)
        return OptionKind::Text;
    return choices.empty() ? OptionKind::Number : OptionKind::Choice;
}

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

OptionRecord textRecord(std::string name, std::string label, std::string sentence,
                        std::string example)
{
    return {.name = std::move(name),
            .sentence = std::move(sentence),
            .upper = kLongestText,
            .label = std::move(label),
            .isText = true,
            .example = std::move(example)};
}

OptionValue defaultValue(const OptionRecord& record)
{
    return record.isText ? OptionValue{std::string{}} : OptionValue{record.standard};
}

base::Result<void> checkValue(const OptionRecord& record, const OptionValue& value)
{
    const auto* number = std::get_if<std::int64_t>(&value);
    const auto* text = std::get_if<std::string>(&value);
    if (record.isText)
        return text != nullptr ? checkText(record, *text)
                               : refused(fmt::format("takes a string, not {}", *number));
    if (number == nullptr)
        return refused(fmt::format("takes {} to {}, not \"{}\"", record.lower, record.upper,
                                   base::printable(*text, 40)));
    if (*number < record.lower || *number > record.upper)
        return refused(fmt::format("takes {} to {}, not {}", record.lower, record.upper, *number));
    return {};
}

base::Result<std::int64_t> choiceValue(const OptionRecord& record, const std::string& name)
{
    const auto found = std::ranges::find(record.choices, name);
    if (found == record.choices.end())
        return base::failure(base::ErrorKind::Usage,
                             fmt::format("--{} {} is not known: choose one of {}.", record.name,
                                         base::printable(name, 40),
                                         fmt::join(record.choices, ", ")));
    return record.lower + (found - record.choices.begin());
}

std::string valueText(const OptionRecord& record, const OptionValue& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    const std::int64_t number = std::get<std::int64_t>(value);
    if (record.choices.empty())
        return std::to_string(number);
    return record.choices.at(static_cast<std::size_t>(number - record.lower));
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

} // namespace plimsoll::solve
