// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/recompute_closure.h"

#include "tests/support/programs/programs.h"
#include "tests/support/random.h"

#include <utility>

namespace plimsoll::tests {

plan::Plan randomStepPlan(const graph::Program& program, std::uint64_t seed)
{
    Random random{seed};
    const solve::RecomputeClosure closure{program};
    plan::Plan plan;
    plan.planner = "random";
    plan.decisions = plan::RecomputeSchedule{};
    const int rows = random.between(0, 12);
    const int gone = random.between(5, 90);
    const int forward = random.percent(20) ? 60 : 5; // rows in forward, of a hundred
    const int skip = random.between(50, 95);
    const auto end = static_cast<graph::OpIndex>(program.countBeforeOptimizer());
    for (graph::OpIndex before = 1; before < end; ++before) {
        const bool isForward = static_cast<std::size_t>(before) < program.forwardCount();
        if (static_cast<int>(plan.recomputeSteps().size()) >= rows || random.percent(skip)
            || (isForward && !random.percent(forward)))
            continue;
        std::vector<bool> isGone(program.storages.size(), false);
        std::vector<graph::StorageId> candidates;
        for (std::size_t index = 0; index < program.storages.size(); ++index) {
            const graph::StorageId storage{index};
            if (!closure.isManaged(storage) || program.storages[index].alloc >= before)
                continue;
            isGone[index] = random.percent(gone);
            if (isGone[index])
                candidates.push_back(storage);
        }
        std::vector<graph::StorageId> wanted;
        for (int i = random.between(1, 3); i > 0 && !candidates.empty(); --i)
            wanted.push_back(candidates[random.below(candidates.size())]);
        if (wanted.empty())
            continue;
        if (auto ops = closure.before(before, wanted, isGone))
            plan.asSchedule().recomputeSteps.push_back({before, std::move(*ops)});
    }
    return plan;
}

} // namespace plimsoll::tests
