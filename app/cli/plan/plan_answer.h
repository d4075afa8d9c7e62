// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/solve/api/planner.h"
#include "core/solve/pack/plan_memory.h"
#include "core/workspace/pin_prices.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::cli {

/// A pin, and what it costs: the same search for the same budget without it, the others kept.
struct PricedPin
{
    plan::Pin pin;
    workspace::PinPrice at;
    std::size_t given = 1;    ///< how often: it counts once
    bool isOutOfTime = false; ///< no whole search with and without it in the given time
};

/// What a planner was asked, and what came of it.
struct Planning
{
    const solve::PlannerDescriptor& planner;
    const solve::Options& options;
    const plan::Problem& problem;
    const plan::Evaluation& unplanned;
    solve::Outcome outcome;
    bool searched = true;  ///< else the budget is below the bound: known is what takes no search
    int points = 0;        ///< of the trade-off, to be printed
    bool hasFlips = false; ///< also which decisions differ between neighbouring points
    std::vector<std::string> exports = {};        ///< files written
    std::optional<solve::PlanMemory> memory = {}; ///< of the best plan
    std::vector<PricedPin> pins = {};
    bool areAllPinsWhy = false; ///< there is a plan only without several of them
};

/// The answer of `plan`, `seconds` aside. The same keys whether there is a plan or not.
[[nodiscard]] Answer describe(const Planning& planning);

/// What --explain adds: each pick, and by how much the step with it is still over the budget.
void addPicks(Answer& answer, const plan::Problem& problem, const std::vector<solve::Pick>& picks);

} // namespace plimsoll::cli
