// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/common/planner.h"

#include <memory>
#include <vector>

namespace plimsoll::solve {

/// Another planner with options that make it plan for the runtime Step.
struct RematStart
{
    std::unique_ptr<const Planner> planner;
    Options options;
};

/// The planner "remat": any value of forward and backward, dropped and computed again any number of
/// times, for the runtime Step; rematFrontier() proposes, each plan is certified on the full graph.
/// It begins with the plans of `starts`, so that at no budget it's slower than any of them.
[[nodiscard]] std::unique_ptr<const Planner> makeRematPlanner(std::vector<RematStart> starts);

} // namespace plimsoll::solve
