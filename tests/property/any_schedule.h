// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/regions/chain.h"

#include <queue>

#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

/// Exhaustive search over all schedules of small chains, persistent or not.
namespace plimsoll::tests {

/// A memory state in which any schedule is allowed: saved sets and values may be dropped at any
/// time.
struct Memory
{
    unsigned plain = 1; ///< bit i: x[i] is there
    unsigned saved = 0; ///< bit i: xbar[i] is there
    int gradient = -1;

    auto operator<=>(const Memory&) const = default;
};

class AnySchedule
{
public:
    AnySchedule(const solve::Chain& chain, std::int64_t budget) : m_chain{chain}, m_budget{budget}
    {
    }

    double best()
    {
        reach({}, 0);
        while (!m_open.empty()) {
            const auto [time, memory] = m_open.top();
            m_open.pop();
            if (time > m_best.at(memory))
                continue;
            if (memory.gradient == 0)
                return time;
            expand(memory, time);
        }
        return std::numeric_limits<double>::infinity();
    }

private:
    static bool has(unsigned set, std::size_t i) { return ((set >> i) & 1U) != 0; }
    static unsigned bit(std::size_t i) { return 1U << i; }

    [[nodiscard]] std::int64_t bytes(const Memory& memory) const
    {
        std::int64_t sum =
            memory.gradient >= 0 ? m_chain.x[static_cast<std::size_t>(memory.gradient)] : 0;
        for (std::size_t i = 0; i <= m_chain.stages(); ++i)
            sum += (has(memory.plain, i) ? m_chain.x[i] : 0)
                   + (has(memory.saved, i) ? m_chain.xbar[i] : 0);
        return sum;
    }
    void reach(const Memory& memory, double time)
    {
        if (bytes(memory) > m_budget)
            return;
        const auto [at, isNew] = m_best.try_emplace(memory, time);
        if (!isNew && at->second <= time)
            return;
        at->second = time;
        m_open.emplace(time, memory);
    }
    void expand(const Memory& memory, double time)
    {
        const std::size_t stages = m_chain.stages();
        const std::int64_t used = bytes(memory);
        for (std::size_t i = 0; i <= stages; ++i) {
            if (i > 0 && has(memory.plain, i))
                reach({memory.plain & ~bit(i), memory.saved, memory.gradient}, time);
            if (has(memory.saved, i))
                reach({memory.plain, memory.saved & ~bit(i), memory.gradient}, time);
            if (!has(memory.plain | memory.saved, i))
                continue;
            if (i == stages) {
                if (memory.gradient < 0 && used + m_chain.btmp[stages] <= m_budget)
                    reach({memory.plain & ~bit(i), memory.saved, static_cast<int>(stages)}, time);
                continue;
            }
            const double after = time + m_chain.ftime[i];
            if (used + m_chain.xbar[i + 1] + m_chain.ftmp[i] <= m_budget)
                reach({memory.plain, memory.saved | bit(i + 1), memory.gradient}, after);
            if (used + m_chain.x[i + 1] + m_chain.ftmp[i] <= m_budget)
                reach({memory.plain | bit(i + 1), memory.saved, memory.gradient}, after);
            if (memory.gradient == static_cast<int>(i + 1) && has(memory.saved, i + 1)
                && used + m_chain.btmp[i] <= m_budget)
                reach({memory.plain, memory.saved & ~bit(i + 1), static_cast<int>(i)},
                      time + m_chain.btime[i]);
        }
    }

    using Open = std::pair<double, Memory>;

    const solve::Chain& m_chain;
    std::int64_t m_budget;
    std::map<Memory, double> m_best;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> m_open;
};

} // namespace plimsoll::tests
