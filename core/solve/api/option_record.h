// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace plimsoll::solve {

/// What an option is set to: a number, which also stands for a choice, or a text.
using OptionValue = std::variant<std::int64_t, std::string>;
/// Values by option name; absent ones take their defaults.
using Options = std::map<std::string, OptionValue>;

enum class OptionKind : std::uint8_t {
    Number,
    Choice, ///< a number with a name
    Text,   ///< whatever the planner reads in it; empty by default
};
/// "number", "choice", "text".
[[nodiscard]] const char* optionKindName(OptionKind kind);

/// One option of a planner. Forms, command line, range checks and reports derive from it.
struct OptionRecord
{
    std::string name;     ///< "slots"
    std::string sentence; ///< what it does
    std::int64_t lower = 0;
    std::int64_t standard = 0;             ///< the default
    std::int64_t upper = 0;                ///< of a text: the most bytes it may have
    std::vector<std::string> choices = {}; ///< names of the values from `lower` on; empty: numbers
    std::string label = {}; ///< for narrow forms, else they show the name: "Regions"; of a switch
                            ///< what being on means: "Keep single results"
    bool isText = false;
    std::string example = {}; ///< of a text: what a form shows in an empty field

    [[nodiscard]] OptionKind kind() const;
};

/// An option that is off (0, the default) or on (1).
[[nodiscard]] OptionRecord switchRecord(std::string name, std::string label, std::string sentence);
/// Whether a record is of that kind, so that a form needs no more than a box to check.
[[nodiscard]] bool isSwitch(const OptionRecord& record);
/// An option that takes a text of at most 4096 bytes.
[[nodiscard]] OptionRecord textRecord(std::string name, std::string label, std::string sentence,
                                      std::string example);

[[nodiscard]] OptionValue defaultValue(const OptionRecord& record);
/// Whether the option takes it; the error goes on from "The option NAME".
[[nodiscard]] base::Result<void> checkValue(const OptionRecord& record, const OptionValue& value);
/// The value of a choice's name; Usage error with the sentence otherwise.
[[nodiscard]] base::Result<std::int64_t> choiceValue(const OptionRecord& record,
                                                     const std::string& name);
/// A value that the record takes, as a plan or a user names it.
[[nodiscard]] std::string valueText(const OptionRecord& record, const OptionValue& value);

/// The option "runtime": what executes the plan.
[[nodiscard]] OptionRecord runtimeRecord();
/// The same of a planner whose plans nothing but plimsoll.compile_step executes.
[[nodiscard]] OptionRecord stepRuntimeRecord();

/// The option "granularity": between what regions lie.
[[nodiscard]] OptionRecord granularityRecord();

/// The switch "saved-sets": whether regions keep single results.
[[nodiscard]] OptionRecord savedSetsRecord();

/// The switch "freeze-stats": whether recomputations leave running statistics alone.
[[nodiscard]] OptionRecord freezeStatsRecord();

} // namespace plimsoll::solve
