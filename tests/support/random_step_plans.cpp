// SPDX-License-Identifier: Apache-2.0
#include "core/solve/common/repeats.h"

#include "tests/support/programs.h"
#include "tests/support/random.h"

#include <utility>

namespace plimsoll::tests {

plan::Plan randomStepPlan(const graph::Program& program, std::uint64_t seed)
{
    Random random{seed};
    const solve::Repeats repeats{program};
    plan::Plan plan;
    plan.planner = "random";
    plan.runtime = plan::Runtime::Step;
    const int rows = random.between(0, 12);
    const int gone = random.between(5, 90);
    const int forward = random.percent(20) ? 60 : 5; // rows in forward, of a hundred
    const int skip = random.between(50, 95);
    const auto end = static_cast<graph::Moment>(program.countBeforeOptimizer());
    for (graph::Moment before = 1; before < end; ++before) {
        const bool isForward = static_cast<std::size_t>(before) < program.forwardCount();
        if (static_cast<int>(plan.again.size()) >= rows || random.percent(skip)
            || (isForward && !random.percent(forward)))
            continue;
        std::vector<bool> isGone(program.storages.size(), false);
        std::vector<graph::StorageId> candidates;
        for (std::size_t index = 0; index < program.storages.size(); ++index) {
            const graph::StorageId storage{index};
            if (!repeats.isManaged(storage) || program.storages[index].alloc >= before)
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
        if (auto ops = repeats.before(before, wanted, isGone))
            plan.again.push_back({before, std::move(*ops)});
    }
    return plan;
}

} // namespace plimsoll::tests
