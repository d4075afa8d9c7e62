// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::workspace {

/// The state of a planner under the current settings, for a table that compares planners.
struct PlannerSummary
{
    plan::PlannerProgress report;
    bool isChosen = false;
    /// What is proven for the answer to the current settings also holds for its plans.
    bool isBounded = false;
    base::Nanoseconds unplanned = {}; ///< step time without a plan; 0: not known yet

    bool operator==(const PlannerSummary&) const = default;
};

/// A job that plans with the current settings.
struct PlanningJob
{
    bool isRunning = false;
    int perMille = 0;
    PlannedPtr soFar = nullptr; ///< what it has found; null: nothing yet
    std::string refusal = {};   ///< why it made no plans; empty: it made some, or runs
};

/// A planner's result for a budget.
struct SummaryAt
{
    std::optional<plan::ProgressPoint> best; ///< its fastest plan that fits
    /// Optimal and Infeasible where that is proved.
    solve::Status status = solve::Status::NotFound;
};

/// All planners of this build, in their order: the chosen one and those that it runs, with what
/// they found; others with what they found earlier under settings that differ only in the planner.
/// Runs none of them. `shown`: the current plans; `known`: also earlier ones.
[[nodiscard]] std::vector<PlannerSummary> plannerSummaries(const Choices& choices,
                                                           const PlanningJob& job,
                                                           const Planned& shown,
                                                           const std::vector<PlannedPtr>& known);

/// What is proven for the answer to the current settings; 0: nothing.
struct ProvenBounds
{
    base::Bytes peak;       ///< a lower bound on the peak of plans
    base::Nanoseconds time; ///< a lower bound on the time of plans within the budget
};

/// `taken`: the plan that was taken of this planner's, which need not be the fastest within the
/// budget. O(log n).
[[nodiscard]] SummaryAt summaryAt(const PlannerSummary& standing, base::Bytes budget,
                                  const ProvenBounds& bounds,
                                  const std::optional<plan::ProgressPoint>& taken = std::nullopt);

} // namespace plimsoll::workspace
