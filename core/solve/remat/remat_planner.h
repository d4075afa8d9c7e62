// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/common/planner.h"

#include <memory>

namespace plimsoll::solve {

/// The planner "remat": any value of forward and backward, dropped and computed again any number of
/// times, for the runtime Step; rematFrontier() proposes, each plan is certified on the full graph.
[[nodiscard]] std::unique_ptr<const Planner> makeRematPlanner();

} // namespace plimsoll::solve
