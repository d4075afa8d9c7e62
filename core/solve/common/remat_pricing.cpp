// SPDX-License-Identifier: Apache-2.0
#include "core/solve/common/remat_pricing.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::solve {

namespace {

constexpr int kDeepest = 6; ///< tails that need one another, followed that far

bool isFull(double rate, const RematTail& tail)
{
    return rate >= static_cast<double>(tail.size) * (1 - kBoundRounding);
}

} // namespace

RematPricing::RematPricing(const RematGaps& parts)
    : m_parts{parts}, m_before(parts.fixed.size() + 1, 0)
{
}

/// Claims of a tail that is needed behind the op `until`: at most the wanted amount and rate.
RematPricing::Claim RematPricing::claim(std::uint32_t index, Claim wanted, std::uint32_t until,
                                        int depth)
{
    const RematTail& tail = m_parts.tails[index];
    Claimed& claimed = m_claims[index];
    const double prices = pricesOf(tail.first, until);
    const double rate = std::min(wanted.rate, static_cast<double>(tail.size) - claimed.rate);
    const double amount = std::min(wanted.amount, rate * prices);
    if (claimed.isExhausted || amount <= 0)
        return {};
    Claim got{std::min(amount, tail.cost - claimed.time), 0};
    claimed.time += got.amount;
    if (got.amount < amount && depth > 0) {
        const auto needs = m_parts.needsOf(tail);
        const Claim further = claimAll(needs, {amount - got.amount, rate}, until, depth - 1);
        got.amount += further.amount;
        got.rate = further.rate;
        claimed.isExhausted = std::ranges::all_of(
            needs, [this](std::uint32_t need) { return m_claims[need].isExhausted; });
    }
    got.rate = std::max(got.rate, got.amount / prices);
    claimed.rate += got.rate;
    claimed.isExhausted = claimed.isExhausted || isFull(claimed.rate, tail);
    return got;
}

RematPricing::Claim RematPricing::claimAll(std::span<const std::uint32_t> tails, Claim wanted,
                                           std::uint32_t until, int depth)
{
    Claim all;
    for (const std::uint32_t tail : tails) {
        if (all.amount >= wanted.amount || all.rate >= wanted.rate)
            break;
        const Claim got =
            claim(tail, {wanted.amount - all.amount, wanted.rate - all.rate}, until, depth);
        all.amount += got.amount;
        all.rate += got.rate;
    }
    return all;
}

/// Marks how a tail that a dropped gap needs is had most cheaply.
void RematPricing::follow(std::uint32_t index, std::uint32_t until)
{
    const RematTail& tail = m_parts.tails[index];
    Claimed& claimed = m_claims[index];
    if (until < tail.first)
        return;
    if (isFull(claimed.rate, tail)) {
        const std::uint32_t from = std::max(claimed.heldUntil + 1, tail.first);
        if (until >= from) {
            m_change[from] += tail.size;
            m_change[until + 1] -= tail.size;
            claimed.heldUntil = until;
        }
        return;
    }
    if (claimed.isSeen)
        return;
    claimed.isSeen = true;
    for (const std::uint32_t need : m_parts.needsOf(tail))
        follow(need, until);
}

void RematPricing::addTotals(std::int64_t budget, std::vector<double>& slope)
{
    std::int64_t there = 0;
    for (std::size_t op = 0; op < slope.size(); ++op) {
        there += m_change[op];
        slope[op] = static_cast<double>(m_parts.fixed[op] - budget + there);
    }
}

double RematPricing::valueOf(std::int64_t budget, const std::vector<double>& prices,
                             std::vector<double>* slope)
{
    const std::size_t count = m_parts.fixed.size();
    for (std::size_t op = 0; op < count; ++op)
        m_before[op + 1] = m_before[op] + prices[op];
    m_claims.assign(m_parts.tails.size(), Claimed{});
    m_change.assign(count + 1, 0);
    m_dropped.clear();
    double value = 0;
    for (std::size_t index = 0; index < m_parts.gaps.size(); ++index) {
        const RematGap& gap = m_parts.gaps[index];
        const auto size = static_cast<double>(gap.size);
        const double keeping = size * pricesOf(gap.first, gap.last);
        double dropping = gap.cost;
        if (dropping < keeping)
            dropping +=
                claimAll(m_parts.needsOf(gap), {keeping - dropping, size}, gap.last, kDeepest)
                    .amount;
        value += std::min(keeping, dropping);
        if (dropping < keeping * (1 - kBoundRounding)) {
            m_dropped.push_back(index);
        } else {
            m_change[gap.first] += gap.size;
            m_change[gap.last + 1] -= gap.size;
        }
    }
    double terms = value;
    for (std::size_t op = 0; op < count; ++op) {
        const double over = prices[op] * static_cast<double>(m_parts.fixed[op] - budget);
        value += over;
        terms += std::abs(over);
    }
    if (slope != nullptr) {
        for (const std::size_t index : m_dropped)
            for (const std::uint32_t need : m_parts.needsOf(m_parts.gaps[index]))
                follow(need, m_parts.gaps[index].last);
        addTotals(budget, *slope);
    }
    return value - kBoundRounding * terms;
}

} // namespace plimsoll::solve
