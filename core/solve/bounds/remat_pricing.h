// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/bounds/remat_problem.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace plimsoll::solve {

/// Ops between two consecutive uses of a value in the given order. Until that order reaches the
/// gap's end, the value either stayed in memory, or its maker was recomputed within the gap,
/// followed by all ops that had overwritten the value by then.
struct RematGap
{
    std::uint32_t first = 0;
    std::uint32_t last = 0; ///< included
    std::uint32_t value = 0;
    std::int64_t size = 0;
    double cost = 0; ///< of those recomputations
    std::size_t needsFrom = 0;
    std::size_t needsTo = 0; ///< of RematGaps::needs

    [[nodiscard]] double density() const { return cost / static_cast<double>(size); }
};

/// The time after a value's last use in the given order. If a recomputation after an op p reads the
/// value, it either stayed in memory from that use to p, or its maker was recomputed since.
struct RematTail
{
    std::uint32_t first = 0; ///< the op after the last use
    std::int64_t size = 0;
    double cost = 0; ///< of recomputing its maker; infinity if there is none
    std::size_t needsFrom = 0;
    std::size_t needsTo = 0;
};

/// The input of the lower bounds of a problem. An op that writes several values spreads its time
/// over their bytes, so that all costs of a plan can be added up: the gaps and the tail of one
/// value don't overlap in time.
struct RematGaps
{
    std::vector<std::int64_t> fixed;   ///< by op: floor, working set, gaps that can't be dropped
    std::vector<RematGap> gaps;        ///< gaps that can, of values with bytes, by their first op
    std::vector<RematTail> tails;      ///< tails that some recomputation needs
    std::vector<std::uint32_t> needs;  ///< values that the recomputations of a gap or a tail read
    std::vector<std::uint32_t> tailOf; ///< by value: index, or kNoTail
    /// Indices of the gaps of values that are written once, by value and then as they follow.
    std::vector<std::uint32_t> gapsOf;
    std::vector<std::size_t> gapsFrom; ///< by value, one behind the last included: in `gapsOf`

    static constexpr std::uint32_t kNoTail = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] std::span<const std::uint32_t> needsOf(const auto& gapOrTail) const
    {
        return std::span{needs}.subspan(gapOrTail.needsFrom,
                                        gapOrTail.needsTo - gapOrTail.needsFrom);
    }
};

/// Requires a problem that simulate() accepts.
[[nodiscard]] RematGaps gapsOf(const RematProblem& problem);

/// An upper bound on the relative rounding error of the sum of a bound's terms.
constexpr double kBoundRounding = 1e-9;

/// What the recomputations of a bound are charged for, besides themselves.
enum class RematCharges : std::uint8_t {
    Tails,    ///< what they read that has no other use by then
    Operands, ///< also what they read that has a later use
};

/// The bound that prices on memory prove: the Lagrangian dual of staying within the budget.
/// PRICING.md says what may be claimed, and why no plan pays less.
class RematPricing
{
public:
    explicit RematPricing(const RematGaps& parts, RematCharges charges = RematCharges::Operands);

    /// The bound proven by prices (finite, not negative, one for each op), less possible rounding
    /// errors; if `slope` is given, roughly how the bound changes with each price.
    double valueOf(std::int64_t budget, const std::vector<double>& prices,
                   std::vector<double>* slope);

private:
    /// The claims on a tail, or on a dropped gap.
    struct Claimed
    {
        double rate = 0;     ///< bytes, from the last use on
        double lateRate = 0; ///< bytes, up to the next use
        double time = 0;     ///< of recomputing its maker
        double given = 0;    ///< deducted from the cost of keeping the gap
        double dropping = 0; ///< the cost of dropping the gap
        bool isExhausted = false;
        bool isSeen = false;         ///< by follow()
        std::uint32_t heldUntil = 0; ///< by the choice that follow() made
    };

    /// A claim in progress.
    struct Claim
    {
        double amount = 0;
        double rate = 0;
    };

    /// Where a value is kept when a recomputation needs it.
    struct Source
    {
        std::uint32_t index = 0; ///< of m_claims: gaps, then tails
        std::uint32_t first = 0;
        std::uint32_t last = 0; ///< of a gap
        std::int64_t size = 0;
        double making = 0;
        bool isGap = false;
        std::span<const std::uint32_t> needs = {};
    };

    [[nodiscard]] double pricesOf(std::uint32_t first, std::uint32_t last) const
    {
        return first <= last ? m_before[last + 1] - m_before[first] : 0;
    }
    [[nodiscard]] double keepingOf(const RematGap& gap) const
    {
        return static_cast<double>(gap.size) * pricesOf(gap.first, gap.last);
    }
    [[nodiscard]] std::optional<Source> sourceOf(std::uint32_t value, std::uint32_t until) const;
    void order();
    void claimForGap(std::size_t index);
    Claim claim(const Source& source, Claim wanted, std::uint32_t until, int depth);
    Claim claimAll(std::span<const std::uint32_t> values, Claim wanted, std::uint32_t until,
                   int depth);
    void follow(const Source& source, std::uint32_t until);
    void followAll(std::span<const std::uint32_t> values, std::uint32_t until);
    void add(std::uint32_t first, std::uint32_t last, std::int64_t size);
    void addTotals(std::int64_t budget, std::vector<double>& slope);

    const RematGaps& m_parts;
    RematCharges m_charges;
    std::vector<double> m_before;  ///< by op: sum of the prices of the ops before
    std::vector<Claimed> m_claims; ///< by gap, then by tail
    std::vector<bool> m_isDropped; ///< by gap
    std::vector<std::pair<double, std::uint32_t>> m_order; ///< of gaps that claim something
    std::vector<std::int64_t> m_change;
};

} // namespace plimsoll::solve
