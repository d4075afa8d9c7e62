// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/bounds/remat_pricing.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::solve {

/// A proven bound: every plan within the budget spends at least this time on recomputation.
struct RematBound
{
    double recomputeTime = 0; ///< of all recomputations, at least; infinity: no plan exists
    /// By op: what one byte less at that op costs (time per byte). They prove the bound, and a
    /// nearby budget's bound starts from them.
    std::vector<double> prices = {};
};

/// What must be in memory during an op's own execution in every plan.
struct RematWorkingSet
{
    std::uint32_t op = 0;
    std::int64_t bytes = 0;
};

/// Limits of the Lagrangian ascent.
struct RematClimb
{
    std::size_t rounds = 200;        ///< each costs one pass over ops and gaps
    std::vector<double> prices = {}; ///< starting prices; empty: those of the separate cuts
};

/// Lower bounds on the recomputation time of a problem's legal plans, from its gaps and tails.
class RematBounds
{
public:
    /// Requires a problem that simulate() accepts.
    explicit RematBounds(const RematProblem& problem);

    /// The largest working set: no plan has a smaller peak.
    [[nodiscard]] RematWorkingSet workingSet() const;

    /// The bound of the most expensive single op: what must be dropped there costs at least the
    /// cheapest recomputations (continuous knapsack).
    [[nodiscard]] RematBound dearestCut(std::int64_t budget) const;

    /// The largest sum over ops of which no two share a gap. Never below dearestCut().
    [[nodiscard]] RematBound separateCuts(std::int64_t budget) const;

    /// Prices on all ops over the budget, by subgradient ascent. Never below the bound of the
    /// starting prices.
    [[nodiscard]] RematBound lagrangian(std::int64_t budget, const RematClimb& climb = {}) const;

    /// The bound proven by given prices (any numbers, one for each op).
    [[nodiscard]] RematBound priced(std::int64_t budget, std::vector<double> prices) const;

private:
    /// The bound proven by the knapsack of one op.
    struct Cut
    {
        std::uint32_t op = 0;
        double recomputeTime = 0;
        double price = 0;
    };

    [[nodiscard]] Cut cutAt(std::uint32_t op, std::int64_t budget) const;
    [[nodiscard]] std::vector<Cut> cuts(std::int64_t budget) const;
    [[nodiscard]] std::size_t roundsForOperands() const;
    [[nodiscard]] RematBound boundOf(const std::vector<Cut>& cuts) const;

    RematGaps m_parts;
    std::vector<std::int64_t> m_plain;   ///< by op: what can't be dropped and all gaps
    std::vector<std::size_t> m_cheapest; ///< gaps, cheapest per byte first
    std::vector<std::uint32_t> m_reach;  ///< by op: last op that shares a gap with it
};

/// The common divisor of all recomputations' times if all ops take integer times; otherwise 0.
[[nodiscard]] double unitOfTimes(const RematProblem& problem);

/// A bound on the time of all recomputations, raised to the next value that they can add up to: if
/// all ops take integer times, a multiple of their divisor.
[[nodiscard]] double raisedToWholeTimes(const RematProblem& problem, double recomputeTime);

} // namespace plimsoll::solve
