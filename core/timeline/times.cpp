// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/times.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace plimsoll::timeline {

void Times::compress()
{
    const std::vector<std::int64_t> all = std::exchange(m_whole, {});
    if (all.empty())
        return;
    std::vector<std::uint32_t> behind(all.size());
    std::vector<std::int64_t> firsts;
    std::vector<std::int64_t> exact;
    firsts.reserve(all.size() / kBlock + 1);
    for (std::size_t begin = 0; begin < all.size(); begin += kBlock) {
        const std::size_t end = std::min(begin + kBlock, all.size());
        const std::int64_t first = all[begin];
        if (all[end - 1] - first > std::numeric_limits<std::uint32_t>::max()) {
            firsts.push_back(-1 - static_cast<std::int64_t>(exact.size()));
            exact.insert(exact.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                         all.begin() + static_cast<std::ptrdiff_t>(end));
            continue;
        }
        firsts.push_back(first);
        for (std::size_t at = begin; at < end; ++at)
            behind[at] = static_cast<std::uint32_t>(all[at] - first);
    }
    m_first = base::Column{std::move(firsts)};
    m_behind = base::Column{std::move(behind)};
    m_exact = base::Column{std::move(exact)};
}

std::optional<Times> Times::fromColumns(Columns columns)
{
    const std::size_t count = columns.behind.size();
    if (columns.first.size() != (count + kBlock - 1) / kBlock)
        return std::nullopt;
    Times times;
    times.m_first = std::move(columns.first);
    times.m_behind = std::move(columns.behind);
    times.m_exact = std::move(columns.exact);
    // So that every distance can be added to it.
    constexpr std::int64_t kLastFirst = std::numeric_limits<std::int64_t>::max()
                                        - std::int64_t{std::numeric_limits<std::uint32_t>::max()};
    std::int64_t last = 0;
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
        const std::size_t end = std::min(begin + kBlock, count);
        const std::int64_t first = times.m_first[begin / kBlock];
        if (first < 0 ? exactOf(first) + (end - begin) > times.m_exact.size() : first > kLastFirst)
            return std::nullopt;
        if (times[begin] < last)
            return std::nullopt;
        // Without a look at where each is stored: most blocks have only distances.
        bool isFalling = false;
        if (first >= 0)
            for (std::size_t at = begin + 1; at < end; ++at)
                isFalling |= times.m_behind[at] < times.m_behind[at - 1];
        else
            for (std::size_t at = begin + 1; at < end; ++at)
                isFalling |= times[at] < times[at - 1];
        if (isFalling)
            return std::nullopt;
        last = times[end - 1];
    }
    return times;
}

std::size_t Times::countUntil(std::int64_t time, std::size_t from, std::size_t ahead) const
{
    // Between `from`, which isn't after the time, and `end`, which is.
    std::size_t end = size();
    std::size_t distance = ahead / 16 + 1;
    for (std::size_t at = from + ahead; at < end; at = from + distance, distance *= 2) {
        if ((*this)[at] > time) {
            end = at;
            break;
        }
        from = at;
    }
    // Most often a little before the first place looked at.
    distance = ahead / 16 + 1;
    while (end - from > 2 * distance) {
        const std::size_t at = end - distance;
        distance *= 2;
        if ((*this)[at] <= time) {
            from = at;
            break;
        }
        end = at;
    }
    while (end - from > 1) {
        const std::size_t half = from + (end - from) / 2;
        ((*this)[half] > time ? end : from) = half;
    }
    return end;
}

std::size_t Times::countUntil(std::int64_t time) const
{
    // First among the blocks, whose first times are a hundredth of the memory.
    std::size_t begin = 0;
    std::size_t count = size();
    if (!m_behind.empty()) {
        const auto after =
            std::partition_point(m_first.begin(), m_first.end(), [&](std::int64_t first) {
                return (first >= 0 ? first : m_exact[exactOf(first)]) <= time;
            });
        if (after == m_first.begin())
            return 0;
        begin = static_cast<std::size_t>(after - m_first.begin() - 1) * kBlock;
        count = std::min(kBlock, size() - begin);
    }
    while (count > 0) {
        const std::size_t half = count / 2;
        const bool isAfter = (*this)[begin + half] > time;
        begin += isAfter ? 0 : half + 1;
        count = isAfter ? half : count - half - 1;
    }
    return begin;
}

} // namespace plimsoll::timeline
