// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/times.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace plimsoll::timeline {

void Times::compress()
{
    const std::vector<std::int64_t> all = std::exchange(m_whole, {});
    m_behind.resize(all.size());
    m_first.reserve(all.size() / kBlock + 1);
    for (std::size_t begin = 0; begin < all.size(); begin += kBlock) {
        const std::size_t end = std::min(begin + kBlock, all.size());
        const std::int64_t first = all[begin];
        if (all[end - 1] - first > std::numeric_limits<std::uint32_t>::max()) {
            m_first.push_back(-1 - static_cast<std::int64_t>(m_whole.size()));
            m_whole.insert(m_whole.end(), all.begin() + static_cast<std::ptrdiff_t>(begin),
                           all.begin() + static_cast<std::ptrdiff_t>(end));
            continue;
        }
        m_first.push_back(first);
        for (std::size_t at = begin; at < end; ++at)
            m_behind[at] = static_cast<std::uint32_t>(all[at] - first);
    }
    m_whole.shrink_to_fit();
}

std::size_t Times::countUntil(std::int64_t time) const
{
    if (m_behind.empty())
        return static_cast<std::size_t>(std::upper_bound(m_whole.begin(), m_whole.end(), time)
                                        - m_whole.begin());
    std::size_t begin = 0;
    for (std::size_t count = size(); count > 0;) {
        const std::size_t half = count / 2;
        const bool isAfter = (*this)[begin + half] > time;
        begin += isAfter ? 0 : half + 1;
        count = isAfter ? half : count - half - 1;
    }
    return begin;
}

} // namespace plimsoll::timeline
