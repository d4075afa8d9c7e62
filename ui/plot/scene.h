// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"

#include <QPainterPath>
#include <QPen>
#include <QPolygonF>

#include <functional>
#include <variant>
#include <vector>

class QIODevice;
class QPainter;

namespace plimsoll::ui {

/// A filled rectangle without edge, not anti-aliased.
struct RectShape
{
    QRectF rect;
    QColor fill;
};

/// A polyline, or a polygon when it has a fill.
struct CurveShape
{
    QPolygonF points;
    QPen pen;             ///< Qt::NoPen: no outline
    QColor fill;          ///< invalid: none
    double haloWidth = 0; ///< drawn below the pen, in `halo`
    QColor halo;
    bool antialiased = true;
};

/// Any outline: markers, hatches.
struct PathShape
{
    QPainterPath path;
    QPen pen;
    QColor fill; ///< invalid: none
};

struct TextShape
{
    QPointF pos; ///< on the baseline, at the end named by align
    QString text;
    QColor color;
    TextRole font = TextRole::Small;
    Qt::Alignment align = Qt::AlignLeft;
    double angle = 0; ///< degrees, clockwise about pos
    QColor ground;    ///< a rounded box behind the text; invalid: none
};

using Shape = std::variant<RectShape, CurveShape, PathShape, TextShape>;

/// What a plot consists of, bottom to top, in logical pixels; says nothing about how it is shown.
class Scene
{
public:
    void add(Shape shape) { m_shapes.push_back(std::move(shape)); }
    [[nodiscard]] const std::vector<Shape>& shapes() const { return m_shapes; }
    /// Box of a text shape as it is drawn, its ground included.
    [[nodiscard]] static QRectF boundsOf(const TextShape& text);

private:
    std::vector<Shape> m_shapes;
};

/// Draws the shapes in order.
void paintScene(QPainter& painter, const Scene& scene);

/// Writes whatever `paint` draws as SVG of this size; false when the device can't be written.
[[nodiscard]] bool writeSvg(QIODevice& device, const QSize& size, const QString& title,
                            const std::function<void(QPainter&)>& paint);

[[nodiscard]] bool writeSceneSvg(QIODevice& device, const QSize& size, const QString& title,
                                 const Scene& scene);

/// Points of a step curve through (x[i], y[i]) that holds y[i] from x[i] to x[i + 1].
[[nodiscard]] QPolygonF stepCurve(const QPolygonF& points);
/// Marker of a planner (design 4): disc, square, triangle up, diamond, cross, triangle down, of a
/// radius, around a point.
[[nodiscard]] QPainterPath markerPath(std::size_t planner, QPointF center, double radius);
/// Dash pattern of a planner in pen widths; empty is solid.
[[nodiscard]] QList<qreal> plannerDashes(std::size_t planner);
/// Hatch lines "/" every `gap` pixels inside a rectangle, as one path.
[[nodiscard]] QPainterPath hatchPath(const QRectF& rect, double gap);

} // namespace plimsoll::ui
