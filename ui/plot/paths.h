// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QPainterPath>
#include <QPen>
#include <QPolygonF>

#include <cstddef>

namespace plimsoll::ui {

/// Points of a step curve through (x[i], y[i]) that holds y[i] from x[i] to x[i + 1].
[[nodiscard]] QPolygonF stepCurve(const QPolygonF& points);
/// Marker of a planner (design 4): disc, square, triangle up, diamond, cross, triangle down, of a
/// radius, around a point.
[[nodiscard]] QPainterPath markerPath(std::size_t planner, QPointF center, double radius);
/// Dash pattern of a planner in pen widths; empty is solid.
[[nodiscard]] QList<qreal> plannerDashes(std::size_t planner);
/// For dashes with flat ends, in pen widths.
[[nodiscard]] QPen dashedPen(const QColor& color, double width, const QList<qreal>& dashes);
/// Hatch lines "/" every `gap` pixels inside a rectangle, as one path.
[[nodiscard]] QPainterPath hatchPath(const QRectF& rect, double gap);

} // namespace plimsoll::ui
