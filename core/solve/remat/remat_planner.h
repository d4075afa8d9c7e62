// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <memory>
#include <vector>

namespace plimsoll::solve {

/// Another planner with options, including runtime and granularity.
struct RematStart
{
    std::unique_ptr<const Planner> planner;
    Options options;
};

/// The planner "remat": any value of forward and backward, dropped and recomputed any number of
/// times. For the runtime Step rematFrontier() proposes plans, for the runtime Checkpoint
/// searchRegions() does what regions can; each plan is certified on the full graph. It starts from
/// the plans of those of `starts` that are for the runtime (and no finer granularity), so that at
/// no budget it is slower than any of them.
[[nodiscard]] std::unique_ptr<const Planner> makeRematPlanner(std::vector<RematStart> starts);

} // namespace plimsoll::solve
