// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace plimsoll::solve {

/// A proven bound: no plan within the budget recomputes less.
struct RematBound
{
    double recomputeTime = 0; ///< time of all recomputations, at least; infinity: no plan exists
    /// By op: what one byte less at that op costs (time per byte). They prove the bound, and a
    /// nearby budget's bound starts from them.
    std::vector<double> prices = {};
};

} // namespace plimsoll::solve
