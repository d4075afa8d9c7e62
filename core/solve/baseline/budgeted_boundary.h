// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/baseline/boundary.h"

#include <optional>

namespace plimsoll::solve {

/// activation_memory_budget of PyTorch's min-cut partitioner: which of the boundary's values fit
/// into a part of their bytes, by a knapsack that is worth the time of computing them again. It
/// bounds what is kept at the boundary, not the peak.
class BudgetedBoundary
{
public:
    BudgetedBoundary(const plan::Problem& problem, bool isGreedy);

    /// Rows of Plan::again for a budget of 0..1000 permille of all bytes that may be kept.
    [[nodiscard]] std::vector<plan::Again> rows(std::int64_t permille) const;

private:
    Boundary m_boundary;
    std::optional<ExactKnapsack> m_exact; ///< none: greedy
    std::int64_t m_bytes = 0;             ///< of all items
};

} // namespace plimsoll::solve
