// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/greedy_orders.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

namespace plimsoll::solve {

namespace {

constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kBuffersBetweenLooks = 256; ///< at the stop token

} // namespace

FirstFit::FirstFit(const PackBuffers& buffers)
    : m_buffers{buffers}, m_byLower(buffers.size()), m_leafOf(buffers.size())
{
    std::iota(m_byLower.begin(), m_byLower.end(), 0U);
    std::stable_sort(m_byLower.begin(), m_byLower.end(), [&](std::uint32_t a, std::uint32_t b) {
        return buffers[a].lower < buffers[b].lower;
    });
    for (std::size_t leaf = 0; leaf < m_byLower.size(); ++leaf) {
        m_leafOf[m_byLower[leaf]] = static_cast<std::uint32_t>(leaf);
        m_lowers.push_back(buffers[m_byLower[leaf]].lower);
    }
    while (m_leaves < buffers.size())
        m_leaves *= 2;
    m_latestEnd.resize(2 * m_leaves);
    m_blocks.resize(buffers.size());
}

void FirstFit::place(std::uint32_t buffer, std::int64_t offset)
{
    const std::size_t leaf = m_leafOf[buffer];
    const std::int64_t end = m_buffers[buffer].upper;
    m_blocks[leaf] = {offset, offset + m_buffers[buffer].size};
    for (std::size_t node = m_leaves + leaf; node > 0 && m_latestEnd[node] < end; node /= 2)
        m_latestEnd[node] = end;
}

void FirstFit::meet(const PackBuffer& buffer)
{
    m_met.clear();
    const auto begun = static_cast<std::size_t>(
        std::lower_bound(m_lowers.begin(), m_lowers.end(), buffer.upper) - m_lowers.begin());
    m_stack.assign(1, {1, 0, m_leaves});
    while (!m_stack.empty()) {
        const Subtree top = m_stack.back();
        m_stack.pop_back();
        if (top.first >= begun || m_latestEnd[top.node] <= buffer.lower)
            continue;
        if (top.leaves == 1) {
            m_met.push_back(m_blocks[top.first]);
            continue;
        }
        const std::size_t half = top.leaves / 2;
        m_stack.push_back({2 * top.node + 1, top.first + half, half});
        m_stack.push_back({2 * top.node, top.first, half});
    }
}

std::int64_t FirstFit::lowestGap(std::int64_t size)
{
    std::sort(m_met.begin(), m_met.end(),
              [](const Block& a, const Block& b) { return a.begin < b.begin; });
    std::int64_t offset = 0;
    for (const Block& block : m_met) {
        if (block.begin - offset >= size)
            break;
        offset = std::max(offset, block.end);
    }
    return offset;
}

PackOffsets FirstFit::pack(std::span<const std::uint32_t> order, const std::stop_token& stop)
{
    std::fill(m_latestEnd.begin(), m_latestEnd.end(), kNothing);
    PackOffsets offsets(m_buffers.size(), 0);
    std::int64_t top = 0;
    bool stopped = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t buffer = order[i];
        stopped = stopped || (i % kBuffersBetweenLooks == 0 && stop.stop_requested());
        if (stopped) {
            offsets[buffer] = top;
        } else {
            meet(m_buffers[buffer]);
            m_work += 1 + m_met.size();
            offsets[buffer] = lowestGap(m_buffers[buffer].size);
            place(buffer, offsets[buffer]);
        }
        top = std::max(top, offsets[buffer] + m_buffers[buffer].size);
    }
    return offsets;
}

namespace {

using Order = std::vector<std::uint32_t>;
using Key = std::function<double(std::uint32_t)>;

double durationOf(const PackBuffer& buffer)
{
    return static_cast<double>(buffer.upper) - static_cast<double>(buffer.lower);
}

/// Sums of live bytes between consecutive begins and ends of buffers.
class LiveCurve
{
public:
    explicit LiveCurve(const PackBuffers& buffers)
    {
        std::int64_t live = 0;
        for (const auto& [time, change] : liveChanges(buffers)) {
            live += change;
            if (m_times.empty() || m_times.back() != time) {
                m_times.push_back(time);
                m_live.push_back(live);
            }
            m_live.back() = live;
        }
        m_levels.push_back(m_live);
        for (std::size_t width = 1; 2 * width <= m_live.size(); width *= 2) {
            const std::vector<std::int64_t>& below = m_levels.back();
            std::vector<std::int64_t> level(m_live.size() - 2 * width + 1);
            for (std::size_t i = 0; i < level.size(); ++i)
                level[i] = std::max(below[i], below[i + width]);
            m_levels.push_back(std::move(level));
        }
    }

    /// The largest sum of live bytes during the buffer's lifetime.
    [[nodiscard]] std::int64_t most(const PackBuffer& buffer) const
    {
        const std::size_t begin = at(buffer.lower);
        const std::size_t count = at(buffer.upper) - begin;
        std::size_t level = 0;
        while ((std::size_t{2} << level) <= count)
            ++level;
        return std::max(m_levels[level][begin],
                        m_levels[level][begin + count - (std::size_t{1} << level)]);
    }
    [[nodiscard]] std::int64_t peakTime() const
    {
        const auto peak = std::max_element(m_live.begin(), m_live.end());
        return m_times[static_cast<std::size_t>(peak - m_live.begin())];
    }

private:
    [[nodiscard]] std::size_t at(std::int64_t time) const
    {
        return static_cast<std::size_t>(std::lower_bound(m_times.begin(), m_times.end(), time)
                                        - m_times.begin());
    }

    std::vector<std::int64_t> m_times;
    std::vector<std::int64_t> m_live;
    std::vector<std::vector<std::int64_t>> m_levels; ///< maxima of 2^level neighbours
};

class GreedyOrders
{
public:
    explicit GreedyOrders(const PackBuffers& buffers) : m_buffers{buffers}, m_curve{buffers}
    {
        for (std::size_t i = 0; i < buffers.size(); ++i)
            if (buffers[i].size > 0)
                m_taking.push_back(static_cast<std::uint32_t>(i));
    }

    static constexpr int kCount = 6;
    [[nodiscard]] Order order(int which) const
    {
        const auto& buffers = m_buffers;
        const auto size = [&](std::uint32_t i) { return static_cast<double>(buffers[i].size); };
        const auto duration = [&](std::uint32_t i) { return durationOf(buffers[i]); };
        const auto area = [&](std::uint32_t i) { return size(i) * durationOf(buffers[i]); };
        const auto crowd = [&](std::uint32_t i) {
            return static_cast<double>(m_curve.most(buffers[i]));
        };
        const auto peak = static_cast<double>(m_curve.peakTime());
        const auto nearness = [&](std::uint32_t i) {
            return -std::max({static_cast<double>(buffers[i].lower) - peak,
                              peak - static_cast<double>(buffers[i].upper), 0.0});
        };
        switch (which) {
        case 0: return by(size, duration);
        case 1: return by(area, size);
        case 2: return by(duration, size);
        case 3: return by(nearness, duration);
        case 4: return by(crowd, area);
        default: return by(crowd, duration);
        }
    }

private:
    /// Largest first; on a tie, by index.
    [[nodiscard]] Order by(const Key& first, const Key& second) const
    {
        std::vector<std::tuple<double, double, std::uint32_t>> rows;
        for (const std::uint32_t i : m_taking)
            rows.emplace_back(-first(i), -second(i), i);
        std::sort(rows.begin(), rows.end());
        Order order;
        for (const auto& [falling, next, buffer] : rows)
            order.push_back(buffer);
        return order;
    }

    const PackBuffers& m_buffers;
    LiveCurve m_curve;
    Order m_taking;
};

/// Moves buffers above the goal to the front, highest first; the rest keep their order.
Order repaired(const PackBuffers& buffers, const Order& order, const PackOffsets& offsets,
               std::int64_t goal)
{
    const auto top = [&](std::uint32_t i) { return offsets[i] + buffers[i].size; };
    Order next = order;
    const auto rest = std::stable_partition(next.begin(), next.end(),
                                            [&](std::uint32_t i) { return top(i) > goal; });
    std::stable_sort(next.begin(), rest,
                     [&](std::uint32_t a, std::uint32_t b) { return top(a) > top(b); });
    return next;
}

} // namespace

Packed packGreedily(const PackBuffers& buffers, const GreedyLimits& limits,
                    const base::JobContext& context)
{
    Packed best{std::numeric_limits<std::int64_t>::max(), {}};
    if (buffers.empty())
        return {0, {}};
    // A first packing of so many buffers takes an instant, so even a stopped search has one.
    constexpr std::size_t kAlwaysPlaced = 20'000;
    FirstFit firstFit{buffers};
    const GreedyOrders orders{buffers};
    Order bestOrder;
    Order order;
    Packed latest;
    for (int pass = 0; pass < limits.passes && best.height > limits.goal; ++pass) {
        if (pass > 0 && (context.stopRequested() || firstFit.work() > limits.mostWork))
            break;
        if (pass < GreedyOrders::kCount)
            order = orders.order(pass);
        else if (pass == GreedyOrders::kCount)
            order = repaired(buffers, bestOrder, best.offsets, limits.goal);
        else
            order = repaired(buffers, order, latest.offsets, limits.goal);
        const bool isSure = pass == 0 && buffers.size() <= kAlwaysPlaced;
        latest.offsets = firstFit.pack(order, isSure ? std::stop_token{} : context.stop);
        latest.height = heightOf(buffers, latest.offsets);
        if (latest.height < best.height) {
            best = latest;
            bestOrder = order;
        }
        context.report(static_cast<std::size_t>(pass) + 1, static_cast<std::size_t>(limits.passes));
    }
    return best;
}

} // namespace plimsoll::solve
