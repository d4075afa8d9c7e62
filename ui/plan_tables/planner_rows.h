// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planner_summaries.h"
#include "ui/models/planner_model.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::ui {

/// What the standings of planners are looked at for.
struct PlannersAt
{
    std::optional<base::Bytes> budget; ///< none: no numbers
    workspace::ProvenBounds bounds;
    std::string maker; ///< id of the planner whose plan is shown; empty: nobody's
};

/// A row for each, without what depends on the budget.
[[nodiscard]] std::vector<PlannerRow>
plannerRows(const std::vector<workspace::PlannerSummary>& standings);
/// Fills in the rest: what a frame of a drag may call.
void showAt(std::vector<PlannerRow>& rows, const std::vector<workspace::PlannerSummary>& standings,
            const PlannersAt& asked);

} // namespace plimsoll::ui
