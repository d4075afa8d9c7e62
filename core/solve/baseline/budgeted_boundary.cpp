// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/budgeted_boundary.h"

namespace plimsoll::solve {

BudgetedBoundary::BudgetedBoundary(const plan::Problem& problem, bool isGreedy)
    : m_boundary{problem}
{
    for (const KnapsackItem& item : m_boundary.items())
        m_bytes += item.weight;
    if (!isGreedy)
        m_exact.emplace(m_boundary.items());
}

std::vector<plan::Again> BudgetedBoundary::rows(std::int64_t permille) const
{
    constexpr std::int64_t kWhole = 1000;
    // Whole thousands apart, so that nothing overflows.
    const std::int64_t capacity =
        m_bytes / kWhole * permille + m_bytes % kWhole * permille / kWhole;
    return m_boundary.rows(m_exact ? m_exact->chosen(capacity)
                                   : greedilyChosen(m_boundary.items(), capacity));
}

} // namespace plimsoll::solve
