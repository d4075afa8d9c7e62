// SPDX-License-Identifier: Apache-2.0
#include "core/solve/bounds/remat_pricing.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::solve {

namespace {

constexpr int kDeepest = 6; ///< tails that need one another, followed that far

bool isFull(double rate, std::int64_t size)
{
    return rate >= static_cast<double>(size) * (1 - kBoundRounding);
}

} // namespace

RematPricing::RematPricing(const RematGaps& parts, RematCharges charges)
    : m_parts{parts}, m_charges{charges}, m_before(parts.fixed.size() + 1, 0)
{
}

/// Nothing where the value is there whatever is planned, or may be for all that is known.
std::optional<RematPricing::Source> RematPricing::sourceOf(std::uint32_t value,
                                                           std::uint32_t until) const
{
    if (const std::uint32_t tail = m_parts.tailOf[value];
        tail != RematGaps::kNoTail && m_parts.tails[tail].first <= until) {
        const RematTail& its = m_parts.tails[tail];
        return Source{static_cast<std::uint32_t>(m_parts.gaps.size()) + tail,
                      its.first,
                      0,
                      its.size,
                      its.cost,
                      false,
                      m_parts.needsOf(its)};
    }
    if (m_charges == RematCharges::Tails)
        return std::nullopt;
    const auto begin =
        m_parts.gapsOf.begin() + static_cast<std::ptrdiff_t>(m_parts.gapsFrom[value]);
    const auto end =
        m_parts.gapsOf.begin() + static_cast<std::ptrdiff_t>(m_parts.gapsFrom[value + 1]);
    const auto behind = std::upper_bound(begin, end, until, [this](std::uint32_t op, auto gap) {
        return op < m_parts.gaps[gap].first;
    });
    if (behind == begin)
        return std::nullopt;
    const std::uint32_t index = *std::prev(behind);
    const RematGap& gap = m_parts.gaps[index];
    if (gap.last <= until)
        return std::nullopt;
    return Source{index, gap.first, gap.last, gap.size, gap.cost, true, m_parts.needsOf(gap)};
}

/// Claims of a value that is needed behind the op `until`: at most the wanted amount and rate.
RematPricing::Claim RematPricing::claim(const Source& source, Claim wanted, std::uint32_t until,
                                        int depth)
{
    Claimed& claimed = m_claims[source.index];
    if (claimed.isExhausted)
        return {};
    const auto size = static_cast<double>(source.size);
    const double prices = pricesOf(source.first, until);
    const double rate = std::min(wanted.rate, size - claimed.rate);
    double amount = std::min(wanted.amount, rate * prices);
    double late = 0;
    if (source.isGap) {
        late = pricesOf(until + 1, source.last);
        const double left =
            keepingOf(m_parts.gaps[source.index]) - claimed.given - claimed.dropping;
        amount = std::min({amount, left, (size - claimed.lateRate) * late});
    }
    if (amount <= 0)
        return {};
    Claim got{std::min(amount, source.making - claimed.time), 0};
    claimed.time += got.amount;
    if (got.amount < amount && depth > 0) {
        const Claim further = claimAll(source.needs, {amount - got.amount, rate}, until, depth - 1);
        got.amount += further.amount;
        got.rate = further.rate;
        claimed.isExhausted = std::ranges::all_of(source.needs, [this, until](std::uint32_t value) {
            const std::optional<Source> need = sourceOf(value, until);
            return !need || m_claims[need->index].isExhausted;
        });
    }
    got.rate = std::max(got.rate, got.amount / prices);
    claimed.rate += got.rate;
    claimed.isExhausted = claimed.isExhausted || isFull(claimed.rate, source.size);
    if (source.isGap) {
        claimed.given += got.amount;
        claimed.lateRate += got.amount / late;
    }
    return got;
}

RematPricing::Claim RematPricing::claimAll(std::span<const std::uint32_t> values, Claim wanted,
                                           std::uint32_t until, int depth)
{
    Claim all;
    for (const std::uint32_t value : values) {
        if (all.amount >= wanted.amount || all.rate >= wanted.rate)
            break;
        const std::optional<Source> source = sourceOf(value, until);
        if (!source)
            continue;
        const Claim got =
            claim(*source, {wanted.amount - all.amount, wanted.rate - all.rate}, until, depth);
        all.amount += got.amount;
        all.rate += got.rate;
    }
    return all;
}

void RematPricing::add(std::uint32_t first, std::uint32_t last, std::int64_t size)
{
    if (first > last)
        return;
    m_change[first] += size;
    m_change[last + 1] -= size;
}

/// Marks how a value that a dropped gap needs is had most cheaply.
void RematPricing::follow(const Source& source, std::uint32_t until)
{
    if (source.isGap && !m_isDropped[source.index])
        return;
    Claimed& claimed = m_claims[source.index];
    if (isFull(claimed.rate, source.size)) {
        const std::uint32_t from = std::max(claimed.heldUntil + 1, source.first);
        if (until >= from) {
            add(from, until, source.size);
            claimed.heldUntil = until;
        }
        return;
    }
    if (claimed.isSeen)
        return;
    claimed.isSeen = true;
    if (source.isGap && isFull(claimed.lateRate, source.size)) {
        add(until + 1, source.last, source.size);
        return;
    }
    followAll(source.needs, until);
}

void RematPricing::followAll(std::span<const std::uint32_t> values, std::uint32_t until)
{
    for (const std::uint32_t value : values)
        if (const std::optional<Source> source = sourceOf(value, until))
            follow(*source, until);
}

void RematPricing::addTotals(std::int64_t budget, std::vector<double>& slope)
{
    std::int64_t there = 0;
    for (std::size_t op = 0; op < slope.size(); ++op) {
        there += m_change[op];
        slope[op] = static_cast<double>(m_parts.fixed[op] - budget + there);
    }
}

/// Of tails the earliest gaps come first, of operands those with the most to claim for each byte.
void RematPricing::order()
{
    m_order.clear();
    for (std::uint32_t index = 0; index < m_parts.gaps.size(); ++index) {
        const RematGap& gap = m_parts.gaps[index];
        const double left = pricesOf(gap.first, gap.last) - gap.density();
        if (left > 0)
            m_order.emplace_back(-left, index);
    }
    if (m_charges == RematCharges::Operands)
        std::sort(m_order.begin(), m_order.end());
}

void RematPricing::claimForGap(std::size_t index)
{
    const RematGap& gap = m_parts.gaps[index];
    Claimed& claimed = m_claims[index];
    const Claim wanted{keepingOf(gap) - claimed.given - claimed.dropping,
                       static_cast<double>(gap.size) - claimed.lateRate};
    if (wanted.amount <= 0)
        return;
    const Claim got = claimAll(m_parts.needsOf(gap), wanted, gap.last, kDeepest);
    claimed.dropping += got.amount;
    claimed.lateRate += got.rate;
}

double RematPricing::valueOf(std::int64_t budget, const std::vector<double>& prices,
                             std::vector<double>* slope)
{
    const std::size_t count = m_parts.fixed.size();
    for (std::size_t op = 0; op < count; ++op)
        m_before[op + 1] = m_before[op] + prices[op];
    m_claims.assign(m_parts.gaps.size() + m_parts.tails.size(), Claimed{});
    for (std::size_t index = 0; index < m_parts.gaps.size(); ++index)
        m_claims[index].dropping = m_parts.gaps[index].cost;
    order();
    for (const auto& [left, index] : m_order)
        claimForGap(index);
    m_change.assign(count + 1, 0);
    m_isDropped.assign(m_parts.gaps.size(), false);
    double value = 0;
    double terms = 0;
    for (std::size_t index = 0; index < m_parts.gaps.size(); ++index) {
        const RematGap& gap = m_parts.gaps[index];
        const Claimed& claimed = m_claims[index];
        const double keeping = keepingOf(gap) - claimed.given;
        value += std::min(keeping, claimed.dropping);
        terms += std::abs(keeping) + claimed.given;
        m_isDropped[index] = claimed.dropping < keeping * (1 - kBoundRounding);
        if (!m_isDropped[index])
            add(gap.first, gap.last, gap.size);
    }
    for (std::size_t op = 0; op < count; ++op) {
        const double over = prices[op] * static_cast<double>(m_parts.fixed[op] - budget);
        value += over;
        terms += std::abs(over);
    }
    if (slope != nullptr) {
        for (std::size_t index = 0; index < m_parts.gaps.size(); ++index)
            if (m_isDropped[index])
                followAll(m_parts.needsOf(m_parts.gaps[index]), m_parts.gaps[index].last);
        addTotals(budget, *slope);
    }
    return value - kBoundRounding * terms;
}

} // namespace plimsoll::solve
