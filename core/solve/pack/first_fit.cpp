// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/first_fit.h"

#include <algorithm>
#include <limits>
#include <numeric>

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

void FirstFit::clear()
{
    std::fill(m_latestEnd.begin(), m_latestEnd.end(), kNothing);
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
    clear();
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

} // namespace plimsoll::solve
