// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/plan_memory.h"

#include "core/allocator/allocator_replay.h"
#include "core/base/try.h"
#include "core/run/device_run.h"
#include "core/solve/pack/solve_pack.h"

#include <algorithm>

namespace plimsoll::solve {

namespace {

/// A storage's lifetime in steps, inclusive; `first` is -1 if it begins before the first step.
struct Life
{
    std::int32_t first;
    std::int32_t last;
    base::Bytes bytes;
};

/// The lifetimes that take memory during some step, by begin.
std::vector<Life> livesOf(const plan::VerifiedPlan& plan)
{
    const plan::Schedule& schedule = *plan.evaluation().schedule;
    const graph::Program& program = *plan.problem().step();
    const auto steps = static_cast<std::int32_t>(schedule.steps.size());
    std::vector<Life> lives;
    for (const plan::Instance& instance : schedule.instances) {
        const base::Bytes bytes =
            graph::rounded(program.storage(instance.storage).bytes, plan.problem().rounding);
        if (bytes.count() > 0 && instance.free >= 0 && steps > 0)
            lives.push_back({instance.alloc, std::min(instance.free, steps - 1), bytes});
    }
    std::stable_sort(lives.begin(), lives.end(),
                     [](const Life& a, const Life& b) { return a.first < b.first; });
    return lives;
}

/// On a device that is never full.
base::Bytes reservedFor(const plan::VerifiedPlan& plan, bool expandable)
{
    // Never stopped, so there always is a run.
    return run::runLoop(plan, {.expandableSegments = expandable},
                        allocator::AllocatorReplay::kUnlimited)
               ->reserved
           + plan.problem().reserve;
}

} // namespace

base::Result<PlanMemory> planMemory(const plan::VerifiedPlan& plan, const base::JobContext& context)
{
    const std::vector<Life> lives = livesOf(plan);
    PackBuffers buffers;
    for (const Life& life : lives)
        buffers.push_back(
            {std::max(life.first, 0), std::int64_t{life.last} + 1, life.bytes.count()});
    PackQuery query;
    query.passes = 12;
    query.nodes = 20000;
    query.mostWork = 50'000'000;
    ASSIGN_OR_RETURN(const PackAnswer packed, solvePack(buffers, query, context));
    const base::Bytes reserve = plan.problem().reserve;
    return PlanMemory{base::Bytes{packed.height} + reserve,
                      base::Bytes{packed.lowerBound} + reserve, reservedFor(plan, false),
                      reservedFor(plan, true)};
}

} // namespace plimsoll::solve
