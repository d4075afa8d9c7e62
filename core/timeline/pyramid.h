// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plimsoll::timeline {

/// Values with the position of the best one in each aligned block of 2, 4, 8 … of them.
template <typename Value, typename Better>
class Pyramid
{
public:
    Pyramid() = default;
    explicit Pyramid(std::vector<Value> values) : m_values{std::move(values)}
    {
        std::size_t count = m_values.size() / 2;
        for (std::size_t level = 0; count > 0; ++level, count /= 2) {
            std::vector<std::uint32_t> best(count);
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t left = bestOf(level, 2 * i);
                const std::size_t right = bestOf(level, 2 * i + 1);
                best[i] = static_cast<std::uint32_t>(
                    Better{}(m_values[right], m_values[left]) ? right : left);
            }
            m_best.push_back(std::move(best));
        }
    }

    [[nodiscard]] const std::vector<Value>& values() const { return m_values; }
    [[nodiscard]] const Value& operator[](std::size_t position) const { return m_values[position]; }

    /// First position of the best value in [begin, end), in O(log n). Requires begin < end.
    [[nodiscard]] std::size_t bestIn(std::size_t begin, std::size_t end) const
    {
        std::size_t best = begin;
        for (std::size_t at = begin; at < end;) {
            const std::size_t level = levelAt(at, end);
            const std::size_t found = bestOf(level, at >> level);
            if (Better{}(m_values[found], m_values[best]))
                best = found;
            at += std::size_t{1} << level;
        }
        return best;
    }

    /// Calls visit(position), in order, for each value in [0, end) not worse than `limit`.
    template <typename Visit>
    void forEachAsGood(std::size_t end, const Value& limit, Visit&& visit) const
    {
        const auto isWorse = [&](std::size_t level, std::size_t at) {
            return Better{}(limit, m_values[bestOf(level, at >> level)]);
        };
        for (std::size_t at = 0; at < end;) {
            std::size_t level = levelAt(at, end);
            while (level > 0 && !isWorse(level, at))
                --level;
            if (level == 0 && !isWorse(0, at))
                visit(at);
            at += std::size_t{1} << level;
        }
    }

private:
    /// Level of the largest block that begins there and ends by `end`.
    [[nodiscard]] std::size_t levelAt(std::size_t at, std::size_t end) const
    {
        std::size_t level = 0;
        while (level < m_best.size() && at % (std::size_t{2} << level) == 0
               && at + (std::size_t{2} << level) <= end)
            ++level;
        return level;
    }
    [[nodiscard]] std::size_t bestOf(std::size_t level, std::size_t block) const
    {
        return level == 0 ? block : m_best[level - 1][block];
    }

    std::vector<Value> m_values;
    std::vector<std::vector<std::uint32_t>> m_best; ///< by level - 1 and block
};

} // namespace plimsoll::timeline
