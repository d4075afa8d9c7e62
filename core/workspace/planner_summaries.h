// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::workspace {

/// Where a planner stands with the present choices, for a table that compares them.
struct PlannerSummary
{
    plan::PlannerProgress report;
    bool isChosen = false;
    /// What is proved of the answer to the present choices holds for its plans, too.
    bool isBounded = false;
    base::Nanoseconds unplanned = {}; ///< what the step takes without a plan; 0: not known yet

    bool operator==(const PlannerSummary&) const = default;
};

/// A job that plans for the present choices.
struct PlanningJob
{
    bool isRunning = false;
    int perMille = 0;
    PlannedPtr soFar = nullptr; ///< what it has found; null: nothing yet
    std::string refusal = {};   ///< why it made no plans, a sentence; empty: it made some, or runs
};

/// What a planner has for a budget.
struct SummaryAt
{
    std::optional<plan::ProgressPoint> best; ///< the fastest of its plans that fits
    /// Optimal and Infeasible where that is proved.
    solve::Status status = solve::Status::NotFound;
};

/// All planners of this build, in their order: the chosen one and those that it runs, by what they
/// found; others by what they found before for choices that differ in nothing but the planner. None
/// is run for this. `shown`: the plans of now; `known`: those of before, too.
[[nodiscard]] std::vector<PlannerSummary> plannerSummaries(const Choices& choices,
                                                           const PlanningJob& job,
                                                           const Planned& shown,
                                                           const std::vector<PlannedPtr>& known);

/// What is proved of the answer to the present choices; 0: nothing.
struct ProvenBounds
{
    base::Bytes peak;       ///< no plan needs less
    base::Nanoseconds time; ///< no plan within the budget is faster
};

/// O(log n).
[[nodiscard]] SummaryAt summaryAt(const PlannerSummary& standing, base::Bytes budget,
                                  const ProvenBounds& bounds);

} // namespace plimsoll::workspace
