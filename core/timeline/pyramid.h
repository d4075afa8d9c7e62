// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plimsoll::timeline {

/// The position of the best value in each aligned block of 2, 4, 8 … of them. The values themselves
/// stay with their owner, who passes them to each call as a function of the position.
template <typename Better>
class Pyramid
{
public:
    Pyramid() = default;
    template <typename Values>
    Pyramid(std::size_t size, Values&& values)
    {
        std::size_t count = size / 2;
        for (std::size_t level = 0; count > 0; ++level, count /= 2) {
            std::vector<std::uint32_t> best(count);
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t left = bestOf(level, 2 * i);
                const std::size_t right = bestOf(level, 2 * i + 1);
                best[i] = static_cast<std::uint32_t>(Better{}(values(right), values(left)) ? right
                                                                                           : left);
            }
            m_best.push_back(std::move(best));
        }
    }

    /// First position of the best value in [begin, end), in O(log n). Requires begin < end.
    template <typename Values>
    [[nodiscard]] std::size_t bestIn(Values&& values, std::size_t begin, std::size_t end) const
    {
        std::size_t best = begin;
        for (std::size_t at = begin; at < end;) {
            const std::size_t level = levelAt(at, end);
            const std::size_t found = bestOf(level, at >> level);
            if (Better{}(values(found), values(best)))
                best = found;
            at += std::size_t{1} << level;
        }
        return best;
    }

    /// Calls visit(position), in order, for each value in [0, end) not worse than `limit`.
    template <typename Values, typename Value, typename Visit>
    void forEachAsGood(Values&& values, std::size_t end, const Value& limit, Visit&& visit) const
    {
        const auto isWorse = [&](std::size_t level, std::size_t at) {
            return Better{}(limit, values(bestOf(level, at >> level)));
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

    std::vector<std::vector<std::uint32_t>> m_best; ///< by level - 1 and block
};

} // namespace plimsoll::timeline
