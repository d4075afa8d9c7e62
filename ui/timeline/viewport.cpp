// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/viewport.h"

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

void Viewport::setSmallest(double smallest)
{
    m_smallest = std::clamp(smallest, 1e-9, 1.0);
    m_range = clamped(m_range);
}

VisibleRange Viewport::zoomed(double factor, double anchor) const
{
    const double newWidth = std::clamp(width() * factor, m_smallest, 1.0);
    const double place = width() > 0 ? (anchor - m_range.begin) / width() : 0.5;
    const double begin = anchor - place * newWidth;
    return clamped({begin, begin + newWidth});
}

VisibleRange Viewport::panned(double widths) const
{
    const double shift = std::clamp(widths * width(), -m_range.begin, 1.0 - m_range.end);
    return {m_range.begin + shift, m_range.end + shift};
}

VisibleRange Viewport::clamped(VisibleRange range) const
{
    if (range.end < range.begin)
        std::swap(range.begin, range.end);
    const double newWidth = std::clamp(range.end - range.begin, m_smallest, 1.0);
    // A range that is too narrow is widened around its middle.
    const double middle = (range.begin + range.end) / 2;
    const double begin = std::clamp(middle - newWidth / 2, 0.0, 1.0 - newWidth);
    return {begin, begin + newWidth};
}

} // namespace plimsoll::ui
