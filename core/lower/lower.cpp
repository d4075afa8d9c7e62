// SPDX-License-Identifier: Apache-2.0
#include "core/lower/lower.h"

namespace plimsoll::plan {

Schedule lower(const graph::Program& program, const Plan& plan)
{
    if (const auto* schedule = std::get_if<RecomputeSchedule>(&plan.decisions))
        return lowerStep(program, *schedule);
    return lowerRegions(program, std::get<CheckpointRegions>(plan.decisions));
}

} // namespace plimsoll::plan
