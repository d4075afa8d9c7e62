// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/curve_shapes.h"

#include "ui/timeline/stack_columns.h"

#include <cmath>
#include <span>

namespace plimsoll::ui {

std::vector<float> curveHeights(const timeline::Timeline& curve, const TimelineModel& model,
                                const std::shared_ptr<const std::vector<std::uint32_t>>& stepAt,
                                const TimelineFrame& frame)
{
    const QRectF& plot = frame.at.plot();
    const Coordinates columns{QRectF{0, 0, std::round(plot.width()), plot.height()},
                              frame.at.visibleBegin(), frame.at.visibleEnd(), frame.at.top()};
    std::span<const std::uint32_t> map;
    if (stepAt)
        map = *stepAt;
    return ghostColumns(curve, model.axis, map, columns);
}

QPolygonF edgeOf(const std::vector<float>& heights, double base)
{
    QPolygonF curve;
    for (std::size_t column = 0; column < heights.size(); ++column) {
        const auto x = static_cast<double>(column);
        const double y = base - static_cast<double>(heights[column]);
        if (!curve.isEmpty() && curve.back().y() == y)
            continue;
        if (!curve.isEmpty())
            curve << QPointF{x, curve.back().y()};
        curve << QPointF{x, y};
    }
    if (!curve.isEmpty())
        curve << QPointF{static_cast<double>(heights.size()), curve.back().y()};
    return curve;
}

} // namespace plimsoll::ui
