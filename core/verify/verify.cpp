// SPDX-License-Identifier: Apache-2.0
#include "core/verify/verify.h"

#include "core/verify/faults.h"
#include "core/verify/legality/legality.h"
#include "core/verify/replay/replay.h"

#include <cstdint>

namespace plimsoll::plan {

namespace {

/// `problem` is that of the process whose step runs.
Verification verifyOwn(const Problem& problem, const Plan& plan)
{
    Verification seen;
    const bool isPlain = !plan.isCompiledStep() && plan.regions().empty();
    verifying::FaultList faults{*problem.step(), seen.faults};
    if (const std::int64_t count = problem.step()->header.microSteps; count > 1 && !isPlain) {
        faults.add(FaultKind::IllegalRegion,
                   "A plan can't be checked on {} micro-steps: make it for a trace with "
                   "micro_steps=1 and apply it; it then runs in each of them.",
                   count);
    } else if (const auto* schedule = std::get_if<RecomputeSchedule>(&plan.decisions)) {
        seen.faults = verifying::repeatFaults(*problem.step(), *schedule);
        if (seen.faults.empty())
            verifying::replayStep(problem, *schedule, seen);
    } else if (problem.step()->isRewritten() && !isPlain) {
        faults.add(FaultKind::IllegalRegion,
                   "The graph is a plan written out, which autograd doesn't run: use regions on "
                   "the graph that it was made from.");
    } else {
        const auto& regions = std::get<CheckpointRegions>(plan.decisions);
        seen.faults = verifying::regionFaults(*problem.step(), regions);
        if (seen.faults.empty())
            seen.faults = verifying::triggerFaults(*problem.step(), regions);
        if (seen.faults.empty())
            verifying::replayRegions(problem, regions, seen);
    }
    return seen;
}

} // namespace

Verification verify(const Problem& problem, const Plan& plan)
{
    Verification seen;
    seen.faults = verifying::parallelFaults(problem, plan);
    return seen.faults.empty() ? verifyOwn(verifying::ofOneProcess(problem), plan) : seen;
}

} // namespace plimsoll::plan
