// SPDX-License-Identifier: Apache-2.0
#include "core/base/curve_so_far.h"

namespace plimsoll::base {

namespace {

constexpr std::size_t kMostBlocks = 1024; ///< even

CurveSoFar::Block both(const CurveSoFar::Block& a, const CurveSoFar::Block& b)
{
    return {std::min(a.lowest, b.lowest), std::max(a.highest, b.highest)};
}

} // namespace

CurveSoFar::Block CurveSoFar::Curve::range() const
{
    Block range;
    for (const Block& block : blocks)
        range = both(range, block);
    return range;
}

void CurveSoFar::append(int series, const Block& block, std::size_t values)
{
    const std::scoped_lock lock{m_mutex};
    Curve& curve = m_curves[series];
    curve.series = series;
    if (curve.blocks.empty())
        curve.perBlock = values;
    const bool isFull = curve.values == curve.blocks.size() * curve.perBlock;
    if (isFull && curve.blocks.size() == kMostBlocks) {
        for (std::size_t i = 0; i < kMostBlocks / 2; ++i)
            curve.blocks[i] = both(curve.blocks[2 * i], curve.blocks[2 * i + 1]);
        curve.blocks.resize(kMostBlocks / 2);
        curve.perBlock *= 2;
    }
    if (isFull)
        curve.blocks.push_back(block);
    else
        curve.blocks.back() = both(curve.blocks.back(), block);
    curve.values += values;
}

void CurveSoFar::clear()
{
    const std::scoped_lock lock{m_mutex};
    m_curves.clear();
}

std::optional<CurveSoFar::Curve> CurveSoFar::longest() const
{
    const std::scoped_lock lock{m_mutex};
    const auto longest =
        std::max_element(m_curves.begin(), m_curves.end(), [](const auto& a, const auto& b) {
            return a.second.values < b.second.values;
        });
    return longest == m_curves.end() ? std::nullopt : std::optional{longest->second};
}

} // namespace plimsoll::base
