// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/common/remat_gaps.h"

#include <cstdint>
#include <span>
#include <vector>

namespace plimsoll::solve {

/// Of all terms of a bound that are added up: what rounding can't have added.
constexpr double kBoundRounding = 1e-9;

/// What prices on memory prove: the Lagrangian dual of keeping within the budget.
///
/// A gap is kept, which costs its bytes at the prices of its ops, or dropped at some of them, up to
/// an op p at most. Then it costs its repetitions, and of each value that these read and nothing
/// else has a use for by then (a tail): either that value is held from its last use to p, at the
/// prices on the way, or it's made anew, for which the same holds. So a tail's costs are claimed by
/// the gaps that may need it. For any set of dropped gaps and any such p the claims stay within
/// what is really paid if all that is claimed of one tail is at most its maker's time and what is
/// claimed of further tails for it, and at most a rate times the prices from its last use to p, the
/// rates of all claims on one tail adding up to at most its bytes. A gap whose own rates add up to
/// at most its bytes is cheapest dropped altogether, so p is its last op. Any such claims prove a
/// bound; the ones taken here serve gaps by their first op.
class RematPricing
{
public:
    explicit RematPricing(const RematGaps& parts);

    /// The bound that prices (finite, not negative, one for each op) prove, less what rounding may
    /// have added; where `slope` is wanted, how it changes with each price, nearly.
    double valueOf(std::int64_t budget, const std::vector<double>& prices,
                   std::vector<double>* slope);

private:
    /// What has been claimed of a tail.
    struct Claimed
    {
        double rate = 0; ///< bytes
        double time = 0; ///< of its maker's repetition
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

    [[nodiscard]] double pricesOf(std::uint32_t first, std::uint32_t last) const
    {
        return first <= last ? m_before[last + 1] - m_before[first] : 0;
    }
    Claim claim(std::uint32_t tail, Claim wanted, std::uint32_t until, int depth);
    Claim claimAll(std::span<const std::uint32_t> tails, Claim wanted, std::uint32_t until,
                   int depth);
    void follow(std::uint32_t tail, std::uint32_t until);
    void addTotals(std::int64_t budget, std::vector<double>& slope);

    const RematGaps& m_parts;
    std::vector<double> m_before;  ///< by op: sum of the prices of the ops before
    std::vector<Claimed> m_claims; ///< by tail
    std::vector<std::int64_t> m_change;
    std::vector<std::size_t> m_dropped;
};

} // namespace plimsoll::solve
