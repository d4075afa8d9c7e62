// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace plimsoll::solve {

/// The value of an option: a number, which also stands for a choice, or a string.
using OptionValue = std::variant<std::int64_t, std::string>;
/// Values by option name; absent options have their defaults.
using Options = std::map<std::string, OptionValue>;

enum class OptionKind : std::uint8_t {
    Number,
    Choice, ///< a number with a name
    Text,   ///< free text for the planner; empty by default
};
/// "number", "choice", "text".
[[nodiscard]] const char* optionKindName(OptionKind kind);

/// One option of a planner. Forms, command line, range checks and reports derive from it.
struct OptionRecord
{
    std::string name;     ///< "slots"
    std::string sentence; ///< describes the option
    std::int64_t lower = 0;
    std::int64_t standard = 0;             ///< the default
    std::int64_t upper = 0;                ///< of a text: the most bytes it may have
    std::vector<std::string> choices = {}; ///< names of the values from `lower` on; empty: numbers
    std::string label = {}; ///< for narrow forms, which otherwise show the name: "Regions"; for a
                            ///< switch, the meaning of on: "Keep single results"
    bool isText = false;
    std::string example = {}; ///< for a text: the placeholder of an empty field

    [[nodiscard]] OptionKind kind() const;
};

/// An option that is off (0, the default) or on (1).
[[nodiscard]] OptionRecord switchRecord(std::string name, std::string label, std::string sentence);
/// Whether a record is such a switch, for which a check box is enough.
[[nodiscard]] bool isSwitch(const OptionRecord& record);
/// An option that takes a text of at most 4096 bytes.
[[nodiscard]] OptionRecord textRecord(std::string name, std::string label, std::string sentence,
                                      std::string example);

[[nodiscard]] OptionValue defaultValue(const OptionRecord& record);
/// Whether the option accepts the value; the error continues "The option NAME".
[[nodiscard]] base::Result<void> checkValue(const OptionRecord& record, const OptionValue& value);
/// The value with the given name; Usage error with the sentence otherwise.
[[nodiscard]] base::Result<std::int64_t> choiceValue(const OptionRecord& record,
                                                     const std::string& name);
/// A value of the record, as a plan or a user writes it.
[[nodiscard]] std::string valueText(const OptionRecord& record, const OptionValue& value);

/// The option "runtime": what executes the plan.
[[nodiscard]] OptionRecord runtimeRecord();
/// The same for a planner whose plans only plimsoll.compile_step executes.
[[nodiscard]] OptionRecord stepRuntimeRecord();

/// The option "granularity": where regions may begin and end.
[[nodiscard]] OptionRecord granularityRecord();

/// The switch "saved-sets": whether regions keep single results.
[[nodiscard]] OptionRecord savedSetsRecord();

/// The switch "freeze-stats": whether recomputations leave running statistics alone.
[[nodiscard]] OptionRecord freezeStatsRecord();

} // namespace plimsoll::solve
