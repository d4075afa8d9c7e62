// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/run/choose_plan.h"

#include <optional>
#include <string>

namespace plimsoll::cli {

/// --alloc-conf TEXT: the allocator's settings, as PYTORCH_CUDA_ALLOC_CONF.
class AllocatorOption
{
public:
    CLI::Option* addTo(CLI::App& command);
    /// Throws VerbError (Usage) if PyTorch would not understand it, or it can't be replayed.
    [[nodiscard]] allocator::AllocatorSettings settings() const;
    /// As given; PyTorch's default in words if it was not.
    [[nodiscard]] std::string text() const;

private:
    std::string m_text;
};

/// Whether a plan runs, under which settings, and what PlanChoice tells about other plans.
struct RunAnswer
{
    run::RunVerdict verdict;
    std::string settings;
    std::optional<run::PassedOver> passedOver = {};
    std::optional<run::ExpandableChoice> expandable = {};
};

/// The key "run" of `plan` and `check`.
[[nodiscard]] ordered_json runJson(const plan::Problem& problem, const RunAnswer& answer);
/// The same as a line of text.
[[nodiscard]] std::string runText(const plan::Problem& problem, const RunAnswer& answer);
/// One sentence about a run that fails.
[[nodiscard]] std::string failureText(const plan::Problem& problem, const RunAnswer& answer);

} // namespace plimsoll::cli
