// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <vector>

namespace plimsoll::workspace {

/// Where a planner stands with the present choices, for a table that compares them.
struct PlannerStanding
{
    plan::PartReport report;
    bool isChosen = false;
    /// What is proved of the answer to the present choices holds for its plans, too.
    bool isBounded = false;

    bool operator==(const PlannerStanding&) const = default;
};

/// A job that plans for the present choices.
struct PlanningJob
{
    bool isRunning = false;
    int perMille = 0;
    std::shared_ptr<const plan::PartReports> parts; ///< of the planners it runs; null: none yet
};

/// All planners of this build, in their order: the chosen one and those that it runs, by what they
/// found; others by what they found before for choices that differ in nothing but the planner. None
/// is run for this. `shown`: the plans of now; `known`: those of before, too.
[[nodiscard]] std::vector<PlannerStanding> plannerStandings(const Choices& choices,
                                                            const PlanningJob& job,
                                                            const Planned& shown,
                                                            const std::vector<PlannedPtr>& known);

} // namespace plimsoll::workspace
