// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/api/planner.h"
#include "core/solve/regions/region_space.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace plimsoll::solve {

/// Around regions: the rest of the plan that is proposed.
using RegionProposal = std::function<plan::Plan(std::vector<plan::Region>)>;

/// Looks for plans of checkpoint regions on any graph: lets go of single results where the peak is,
/// cheapest first, in forwards divided in several ways, then takes back what the budgets have room
/// for. Every step is evaluated on the full graph. What it finds depends on nothing but the problem
/// unless it is stopped.
///
/// Fills the frontier, at about so many budgets; `problem` has an unlimited one. Internal error
/// where a proposal fails its check.
[[nodiscard]] base::Result<void>
searchRegions(const plan::Problem& problem, const RegionSpace& space,
              const RegionProposal& proposal, std::size_t budgets, plan::Frontier& frontier,
              const base::JobContext& job, const Listener& listener);

} // namespace plimsoll::solve
