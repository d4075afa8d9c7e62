// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/schedule.h"
#include "core/solve/regions/recompute_closure.h"

#include <optional>
#include <vector>

namespace plimsoll::solve {

/// Turns regions of forward into a plan for the runtime Step: what forward makes for a region alone
/// is let go, but for results that it keeps, and comes back before backward first uses something of
/// it. Of a region's ops only those run again whose results are needed. Rows of
/// Plan::recomputeSteps; nothing when an op that they need can't be repeated. `closure` is of the
/// program.
[[nodiscard]] std::optional<std::vector<plan::RecomputeStep>>
stepRowsOf(const std::vector<plan::Region>& regions, const graph::Program& program,
           const RecomputeClosure& closure);

} // namespace plimsoll::solve
