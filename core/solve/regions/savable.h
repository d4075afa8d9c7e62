// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <vector>

namespace plimsoll::solve {

/// By op: whether a region may keep its results (SAVED SETS in core/lower/checkpoint/LIFETIMES.md):
/// it allocates all that it returns, writes nothing but buffers, no forward or loss op overwrites
/// its results, and no pin recomputes them. Callers must check that a random op is kept only if no
/// later random op of the region is recomputed.
[[nodiscard]] std::vector<bool> keepableOps(const plan::Problem& problem);

/// By storage: the last op of forward and loss that uses it; kBeforeStep: none does.
[[nodiscard]] std::vector<graph::OpIndex> lastForwardUses(const graph::Program& program);

} // namespace plimsoll::solve
