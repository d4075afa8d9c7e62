// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/evaluate/evaluate.h"
#include "core/solve/regions/region_space.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace plimsoll::solve {

/// Evaluates regions as a plan and returns what that needs. An error ends the search.
using RegionOffer =
    std::function<base::Result<plan::EvaluationPtr>(std::vector<plan::Region> regions)>;

/// Searches plans of checkpoint regions on any graph: drops single results where the peak is,
/// cheapest first, in forwards divided in several ways, then keeps again what the budgets have room
/// for, at about so many budgets up to `most`. Evaluates every step on the full graph. Unless
/// stopped, the result depends only on the problem, whose own budget is unlimited.
[[nodiscard]] base::Result<void> searchRegions(const plan::Problem& problem,
                                               const RegionSpace& space, const RegionOffer& offer,
                                               base::Bytes most, std::size_t budgets,
                                               const base::JobContext& job);

} // namespace plimsoll::solve
