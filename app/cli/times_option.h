// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/compare/step_times.h"
#include "core/plan/plan.h"

#include <optional>
#include <string>

namespace plimsoll::cli {

/// --times PROFILE: times of ops from a profile, instead of those of the device's model.
class TimesOption
{
public:
    void addTo(CLI::App& command);

    [[nodiscard]] bool isGiven() const { return m_path.has_value(); }
    /// The step with these times, at its size; the same step if the option isn't given. Reads the
    /// profile, with progress. Throws VerbError.
    [[nodiscard]] graph::ProgramPtr applied(const graph::ProgramPtr& program, const Common& common);

    /// After applied(), the key `times` and lines of text: what was measured, and what wasn't. Of
    /// the graph's own times without the option; null and empty if it has none.
    [[nodiscard]] ordered_json json(const plan::Problem& problem) const;
    [[nodiscard]] std::string text(const plan::Problem& problem) const;
    [[nodiscard]] std::string sourceText() const
    {
        return m_times ? compare::sourceText(*m_times) : std::string{};
    }

private:
    std::optional<std::string> m_path;
    compare::StepTimesPtr m_times;
};

} // namespace plimsoll::cli
