// SPDX-License-Identifier: Apache-2.0
#include "core/lower/lower.h"

#include "core/lower/checkpoint/lower_regions.h"
#include "core/lower/compiled_step/lower_step.h"

namespace plimsoll::plan {

Schedule lower(const graph::Program& program, const Plan& plan)
{
    return plan.runtime == Runtime::CompiledStep ? lowerStep(program, plan)
                                                 : lowerRegions(program, plan);
}

} // namespace plimsoll::plan
