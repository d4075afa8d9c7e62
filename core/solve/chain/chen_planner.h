// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <memory>

namespace plimsoll::solve {

/// The planner "chen": every division of everyChenDivision() over the step as a chain, each
/// evaluated on the full graph.
[[nodiscard]] std::unique_ptr<const Planner> makeChenPlanner();

} // namespace plimsoll::solve
