// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/bounds/remat_pricing.h"

#include <cstddef>
#include <cstdint>
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

/// What must be in memory during an op's own execution whatever is planned.
struct RematWorkingSet
{
    std::uint32_t op = 0;
    std::int64_t bytes = 0;
};

/// How long the Lagrangian climbs.
struct RematClimb
{
    std::size_t rounds = 200;        ///< each costs one pass over ops and gaps
    std::vector<double> prices = {}; ///< where it starts; empty: where the separate cuts end
};

/// Lower bounds on the repeated time of every legal plan of a problem, from its gaps and tails.
class RematBounds
{
public:
    /// Takes a problem that simulate() accepts.
    explicit RematBounds(const RematProblem& problem);

    /// The largest one: no plan's peak is below it.
    [[nodiscard]] RematWorkingSet workingSet() const;

    /// The dearest single op: what must be dropped there costs at least the cheapest repetitions
    /// (continuous knapsack).
    [[nodiscard]] RematBound dearestCut(std::int64_t budget) const;

    /// The sum over ops that no gap has in common, dearest choice. Never below dearestCut().
    [[nodiscard]] RematBound separateCuts(std::int64_t budget) const;

    /// Prices on all ops over the budget, by subgradient ascent. Never below the bound of the
    /// prices it starts from.
    [[nodiscard]] RematBound lagrangian(std::int64_t budget, const RematClimb& climb = {}) const;

    /// The bound that given prices (any numbers, one for each op) prove.
    [[nodiscard]] RematBound priced(std::int64_t budget, std::vector<double> prices) const;

private:
    /// What the knapsack of one op proves.
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

/// What the time of all repetitions is a multiple of, where all ops take whole times; 0 elsewhere.
[[nodiscard]] double unitOfTimes(const RematProblem& problem);

/// A bound on the time of all repetitions, raised to what they can add up to: where all ops take
/// whole times, to a multiple of these.
[[nodiscard]] double raisedToWholeTimes(const RematProblem& problem, double recomputeTime);

} // namespace plimsoll::solve
