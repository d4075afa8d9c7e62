// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/remat/remat_problem.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::solve {

/// What must be in memory during an op's own execution whatever is planned.
struct RematWorkingSet
{
    std::uint32_t op = 0;
    std::int64_t bytes = 0;
};

/// A proven bound: no plan within the budget repeats less.
struct RematBound
{
    double again = 0; ///< time of all repetitions, at least; infinity: no plan exists
    /// By op: what one byte less at that op costs (time per byte). They prove the bound, and a
    /// nearby budget's bound starts from them.
    std::vector<double> prices = {};
};

/// How long the Lagrangian climbs.
struct RematClimb
{
    std::size_t rounds = 200;        ///< each costs one pass over ops and gaps
    std::vector<double> prices = {}; ///< where it starts; empty: where the separate cuts end
};

/// Lower bounds on the repeated time of every legal plan of a problem.
///
/// A gap lies between two consecutive uses of one value in the given order. Until that order
/// reaches the gap's end, the value was either there during all ops of the gap, or its maker ran
/// again within it, and after it all that had overwritten the value. Different gaps of one value
/// pay separately; an op that writes several values spreads its time over their bytes. What an op
/// that may not repeat has written is there in any case.
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
    /// Ops during which a value may be gone, and what that costs.
    struct Gap
    {
        std::uint32_t first = 0;
        std::uint32_t last = 0; ///< included
        std::int64_t size = 0;
        double cost = 0;

        [[nodiscard]] double density() const { return cost / static_cast<double>(size); }
    };

    /// What the knapsack of one op proves.
    struct Cut
    {
        std::uint32_t op = 0;
        double again = 0;
        double price = 0;
    };

    void addWorkingSets(const RematProblem& problem);
    void addGaps(const RematProblem& problem);
    [[nodiscard]] Cut cutAt(std::uint32_t op, std::int64_t budget) const;
    [[nodiscard]] std::vector<Cut> cuts(std::int64_t budget) const;
    [[nodiscard]] RematBound boundOf(const std::vector<Cut>& cuts) const;
    double valueOf(std::int64_t budget, const std::vector<double>& prices,
                   std::vector<double>* slope) const;

    std::vector<std::int64_t> m_fixed;  ///< by op: floor, working set, what no plan can drop
    std::vector<std::int64_t> m_plain;  ///< by op: m_fixed and all gaps
    std::vector<Gap> m_gaps;            ///< cheapest per byte first
    std::vector<std::uint32_t> m_reach; ///< by op: last op that shares a gap with it
};

} // namespace plimsoll::solve
