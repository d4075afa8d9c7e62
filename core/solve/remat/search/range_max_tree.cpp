// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/range_max_tree.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace plimsoll::solve {

namespace {

/// Far below every sum of bytes, and far enough above the minimum to add to.
constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min() / 4;

} // namespace

RangeMaxTree::RangeMaxTree(std::size_t count)
    : m_width{std::bit_ceil(std::max<std::size_t>(count, 1))}
    , m_max(2 * m_width, 0)
    , m_add(2 * m_width, 0)
{
    std::fill(m_max.begin() + static_cast<std::ptrdiff_t>(m_width + count), m_max.end(), kNothing);
    for (std::size_t node = m_width - 1; node > 0; --node)
        m_max[node] = std::max(m_max[2 * node], m_max[2 * node + 1]);
}

void RangeMaxTree::renew(std::size_t node)
{
    m_max[node] = std::max(m_max[2 * node], m_max[2 * node + 1]) + m_add[node];
}

void RangeMaxTree::add(std::size_t first, std::size_t end, std::int64_t amount)
{
    if (first >= end || amount == 0)
        return;
    std::size_t low = first + m_width;
    std::size_t high = end + m_width;
    for (; low < high; low /= 2, high /= 2) {
        if (low % 2 == 1) {
            m_max[low] += amount;
            m_add[low++] += amount;
        }
        if (high % 2 == 1) {
            m_max[--high] += amount;
            m_add[high] += amount;
        }
    }
    // The nodes above both ends; once the two paths have met, each one only once.
    low = (first + m_width) / 2;
    high = (end - 1 + m_width) / 2;
    for (; low != high; low /= 2, high /= 2) {
        renew(low);
        renew(high);
    }
    for (; low > 0; low /= 2)
        renew(low);
}

std::int64_t RangeMaxTree::max(std::size_t first, std::size_t end) const
{
    // The maximum passed on the left and on the right, raised by the adds on the way up.
    std::size_t low = first + m_width;
    std::size_t high = end - 1 + m_width;
    std::int64_t left = m_max[low];
    std::int64_t right = m_max[high];
    while (low / 2 != high / 2) {
        if (low % 2 == 0)
            left = std::max(left, m_max[low + 1]);
        if (high % 2 == 1)
            right = std::max(right, m_max[high - 1]);
        low /= 2;
        high /= 2;
        left += m_add[low];
        right += m_add[high];
    }
    std::int64_t best = std::max(left, right); // equal if both ends have met
    for (std::size_t node = low / 2; node > 0; node /= 2)
        best += m_add[node];
    return best;
}

std::size_t RangeMaxTree::argMax() const
{
    std::size_t node = 1;
    while (node < m_width) {
        const std::size_t left = 2 * node;
        node = m_max[left] >= m_max[left + 1] ? left : left + 1;
    }
    return node - m_width;
}

} // namespace plimsoll::solve
