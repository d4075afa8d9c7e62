// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <memory>

namespace plimsoll::solve {

/// The planner "capuchin": what Capuchin (ASPLOS 2020) recomputes, simulated after every choice;
/// plans for the runtime Step.
[[nodiscard]] std::unique_ptr<const Planner> makeCapuchinPlanner();

} // namespace plimsoll::solve
