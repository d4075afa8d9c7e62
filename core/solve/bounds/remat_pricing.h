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
/// gap's end, the value was either there during all of them, or its maker ran again within the gap,
/// and after it all that had overwritten the value by then.
struct RematGap
{
    std::uint32_t first = 0;
    std::uint32_t last = 0; ///< included
    std::uint32_t value = 0;
    std::int64_t size = 0;
    double cost = 0; ///< of those repetitions
    std::size_t needsFrom = 0;
    std::size_t needsTo = 0; ///< of RematGaps::needs

    [[nodiscard]] double density() const { return cost / static_cast<double>(size); }
};

/// The time after a value's last use in the given order. Where a repetition behind an op p reads
/// it, it was either there from that use to p, or its maker ran again since.
struct RematTail
{
    std::uint32_t first = 0; ///< the op behind the last use
    std::int64_t size = 0;
    double cost = 0; ///< of its maker's repetition; infinity where there is none
    std::size_t needsFrom = 0;
    std::size_t needsTo = 0;
};

/// What the lower bounds of a problem are made of. An op that writes several values spreads its
/// time over their bytes, so that all costs of a plan may be added up: the gaps and the tail of one
/// value are apart in time.
struct RematGaps
{
    std::vector<std::int64_t> fixed;   ///< by op: floor, working set, gaps that can't be dropped
    std::vector<RematGap> gaps;        ///< that can, of values with bytes, by their first op
    std::vector<RematTail> tails;      ///< that some repetition needs
    std::vector<std::uint32_t> needs;  ///< values that the repetitions of a gap or a tail read
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

/// Takes a problem that simulate() accepts.
[[nodiscard]] RematGaps gapsOf(const RematProblem& problem);

/// Of all terms of a bound that are added up: what rounding can't have added.
constexpr double kBoundRounding = 1e-9;

/// What repetitions of a bound are charged for, besides themselves.
enum class RematCharges : std::uint8_t {
    Tails,    ///< what they read and nothing else has a use for by then
    Operands, ///< also what they read and something has a use for later on
};

/// What prices on memory prove: the Lagrangian dual of keeping within the budget. PRICING.md says
/// what may be claimed, and why no plan pays less.
class RematPricing
{
public:
    explicit RematPricing(const RematGaps& parts, RematCharges charges = RematCharges::Operands);

    /// The bound that prices (finite, not negative, one for each op) prove, less what rounding may
    /// have added; where `slope` is wanted, how it changes with each price, nearly.
    double valueOf(std::int64_t budget, const std::vector<double>& prices,
                   std::vector<double>* slope);

private:
    /// What has been claimed of a tail, or of a gap that is dropped.
    struct Claimed
    {
        double rate = 0;     ///< bytes, from the last use on
        double lateRate = 0; ///< bytes, up to the next use
        double time = 0;     ///< of its maker's repetition
        double given = 0;    ///< taken off what keeping the gap costs
        double dropping = 0; ///< what dropping the gap costs
        bool isExhausted = false;
        bool isSeen = false;         ///< by follow()
        std::uint32_t heldUntil = 0; ///< by the choice that follow() found
    };

    /// A claim that is being made.
    struct Claim
    {
        double amount = 0;
        double rate = 0;
    };

    /// Where a value waits when a repetition wants it.
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
