// SPDX-License-Identifier: Apache-2.0
#include "core/run/will_run.h"

#include "core/allocator/allocator_replay.h"
#include "core/base/try.h"

#include <algorithm>
#include <utility>

namespace plimsoll::run {

namespace {

using allocator::AllocatorReplay;
using allocator::AllocatorSettings;

/// The allocator takes memory in multiples of this.
constexpr std::int64_t kStep = 2 * base::kMiB;

RunStatus statusOf(const DeviceRun& run)
{
    return run.failure            ? RunStatus::Fails
           : run.flushCount() > 0 ? RunStatus::RunsWithFlushes
                                  : RunStatus::Runs;
}

base::Result<DeviceRun> replayed(const plan::VerifiedPlan& plan, const AllocatorSettings& settings,
                                 base::Bytes device, const base::JobContext& context)
{
    std::optional<DeviceRun> run = runLoop(plan, settings, device, context.stop);
    if (!run)
        return base::cancelled();
    return *std::move(run);
}

/// Of a device whose memory the budget allows to use, without the plan's reserve.
base::Bytes deviceOf(const plan::VerifiedPlan& plan, base::Bytes budget)
{
    return std::max(budget - plan.problem().reserve, base::Bytes{0});
}

/// Memory of a device on which it runs, if it fails on one with `failing` bytes.
base::Result<base::Bytes> leastDevice(const plan::VerifiedPlan& plan,
                                      const AllocatorSettings& settings, base::Bytes failing,
                                      const base::JobContext& context)
{
    ASSIGN_OR_RETURN(const DeviceRun free,
                     replayed(plan, settings, AllocatorReplay::kUnlimited, context));
    std::int64_t fails = failing.count() / kStep;
    std::int64_t runs = (free.reserved.count() + kStep - 1) / kStep;
    // How far an expandable segment may grow depends on the device's memory: where it is as large
    // as what was reserved without a limit, the loop may still fail.
    for (bool isKnown = false; !isKnown;) {
        ASSIGN_OR_RETURN(const DeviceRun run,
                         replayed(plan, settings, base::Bytes{runs * kStep}, context));
        isKnown = !run.failure;
        if (!isKnown)
            fails = std::exchange(runs, runs + runs / 64 + 1);
    }
    while (runs - fails > 1) {
        const std::int64_t middle = fails + (runs - fails) / 2;
        ASSIGN_OR_RETURN(const DeviceRun run,
                         replayed(plan, settings, base::Bytes{middle * kStep}, context));
        (run.failure ? fails : runs) = middle;
    }
    return base::Bytes{runs * kStep};
}

} // namespace

std::string_view runStatusName(RunStatus status)
{
    switch (status) {
    case RunStatus::Runs: return "runs";
    case RunStatus::RunsWithFlushes: return "runs_with_flushes";
    case RunStatus::Fails: break;
    }
    return "fails";
}

bool hasAllocator(const plan::Problem& problem)
{
    return problem.step()->header.target == "cuda";
}

base::Result<RunVerdict> willRun(const plan::VerifiedPlan& plan, const AllocatorSettings& settings,
                                 base::Bytes budget, const base::JobContext& context)
{
    const base::Bytes device = deviceOf(plan, budget);
    RunVerdict verdict;
    ASSIGN_OR_RETURN(verdict.run, replayed(plan, settings, device, context));
    verdict.status = statusOf(verdict.run);
    if (verdict.status == RunStatus::Fails) {
        ASSIGN_OR_RETURN(const base::Bytes least, leastDevice(plan, settings, device, context));
        verdict.runsAt = least + plan.problem().reserve;
    }
    if (verdict.status != RunStatus::Runs && !settings.expandableSegments) {
        AllocatorSettings expandable = settings;
        expandable.expandableSegments = true;
        ASSIGN_OR_RETURN(const DeviceRun run, replayed(plan, expandable, device, context));
        verdict.expandable = statusOf(run);
    }
    return verdict;
}

base::Result<RunStatus> runStatus(const plan::VerifiedPlan& plan, const AllocatorSettings& settings,
                                  base::Bytes budget, const base::JobContext& context)
{
    ASSIGN_OR_RETURN(const DeviceRun run,
                     replayed(plan, settings, deviceOf(plan, budget), context));
    return statusOf(run);
}

} // namespace plimsoll::run
