// SPDX-License-Identifier: Apache-2.0
#include "ui/plot/scene.h"

#include "ui/base/drawn_text.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <QPainter>
#include <QSvgGenerator>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace plimsoll::ui {

namespace {

constexpr double kTextPadX = 4.0;
constexpr double kTextPadY = 1.0;

struct Painter
{
    QPainter& painter;

    void operator()(const RectShape& shape) const
    {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(shape.rect, shape.fill);
    }

    void operator()(const CurveShape& shape) const
    {
        painter.setRenderHint(QPainter::Antialiasing, shape.antialiased);
        if (shape.fill.isValid()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(shape.fill);
            painter.drawPolygon(shape.points);
        }
        painter.setBrush(Qt::NoBrush);
        if (shape.haloWidth > 0) {
            QPen pen{shape.halo, shape.haloWidth};
            pen.setJoinStyle(Qt::RoundJoin);
            painter.setPen(pen);
            painter.drawPolyline(shape.points);
        }
        if (shape.pen.style() != Qt::NoPen) {
            painter.setPen(shape.pen);
            painter.drawPolyline(shape.points);
        }
    }

    void operator()(const PathShape& shape) const
    {
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(shape.pen);
        painter.setBrush(shape.fill.isValid() ? QBrush{shape.fill} : QBrush{Qt::NoBrush});
        painter.drawPath(shape.path);
    }

    void operator()(const TextShape& shape) const
    {
        painter.setRenderHint(QPainter::Antialiasing, true);
        if (shape.ground.isValid()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(shape.ground);
            painter.drawRoundedRect(Scene::boundsOf(shape), 3, 3);
        }
        painter.setFont(Theme::current().font(shape.font));
        painter.setPen(shape.color);
        if (shape.angle == 0) {
            drawNumber(painter, shape.pos, shape.text, shape.align);
            return;
        }
        painter.save();
        painter.translate(shape.pos);
        painter.rotate(shape.angle);
        drawNumber(painter, QPointF{}, shape.text, shape.align);
        painter.restore();
    }
};

} // namespace

QRectF Scene::boundsOf(const TextShape& text)
{
    const QFont font = Theme::current().font(text.font);
    const QFontMetricsF metrics{font};
    const double width = numberWidth(font, text.text);
    double left = text.pos.x();
    if ((text.align & Qt::AlignRight) != 0)
        left -= width;
    else if ((text.align & Qt::AlignHCenter) != 0)
        left -= width / 2;
    const QRectF box{left, text.pos.y() - metrics.ascent(), width, metrics.height()};
    return text.ground.isValid() ? box.adjusted(-kTextPadX, -kTextPadY, kTextPadX, kTextPadY) : box;
}

void paintScene(QPainter& painter, const Scene& scene)
{
    painter.save();
    for (const Shape& shape : scene.shapes())
        std::visit(Painter{painter}, shape);
    painter.restore();
}

bool writeSvg(QIODevice& device, const QSize& size, const QString& title,
              const std::function<void(QPainter&)>& paint)
{
    QByteArray text;
    QBuffer buffer{&text};
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect{QPoint{}, size});
    generator.setResolution(96);
    generator.setTitle(title);
    QPainter painter;
    if (!painter.begin(&generator))
        return false;
    paint(painter);
    if (!painter.end())
        return false;
    return device.write(text) == text.size();
}

bool writeSceneSvg(QIODevice& device, const QSize& size, const QString& title, const Scene& scene)
{
    return writeSvg(device, size, title, [&](QPainter& painter) { paintScene(painter, scene); });
}

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

QPainterPath hatchPath(const QRectF& rect, double gap)
{
    QPainterPath path;
    if (rect.isEmpty() || gap <= 0)
        return path;
    // Lines x + y = c, anchored to the widget so that neighbours and redraws line up.
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
