// SPDX-License-Identifier: Apache-2.0
#include "core/plan/verify.h"

#include "core/plan/verify_regions.h"
#include "core/plan/verify_replay.h"
#include "core/plan/verify_step.h"
#include "core/plan/verify_triggers.h"

#include <array>

namespace plimsoll::plan {

const char* faultName(FaultKind kind)
{
    static constexpr std::array kNames{"illegal_region", "illegal_repeat",    "use_before_compute",
                                       "use_after_free", "overwritten_input", "over_budget"};
    return kNames.at(static_cast<std::size_t>(kind));
}

Verification verify(const Problem& problem, const Plan& plan)
{
    Verification seen;
    if (plan.runtime == Runtime::Step) {
        seen.faults = verifying::repeatFaults(*problem.program, plan);
        if (seen.faults.empty())
            verifying::replayStep(problem, plan, seen);
        return seen;
    }
    if (!plan.again.empty()) {
        seen.faults.push_back({FaultKind::IllegalRegion,
                               "Runtime \"checkpoint\" executes regions again, no single ops."});
        return seen;
    }
    seen.faults = verifying::regionFaults(*problem.program, plan);
    if (seen.faults.empty())
        seen.faults = verifying::triggerFaults(*problem.program, plan);
    if (!seen.faults.empty())
        return seen;
    verifying::Replay{problem, plan, seen}.run();
    return seen;
}

} // namespace plimsoll::plan
