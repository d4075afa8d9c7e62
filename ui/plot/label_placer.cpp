// SPDX-License-Identifier: Apache-2.0
#include "ui/plot/label_placer.h"

#include <algorithm>

namespace plimsoll::ui {

bool LabelPlacer::isFree(const QRectF& rect) const
{
    return m_bounds.contains(rect) && std::ranges::none_of(m_taken, [&](const QRectF& taken) {
               return taken.intersects(rect);
           });
}

std::optional<QRectF> LabelPlacer::place(std::span<const QRectF> places)
{
    const auto found =
        std::ranges::find_if(places, [this](const QRectF& rect) { return isFree(rect); });
    if (found == places.end())
        return std::nullopt;
    m_taken.push_back(*found);
    return *found;
}

} // namespace plimsoll::ui
