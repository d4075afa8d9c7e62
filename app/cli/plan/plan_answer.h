// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "app/cli/plan/run_json.h"
#include "core/solve/api/planner.h"
#include "core/solve/pack/plan_memory.h"
#include "core/workspace/pin_prices.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::cli {

/// A pin and its cost: the difference to the same search for the same budget without it.
struct PricedPin
{
    plan::Pin pin;
    workspace::PinPrice at;
    std::size_t given = 1;    ///< how many times it was given; it counts once
    bool isOutOfTime = false; ///< no complete search with and without it in the given time
};

/// A planning request and its result.
struct Planning
{
    const solve::PlannerDescriptor& planner;
    const solve::Options& options;
    const plan::Problem& problem;
    const plan::Evaluation& unplanned;
    solve::Outcome outcome;
    bool searched = true;  ///< else the budget is below the bound: no search took place
    int points = 0;        ///< of the trade-off, to print
    bool hasFlips = false; ///< also print which decisions differ between neighbouring points
    std::vector<std::string> exports = {};        ///< files written
    std::optional<solve::PlanMemory> memory = {}; ///< of the best plan
    std::optional<RunAnswer> run = {};            ///< of the best plan
    /// Where no plan runs within the budget: the smallest budget at which a plan that was found
    /// runs without cache flushes.
    std::optional<base::Bytes> runsFrom = {};
    run::PlansByBudget byBudget = {}; ///< plans that run, as far as that is known and asked for
    base::Bytes comparablePeak = {};  ///< up to which other plans are comparable with the best one
    std::vector<PricedPin> pins = {};
    bool areAllPinsWhy = false; ///< there is a plan only without several of them
};

/// The answer of `plan`, without `seconds`. It has the same keys whether there is a plan or not.
[[nodiscard]] Answer describe(const Planning& planning);

/// The part of --explain: each pick, and by how much the step still exceeds the budget with it.
void addPicks(Answer& answer, const plan::Problem& problem, const std::vector<solve::Pick>& picks);

} // namespace plimsoll::cli
