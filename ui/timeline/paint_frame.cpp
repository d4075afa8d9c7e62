// SPDX-License-Identifier: Apache-2.0
#include "ui/base/drawn_text.h"
#include "ui/base/kept_picture.h"
#include "ui/base/numbers.h"
#include "ui/timeline/paint_context.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <vector>

namespace plimsoll::ui {

QColor mixed(const QColor& over, double share, const QColor& ground)
{
    const auto part = [share](int a, int b) {
        return static_cast<int>(std::lround(a * share + b * (1 - share)));
    };
    return {part(over.red(), ground.red()), part(over.green(), ground.green()),
            part(over.blue(), ground.blue())};
}

namespace {

constexpr double kTearWidth = 8; ///< of a tooth of the torn edge
constexpr double kTearDepth = 4;
constexpr double kBoundaryShare = 0.55; ///< of the colour in a phase boundary; the rest is ground

void paintMemoryAxis(const PaintContext& context)
{
    const QRectF& plot = context.frame.at.plot();
    const QFont& font = context.theme.font(TextRole::Small);
    const QFontMetricsF metrics{font};
    QPainter& painter = context.painter;
    for (const Tick& tick : context.frame.bytes.ticks) {
        const double y =
            std::round(context.frame.at.yOf(base::Bytes{static_cast<std::int64_t>(tick.value)}));
        painter.fillRect(QRectF{plot.left(), std::min(y, plot.bottom() - 1), plot.width(), 1},
                         context.color(Role::Grid));
        context.setText(TextRole::Small, Role::Muted);
        // "3072 MiB" is wider than the gutter: shift it towards the plot rather than out of view.
        const double right = std::max(plot.left() - context.px(8),
                                      std::min(numberWidth(font, tick.label) + 1, plot.left() - 1));
        drawNumber(painter, QPointF{right, y + (metrics.ascent() - metrics.descent()) / 2},
                   tick.label, Qt::AlignRight);
    }
}

/// As much of a phase's name as fits.
QString fittingName(const QString& name, double width, const QFont& font, double scale)
{
    if (numberWidth(font, name) + 12 * scale <= width)
        return name;
    if (width >= 24 * scale)
        return name.left(3);
    return width >= 13 * scale ? name.left(1) : QString{};
}

/// The y coordinate down to which a boundary's line is visible.
double boundaryEnd(const PaintContext& context, const StackColumns& standing, double x)
{
    const QRectF& plot = context.frame.layout.plot;
    const double ratio = context.painter.device()->devicePixelRatioF();
    const auto at = static_cast<std::ptrdiff_t>(std::lround((x - plot.left()) * ratio));
    const auto count = static_cast<std::ptrdiff_t>(standing.count());
    float highest = -1; // the outline's upper edge, inside the plot
    for (std::ptrdiff_t column = std::max<std::ptrdiff_t>(at - 1, 0);
         column < std::min(at + static_cast<std::ptrdiff_t>(std::ceil(ratio)), count); ++column)
        highest = std::max(highest, standing.totalAt(static_cast<std::size_t>(column)));
    highest = std::min(highest, static_cast<float>(standing.height));
    return plot.bottom() - (std::round(static_cast<double>(highest)) + 1) / ratio;
}

/// A torn edge below 0, from 0 to `width`.
QPolygonF tornEdge(double width)
{
    QPolygonF edge;
    bool isDown = true;
    for (double x = 0; x < width + kTearWidth / 2; x += kTearWidth / 2) {
        edge << QPointF{std::min(x, width), isDown ? 0 : -kTearDepth};
        isDown = !isDown;
    }
    return edge;
}

} // namespace

void paintAxisBreak(const PaintContext& context)
{
    if (context.frame.bytes.shown.bottom.count() <= 0)
        return;
    const QRectF& plot = context.frame.at.plot();
    drawKept(context.painter, plot.bottomLeft(), QStringLiteral("break"),
             QRectF{-7, -8, plot.width() + 8, 15}, [&](QPainter& painter) {
                 const QPolygonF edge = tornEdge(plot.width());
                 setShape(painter, Qt::NoPen, context.color(Role::Panel));
                 painter.drawPolygon(QPolygonF{edge} << QPointF{plot.width(), 1} << QPointF{0, 1});
                 setShape(painter, QPen{context.color(Role::BorderStrong), 1.2});
                 painter.drawPolyline(edge);
                 // The usual mark on an axis: two strokes across it.
                 for (const QPen& pen : {QPen{context.color(Role::Panel), 4.5},
                                         QPen{context.color(Role::Text), 1.4}}) {
                     painter.setPen(pen);
                     painter.drawLine(QLineF{-5, 1, 5, -4});
                     painter.drawLine(QLineF{-5, 5, 5, 0});
                 }
             });
}

void paintVeil(QPainter& painter, const QRectF& rect, double left, double right,
               const QColor& color)
{
    painter.fillRect(QRectF{rect.topLeft(), QPointF{left, rect.bottom()}}, color);
    painter.fillRect(QRectF{QPointF{right, rect.top()}, rect.bottomRight()}, color);
}

void paintGround(const PaintContext& context)
{
    QPainter& painter = context.painter;
    painter.setRenderHint(QPainter::Antialiasing, false);
    const TimelineLayout& layout = context.frame.layout;
    painter.fillRect(layout.plot, context.color(Role::Plot));
    if (context.model.stacked)
        paintMemoryAxis(context);
    // The right edge of the plot is the axis for device sizes.
    painter.fillRect(QRectF{layout.plot.right(), layout.plot.top(), 1, layout.plot.height()},
                     context.color(Role::Border));
    painter.fillRect(QRectF{layout.plot.left(), layout.plot.bottom(), layout.plot.width(), 1},
                     context.color(Role::BorderStrong));
    paintLegend(context);
}

void paintBands(const PaintContext& context)
{
    const TimelineLayout& layout = context.frame.layout;
    const timeline::TimelinePtr& stacked = context.model.stacked;
    if (!stacked || layout.bands.isEmpty())
        return;
    QPainter& painter = context.painter;
    painter.setRenderHint(QPainter::Antialiasing, false);
    const StepAxis& axis = context.model.axis;
    const Coordinates& at = context.frame.at;
    painter.fillRect(layout.bands, context.color(Role::Raised));
    const QFont font = context.theme.font(TextRole::Small);
    painter.save();
    painter.setClipRect(layout.bands);
    for (const timeline::Band& band : stacked->bands()) {
        if (band.row >= layout.bandRows)
            continue;
        const double begin = axis.positionOf(band.begin);
        const double end = axis.positionOf(std::size_t{band.end} + 1);
        const double left = std::max(at.xOf(begin), layout.plot.left());
        const double right = std::min(at.xOf(end), layout.plot.right());
        if (right <= left)
            continue;
        const QString name = QString::fromStdString(band.label);
        const QString shown = fittingName(name, right - left, font, layout.scale);
        const double baseline = baselineIn(layout.bandRow(band.row), font);
        context.setText(TextRole::Small, Role::Text);
        drawNumber(painter, QPointF{left + std::min(context.px(7), (right - left) / 4), baseline},
                   shown, Qt::AlignLeft);
        if (!context.model.isTimed() || shown != name)
            continue;
        const QString duration =
            timeText(base::Nanoseconds{static_cast<std::int64_t>(end - begin)});
        if (numberWidth(font, name) + numberWidth(font, duration) + context.px(30) > right - left)
            continue;
        context.setText(TextRole::Small, Role::Faint);
        drawNumber(painter, QPointF{right - context.px(8), baseline}, duration, Qt::AlignRight);
    }
    painter.restore();
}

void paintBoundaries(const PaintContext& context, const StackColumns& standing)
{
    const TimelineLayout& layout = context.frame.layout;
    const timeline::TimelinePtr& stacked = context.model.stacked;
    if (!stacked)
        return;
    context.painter.setRenderHint(QPainter::Antialiasing, false);
    const QColor ink =
        mixed(context.color(Role::BorderStrong), kBoundaryShare, context.color(Role::Plot));
    for (const timeline::Band& band : stacked->bands()) {
        const double edge =
            std::round(context.frame.at.xOf(context.model.axis.positionOf(band.begin)));
        if (edge <= layout.plot.left() + 1 || edge >= layout.plot.right() - 1)
            continue;
        // Those of inner bands would hide the plot.
        const QRectF row = layout.bandRow(band.row);
        if (band.row > 0 && row.isEmpty())
            continue;
        const double top = row.isEmpty() ? layout.plot.top() : row.top();
        const double bottom = band.row > 0 ? row.bottom() : boundaryEnd(context, standing, edge);
        context.painter.fillRect(QRectF{edge, top, 1, bottom - top}, ink);
    }
}

void paintTimeAxis(const PaintContext& context)
{
    const Coordinates& at = context.frame.at;
    const QRectF& axis = context.frame.layout.axis;
    if (context.model.axis.stepCount() == 0)
        return;
    const double gap = 64.0 * context.frame.layout.scale;
    const QString& counted = context.model.counted;
    const std::vector<Tick> ticks =
        context.model.isTimed()
            ? timeTicks(at.visibleBegin(), at.visibleEnd(), axis.width(), gap)
            : stepTicks(at.visibleBegin(), at.visibleEnd(), axis.width(),
                        counted.isEmpty() ? QStringLiteral("op") : counted, gap);
    QPainter& painter = context.painter;
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QFont& small = context.theme.font(TextRole::Small);
    const QFontMetricsF metrics{small};
    // The end's label, right of its tick, may need the space of the previous one.
    const double endBegins = ticks.empty()
                                 ? axis.right()
                                 : std::round(at.xOf(ticks.back().value))
                                       - numberWidth(small, ticks.back().label) - context.px(8);
    for (const Tick& tick : ticks) {
        const double x = std::round(at.xOf(tick.value));
        painter.fillRect(QRectF{std::min(x, axis.right() - 1), axis.top(), 1, context.px(4)},
                         context.color(Role::BorderStrong));
        context.setText(TextRole::Small, Role::Muted);
        const bool last = &tick == &ticks.back();
        if (!last && x + numberWidth(small, tick.label) / 2 > endBegins)
            continue;
        drawNumber(painter, QPointF{x, axis.top() + context.px(5) + metrics.ascent()}, tick.label,
                   last ? Qt::AlignRight : Qt::AlignHCenter);
    }
}

} // namespace plimsoll::ui
