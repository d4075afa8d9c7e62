// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <vector>

namespace plimsoll::solve {

/// By op: whether a region may keep its results (SAVED SETS in core/lower/checkpoint/LIFETIMES.md):
/// it makes the memory of all that it returns, writes nothing but buffers, and no forward or loss
/// op overwrites what it made, and no pin recomputes it. That a random op is kept only where no
/// random op behind it in the region is recomputed is left to the caller.
[[nodiscard]] std::vector<bool> keepableOps(const plan::Problem& problem);

/// By storage: the last op of forward and loss that has to do with it; kBeforeStep: none has.
[[nodiscard]] std::vector<graph::OpIndex> lastForwardUses(const graph::Program& program);

} // namespace plimsoll::solve
