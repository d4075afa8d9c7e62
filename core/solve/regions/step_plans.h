// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/schedule.h"
#include "core/solve/regions/recompute_closure.h"

#include <optional>
#include <vector>

namespace plimsoll::solve {

/// Turns regions of forward into a plan for the runtime Step: what forward computes only for a
/// region is dropped, except for results that it keeps, and recomputed before backward first uses
/// any of it. Only those of the region's ops run whose results are needed. Rows of
/// Plan::recomputeSteps; nothing if an op that they need can't be recomputed. `closure` is of the
/// program.
[[nodiscard]] std::optional<std::vector<plan::RecomputeStep>>
stepRowsOf(const std::vector<plan::Region>& regions, const graph::Program& program,
           const RecomputeClosure& closure);

} // namespace plimsoll::solve
