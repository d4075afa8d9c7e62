// SPDX-License-Identifier: Apache-2.0
#include "core/plan/verify.h"

#include "core/plan/verify_regions.h"
#include "core/plan/verify_replay.h"
#include "core/plan/verify_triggers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace plimsoll::plan {

const char* faultName(FaultKind kind)
{
    static constexpr std::array kNames{"illegal_region", "use_before_compute", "use_after_free",
                                       "overwritten_input", "over_budget"};
    return kNames.at(static_cast<std::size_t>(kind));
}

namespace {

/// What this version can write and read, but neither replay nor evaluate.
std::optional<Fault> unknownDecision(const Plan& plan)
{
    if (plan.runtime == Runtime::Step)
        return Fault{FaultKind::IllegalRegion,
                     "Plans for runtime \"step\" can't be evaluated by this version."};
    if (!plan.again.empty())
        return Fault{FaultKind::IllegalRegion,
                     "Runtime \"checkpoint\" executes regions again, no single ops."};
    return std::nullopt;
}

} // namespace

Verification verify(const Problem& problem, const Plan& plan)
{
    Verification seen;
    if (std::optional<Fault> unknown = unknownDecision(plan)) {
        seen.faults.push_back(std::move(*unknown));
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
