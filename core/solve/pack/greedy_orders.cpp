// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/greedy_orders.h"

#include "core/solve/pack/first_fit.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

namespace plimsoll::solve {

namespace {

using Order = std::vector<std::uint32_t>;
using Key = std::function<double(std::uint32_t)>;

double durationOf(const PackBuffer& buffer)
{
    return static_cast<double>(buffer.upper) - static_cast<double>(buffer.lower);
}

/// Live sums between neighbouring begins and ends of buffers.
class LiveCurve
{
public:
    explicit LiveCurve(const PackBuffers& buffers)
    {
        std::vector<std::pair<std::int64_t, std::int64_t>> changes;
        for (const PackBuffer& buffer : buffers) {
            changes.emplace_back(buffer.lower, buffer.size);
            changes.emplace_back(buffer.upper, -buffer.size);
        }
        std::sort(changes.begin(), changes.end());
        std::int64_t live = 0;
        for (const auto& [time, change] : changes) {
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

    /// The largest live sum while the buffer is needed.
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
    /// Largest first; equal ones by index.
    [[nodiscard]] Order by(const Key& first, const Key& second) const
    {
        struct Row
        {
            double first;
            double second;
            std::uint32_t buffer;
        };
        std::vector<Row> rows;
        for (const std::uint32_t i : m_taking)
            rows.push_back({first(i), second(i), i});
        std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
            if (a.first != b.first)
                return a.first > b.first;
            return a.second != b.second ? a.second > b.second : a.buffer < b.buffer;
        });
        Order order;
        for (const Row& row : rows)
            order.push_back(row.buffer);
        return order;
    }

    const PackBuffers& m_buffers;
    LiveCurve m_curve;
    Order m_taking;
};

/// What lies above the goal moves to the front, highest first; the rest stays in order.
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
    // A first packing of so many is a matter of a moment: whoever is stopped early has that.
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
