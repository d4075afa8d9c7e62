// SPDX-License-Identifier: Apache-2.0
#include "core/solve/bounds/remat_pricing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plimsoll::solve {

namespace {

class Finder
{
public:
    explicit Finder(const RematProblem& problem)
        : m_problem{problem}
        , m_uses(problem.values.size())
        , m_writers(problem.values.size())
        , m_tailOf(problem.values.size(), RematGaps::kNoTail)
    {
    }

    RematGaps find() &&
    {
        collectUses();
        m_found.fixed = m_problem.floor;
        m_found.fixed.resize(m_problem.ops.size(), 0);
        for (std::uint32_t value = 0; value < m_uses.size(); ++value)
            for (const std::uint32_t op : m_uses[value])
                if (op < m_problem.ops.size())
                    m_found.fixed[op] += m_problem.values[value].size;
        addGaps();
        for (std::uint32_t tail = 0; tail < m_tailValues.size(); ++tail)
            addTail(tail); // may append further tails
        share();
        listGaps();
        m_found.tailOf = std::move(m_tailOf);
        return std::move(m_found);
    }

private:
    void collectUses()
    {
        const auto add = [](std::vector<std::uint32_t>& list, std::uint32_t op) {
            if (list.empty() || list.back() != op)
                list.push_back(op);
        };
        const auto count = static_cast<std::uint32_t>(m_problem.ops.size());
        for (std::uint32_t index = 0; index < count; ++index) {
            const RematOp& op = m_problem.ops[index];
            for (const auto* values : {&op.reads, &op.makes, &op.overwrites})
                for (const std::uint32_t value : *values)
                    add(m_uses[value], index);
            for (const auto* values : {&op.makes, &op.overwrites})
                for (const std::uint32_t value : *values)
                    add(m_writers[value], index);
        }
        for (std::uint32_t value = 0; value < m_uses.size(); ++value)
            if (m_problem.values[value].isKept)
                m_uses[value].push_back(count);
    }

    void addGaps()
    {
        struct Place
        {
            std::uint32_t begin, end, value;
        };
        std::vector<Place> places;
        for (std::uint32_t value = 0; value < m_uses.size(); ++value)
            for (std::size_t use = 0; use + 1 < m_uses[value].size() && sizeOf(value) > 0; ++use)
                if (m_uses[value][use + 1] - m_uses[value][use] > 1)
                    places.push_back({m_uses[value][use], m_uses[value][use + 1], value});
        std::stable_sort(places.begin(), places.end(),
                         [](const Place& a, const Place& b) { return a.begin < b.begin; });
        std::vector<std::int64_t> change(m_problem.ops.size() + 1, 0);
        for (const Place& place : places) {
            const auto writers = writersUntil(place.value, place.begin);
            if (std::ranges::all_of(
                    writers, [this](std::uint32_t op) { return m_problem.ops[op].mayRepeat; })) {
                RematGap gap{place.begin + 1, place.end - 1, place.value, sizeOf(place.value)};
                gap.needsFrom = m_found.needs.size();
                for (const std::uint32_t writer : writers)
                    addNeeds(writer, place.value, place.end - 1);
                gap.needsTo = m_found.needs.size();
                m_found.gaps.push_back(gap);
                continue;
            }
            change[place.begin + 1] += sizeOf(place.value);
            change[place.end] -= sizeOf(place.value);
        }
        std::int64_t undroppable = 0;
        for (std::size_t op = 0; op < m_problem.ops.size(); ++op) {
            undroppable += change[op];
            m_found.fixed[op] += undroppable;
        }
    }

    void addTail(std::uint32_t index)
    {
        const std::uint32_t value = m_tailValues[index];
        const std::uint32_t last = m_uses[value].back();
        const std::uint32_t maker = m_writers[value].front();
        RematTail tail{last + 1, sizeOf(value)};
        tail.needsFrom = m_found.needs.size();
        if (m_problem.ops[maker].mayRepeat)
            addNeeds(maker, value, static_cast<std::uint32_t>(m_problem.ops.size()));
        tail.needsTo = m_found.needs.size();
        m_found.tails.push_back(tail);
    }

    /// Divides each op's time among the values that depend on its recomputation.
    void share()
    {
        std::vector<std::size_t> relied(m_problem.values.size(), 0); // writers of each value
        for (const RematGap& gap : m_found.gaps) {
            const std::size_t count = writersUntil(gap.value, gap.first - 1).size();
            relied[gap.value] = std::max(relied[gap.value], count);
        }
        for (const std::uint32_t value : m_tailValues)
            relied[value] = std::max<std::size_t>(relied[value], 1);
        std::vector<std::int64_t> bytes(m_problem.ops.size(), 0);
        for (std::uint32_t value = 0; value < relied.size(); ++value)
            for (std::size_t writer = 0; writer < relied[value]; ++writer)
                bytes[m_writers[value][writer]] += sizeOf(value);
        const auto shareOf = [&](std::uint32_t op, std::uint32_t value) {
            return m_problem.ops[op].time * static_cast<double>(sizeOf(value))
                   / static_cast<double>(bytes[op]);
        };
        for (RematGap& gap : m_found.gaps)
            for (const std::uint32_t op : writersUntil(gap.value, gap.first - 1))
                gap.cost += shareOf(op, gap.value);
        for (std::size_t tail = 0; tail < m_found.tails.size(); ++tail) {
            const std::uint32_t maker = m_writers[m_tailValues[tail]].front();
            m_found.tails[tail].cost = m_problem.ops[maker].mayRepeat
                                           ? shareOf(maker, m_tailValues[tail])
                                           : std::numeric_limits<double>::infinity();
        }
    }

    /// Lists the gaps of each value that is written once and so has a single version.
    void listGaps()
    {
        std::vector<std::size_t>& from = m_found.gapsFrom;
        from.assign(m_problem.values.size() + 1, 0);
        const auto isOnce = [this](const RematGap& gap) {
            return m_writers[gap.value].size() == 1;
        };
        for (const RematGap& gap : m_found.gaps)
            from[gap.value + 1] += isOnce(gap) ? 1U : 0U;
        std::partial_sum(from.begin(), from.end(), from.begin());
        m_found.gapsOf.resize(from.back());
        std::vector<std::size_t> next = from;
        for (std::uint32_t index = 0; index < m_found.gaps.size(); ++index)
            if (const RematGap& gap = m_found.gaps[index]; isOnce(gap))
                m_found.gapsOf[next[gap.value]++] = index;
    }

    /// Records what a recomputation of the op reads. A value that the given order no longer uses
    /// from op `until` on gets a tail.
    void addNeeds(std::uint32_t op, std::uint32_t value, std::uint32_t until)
    {
        for (const auto* values : {&m_problem.ops[op].reads, &m_problem.ops[op].overwrites})
            for (const std::uint32_t operand : *values) {
                if (operand == value || sizeOf(operand) == 0)
                    continue;
                m_found.needs.push_back(operand);
                std::uint32_t& tail = m_tailOf[operand];
                if (m_uses[operand].back() >= until || tail != RematGaps::kNoTail)
                    continue;
                tail = static_cast<std::uint32_t>(m_tailValues.size());
                m_tailValues.push_back(operand);
            }
    }

    [[nodiscard]] std::int64_t sizeOf(std::uint32_t value) const
    {
        return m_problem.values[value].size;
    }
    /// Ops that have written the value by the time `op` is done: all of them must be recomputed to
    /// restore that version.
    [[nodiscard]] std::span<const std::uint32_t> writersUntil(std::uint32_t value,
                                                              std::uint32_t op) const
    {
        const std::vector<std::uint32_t>& all = m_writers[value];
        const auto end = std::upper_bound(all.begin(), all.end(), op);
        return {all.begin(), end};
    }

    const RematProblem& m_problem;
    std::vector<std::vector<std::uint32_t>> m_uses;    ///< by value, the end as an op, too
    std::vector<std::vector<std::uint32_t>> m_writers; ///< by value, its maker first
    std::vector<std::uint32_t> m_tailValues;           ///< by tail
    std::vector<std::uint32_t> m_tailOf;               ///< by value
    RematGaps m_found;
};

} // namespace

RematGaps gapsOf(const RematProblem& problem)
{
    return Finder{problem}.find();
}

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

/// Nullopt if the value is in memory under every plan, or may be for all that is known.
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

/// Claims costs of a value needed after the op `until`: at most the wanted amount and rate.
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

/// Marks the cheapest way to obtain a value that a dropped gap needs.
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

/// For tails the earliest gaps come first, for operands those with the most to claim per byte.
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
