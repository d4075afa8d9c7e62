// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/evaluate/evaluate.h"
#include "core/solve/regions/region_space.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace plimsoll::solve {

/// Takes regions as a plan and tells what that needs. An error ends the search.
using RegionOffer =
    std::function<base::Result<plan::EvaluationPtr>(std::vector<plan::Region> regions)>;

/// Looks for plans of checkpoint regions on any graph: lets go of single results where the peak is,
/// cheapest first, in forwards divided in several ways, then takes back what the budgets have room
/// for: about so many, up to `most`. Every step is evaluated on the full graph. What it finds
/// depends on nothing but the problem, whose own budget is unlimited, unless it is stopped.
[[nodiscard]] base::Result<void> searchRegions(const plan::Problem& problem,
                                               const RegionSpace& space, const RegionOffer& offer,
                                               base::Bytes most, std::size_t budgets,
                                               const base::JobContext& job);

} // namespace plimsoll::solve
