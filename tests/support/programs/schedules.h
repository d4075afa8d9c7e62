// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"

namespace plimsoll::tests {

/// Bytes made by the step that live across the end of forward and loss, counted one by one.
[[nodiscard]] inline base::Bytes heldForBackward(const plan::Problem& problem,
                                                 const plan::Schedule& schedule)
{
    const graph::Program& program = *problem.step();
    const std::int32_t end = schedule.stepOfOp[program.forwardCount() - 1];
    base::Bytes held;
    for (const plan::Instance& instance : schedule.instances)
        if (instance.alloc >= 0 && instance.alloc <= end && instance.free > end)
            held += graph::rounded(program.storage(instance.storage).bytes, problem.rounding);
    return held;
}

} // namespace plimsoll::tests
