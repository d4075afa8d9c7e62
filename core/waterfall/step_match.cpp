// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/step_match.h"

#include <algorithm>

namespace plimsoll::waterfall {

bool MeasuredStep::isLiveAt(std::size_t allocation, memtrace::EventIndex event) const
{
    // The state after an event is a step of the axis.
    return device.firstStep(allocation) <= event + std::size_t{1}
           && event + std::size_t{1} <= device.lastStep(allocation);
}

std::size_t StepMatch::found() const
{
    return static_cast<std::size_t>(std::ranges::count_if(predicted, [&](std::uint32_t instance) {
        return allocationOf[instance] != memtrace::kNone;
    }));
}

base::Bytes instanceBytes(const compare::PredictedStep& step, std::size_t instance)
{
    const plan::Instance& of = step.evaluation->schedule->instances[instance];
    return graph::rounded(step.problem.step()->storage(of.storage).bytes, step.problem.rounding);
}

} // namespace plimsoll::waterfall
