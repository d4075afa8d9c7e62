// SPDX-License-Identifier: Apache-2.0
#include "ui/plot/paths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace plimsoll::ui {

QPolygonF stepCurve(const QPolygonF& points)
{
    QPolygonF curve;
    curve.reserve(points.size() * 2);
    for (qsizetype i = 0; i < points.size(); ++i) {
        if (i > 0)
            curve << QPointF{points[i].x(), points[i - 1].y()};
        curve << points[i];
    }
    return curve;
}

QPainterPath markerPath(std::size_t planner, QPointF center, double radius)
{
    QPainterPath path;
    const auto polygon = [&](int corners, double firstDegrees, double r) {
        QPolygonF points;
        for (int i = 0; i <= corners; ++i) {
            const double angle = (firstDegrees + 360.0 * i / corners) * std::numbers::pi / 180.0;
            points << center + QPointF{r * std::cos(angle), r * std::sin(angle)};
        }
        path.addPolygon(points);
        path.closeSubpath();
    };
    switch (planner % 6) {
    case 0: path.addEllipse(center, radius, radius); break;
    case 1: polygon(4, 45, radius * std::numbers::sqrt2 * 0.9); break;
    case 2: polygon(3, -90, radius * 1.25); break;
    case 3: polygon(4, 0, radius * 1.3); break;
    case 4:
        path.moveTo(center + QPointF{-radius, -radius});
        path.lineTo(center + QPointF{radius, radius});
        path.moveTo(center + QPointF{radius, -radius});
        path.lineTo(center + QPointF{-radius, radius});
        break;
    default: polygon(3, 90, radius * 1.25); break;
    }
    return path;
}

QList<qreal> plannerDashes(std::size_t planner)
{
    static const std::array<QList<qreal>, 6> kDashes{QList<qreal>{}, {6, 3}, {8, 2, 2, 2},
                                                     {2, 2},         {1, 3}, {4, 1, 1, 1}};
    return kDashes.at(planner % kDashes.size());
}

QPen dashedPen(const QColor& color, double width, const QList<qreal>& dashes)
{
    QPen pen{color, width};
    pen.setCapStyle(Qt::FlatCap);
    pen.setDashPattern(dashes);
    return pen;
}

QPainterPath hatchPath(const QRectF& rect, double gap)
{
    QPainterPath path;
    if (rect.isEmpty() || gap <= 0)
        return path;
    // Lines x + y = c, anchored to the widget so that neighbouring areas and redraws line up.
    const double last = rect.right() + rect.bottom();
    for (double c = std::ceil((rect.left() + rect.top()) / gap) * gap; c <= last; c += gap) {
        const double left = std::max(rect.left(), c - rect.bottom());
        const double right = std::min(rect.right(), c - rect.top());
        if (right <= left)
            continue;
        path.moveTo(left, c - left);
        path.lineTo(right, c - right);
    }
    return path;
}

} // namespace plimsoll::ui
