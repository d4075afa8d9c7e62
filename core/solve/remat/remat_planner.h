// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <memory>
#include <vector>

namespace plimsoll::solve {

/// Another planner with options, runtime and granularity among them.
struct RematStart
{
    std::unique_ptr<const Planner> planner;
    Options options;
};

/// The planner "remat": any value of forward and backward, dropped and recomputed any number of
/// times, for the runtime Step, where rematFrontier() proposes, or what regions of the runtime
/// Checkpoint can do of it, where searchRegions() does; each plan is certified on the full graph.
/// It begins with the plans of those of `starts` that are for the runtime (and no finer
/// granularity), so that at no budget it's slower than any of them.
[[nodiscard]] std::unique_ptr<const Planner> makeRematPlanner(std::vector<RematStart> starts);

} // namespace plimsoll::solve
