// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/schedule.h"
#include "core/solve/regions/recompute_closure.h"

#include <optional>
#include <vector>

namespace plimsoll::solve {

/// Turns regions of forward into plans for the runtime Step: what forward makes for a region alone
/// is let go, but for results that it keeps, and comes back before backward first uses something of
/// it. Of a region's ops only those run again whose results are needed.
class StepPlans
{
public:
    explicit StepPlans(const graph::Program& program);

    /// Rows of Plan::recomputeSteps for the regions; nothing when an op that they need can't be
    /// repeated.
    [[nodiscard]] std::optional<std::vector<plan::RecomputeStep>>
    rowsFor(const std::vector<plan::Region>& regions) const;

private:
    const graph::Program& m_program;
    RecomputeClosure m_closure;
};

} // namespace plimsoll::solve
