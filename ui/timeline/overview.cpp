// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/overview.h"

#include "ui/base/drawn_text.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/stack_columns.h"

#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kHandle = 8;
constexpr double kLeastWindow = 3; ///< height of a window that shows little of the memory axis

/// Draws the whole step, whatever part of it is visible above.
Coordinates overviewCoordinates(const TimelineFrame& frame)
{
    const QRectF& strip = frame.layout.overview;
    return Coordinates{QRectF{0, 0, std::round(strip.width()), strip.height() - 3}, 0,
                       frame.axisLength, ByteRange{{}, frame.wholeTop}};
}

/// Calls visit(first column, columns, height, previous height) for each run of equal heights.
template <typename Visit>
void forEachLevel(const std::vector<float>& heights, Visit&& visit)
{
    for (std::size_t column = 0; column < heights.size();) {
        std::size_t end = column + 1;
        while (end < heights.size() && heights[end] == heights[column])
            ++end;
        visit(static_cast<double>(column), static_cast<double>(end - column),
              static_cast<double>(heights[column]),
              static_cast<double>(heights[column == 0 ? 0 : column - 1]));
        column = end;
    }
}

/// The visible window in the strip.
QRectF windowOf(const TimelineModel& model, const TimelineFrame& frame)
{
    const QRectF& strip = frame.layout.overview;
    const VisibleRange visible = model.viewport.range();
    const double left = std::round(frame.overviewX(visible.begin));
    const double right = std::round(frame.overviewX(visible.end));
    if (!model.byteZoom)
        return {left, strip.top(), right - left, strip.height()};
    const Coordinates at = overviewCoordinates(frame);
    const auto y = [&](base::Bytes bytes) {
        return std::clamp(std::round(strip.top() + 3 + at.yOf(bytes)), strip.top(), strip.bottom());
    };
    const double bottom = std::max(y(model.byteZoom->bottom), strip.top() + kLeastWindow);
    const double top = std::min(y(model.byteZoom->top), bottom - kLeastWindow);
    return {left, top, right - left, bottom - top};
}

void update(OverviewHeights& known, const TimelineModel& model, const TimelineFrame& frame,
            const Coordinates& at)
{
    if (known.of == model.stacked && known.size == at.plot().size()
        && known.length == frame.axisLength && known.top == frame.wholeTop)
        return;
    known = {model.stacked, at.plot().size(), frame.axisLength, frame.wholeTop,
             curveColumns(*model.stacked, columnSpans(model.axis, at), {}, at)};
}

} // namespace

void drawOverviewCurves(QImage& picture, const TimelineModel& model, const TimelineFrame& frame,
                        const Theme& theme, OverviewHeights& known)
{
    const QRectF& strip = frame.layout.overview;
    if (strip.isEmpty())
        return;
    const double ratio = picture.devicePixelRatio();
    const std::ptrdiff_t stride = picture.bytesPerLine() / 4;
    auto* pixels = reinterpret_cast<QRgb*>(picture.bits());
    const auto fill = [&](const QRectF& rect, const QColor& color) {
        const auto edge = [ratio](double at, int limit) {
            return std::clamp(static_cast<int>(std::floor(at * ratio + 0.5)), 0, limit);
        };
        const int left = edge(rect.left(), picture.width());
        const int right = edge(rect.right(), picture.width());
        const int bottom = edge(rect.bottom(), picture.height());
        for (int y = edge(rect.top(), picture.height()); y < bottom; ++y)
            std::fill(pixels + y * stride + left, pixels + y * stride + right, color.rgb());
    };
    const QColor ground = theme.color(Role::Plot);
    fill(strip, ground);
    if (!model.stacked || model.stacked->stepCount() == 0)
        return;
    const Coordinates at = overviewCoordinates(frame);
    update(known, model, frame, at);
    const QColor area = mixed(theme.color(Role::ClassAct), model.pale ? 0.35 : 0.8, ground);
    forEachLevel(known.heights, [&](double column, double count, double height, double /*before*/) {
        fill(QRectF{strip.left() + column, strip.bottom() - height, count, height}, area);
    });
    if (model.overviewCurves.empty())
        return;
    const std::vector<StepSpan> spans = columnSpans(model.axis, at);
    for (const LineCurve& other : model.overviewCurves) {
        const QColor line = theme.color(other.ink);
        forEachLevel(curveColumns(*other.curve, spans, other.stepAt, at),
                     [&](double column, double count, double height, double before) {
                         const double x = strip.left() + column;
                         const double y = std::round(strip.bottom() - height);
                         fill(QRectF{x, y, count, 1}, line);
                         const double from = std::min(y, std::round(strip.bottom() - before));
                         const double to = std::max(y, std::round(strip.bottom() - before));
                         fill(QRectF{x, from, 1, to - from}, line);
                     });
    }
}

void paintOverview(QPainter& painter, const TimelineModel& model, const TimelineFrame& frame,
                   const Theme& theme)
{
    const QRectF& strip = frame.layout.overview;
    if (strip.isEmpty())
        return;
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (model.line) {
        const double y = strip.bottom()
                         - static_cast<double>(model.line->count())
                               / static_cast<double>(frame.wholeTop.count()) * (strip.height() - 3);
        painter.fillRect(QRectF{strip.left(), std::round(y), strip.width(), 1.5},
                         theme.color(model.lineInk));
    }
    const QRectF window = windowOf(model, frame);
    const QColor veil = theme.color(Role::Panel, 0.6);
    paintVeil(painter, strip, window.left(), window.right(), veil);
    painter.fillRect(QRectF{QPointF{window.left(), strip.top()}, window.topRight()}, veil);
    painter.fillRect(QRectF{window.bottomLeft(), QPointF{window.right(), strip.bottom()}}, veil);
    const QColor accent = theme.color(Role::Accent);
    painter.fillRect(QRectF{window.left(), window.top(), window.width(), 1}, accent);
    painter.fillRect(QRectF{window.left(), window.bottom() - 1, window.width(), 1}, accent);
    const double grip = strip.height() * 0.55;
    for (const double x : {window.left(), window.right() - 1}) {
        painter.fillRect(QRectF{x, strip.top(), 1, strip.height()}, accent);
        painter.fillRect(QRectF{x - 1, strip.center().y() - grip / 2, 3, grip}, accent);
    }
    setText(painter, TextRole::Small, Role::Muted);
    const double baseline = baselineIn(strip, painter.font());
    const QColor ground = theme.color(Role::Panel);
    drawNumberOn(ground, painter, QPointF{strip.left() - theme.px(8), baseline}, model.overviewName,
                 Qt::AlignRight);
    const VisibleRange visible = model.viewport.range();
    const double percent = (visible.end - visible.begin) * 100;
    drawNumberOn(ground, painter, QPointF{strip.right() + theme.px(12), baseline},
                 QString::number(percent, 'f', percent < 10 ? 1 : 0)
                     + QStringLiteral("\u00a0% shown"),
                 Qt::AlignLeft);
}

OverviewPart overviewPartAt(const TimelineModel& model, const TimelineFrame& frame, QPointF point)
{
    const QRectF& strip = frame.layout.overview;
    if (strip.isEmpty() || !strip.adjusted(-kHandle, 0, kHandle, 0).contains(point))
        return OverviewPart::None;
    const VisibleRange visible = model.viewport.range();
    const double left = frame.overviewX(visible.begin);
    const double right = frame.overviewX(visible.end);
    const double hit = kHandle * frame.layout.scale;
    if (std::abs(point.x() - left) <= hit && point.x() - left <= (right - left) / 2)
        return OverviewPart::Left;
    if (std::abs(point.x() - right) <= hit)
        return OverviewPart::Right;
    return point.x() > left && point.x() < right ? OverviewPart::Window : OverviewPart::Outside;
}

VisibleRange draggedRange(const Viewport& before, OverviewPart part, double from, double to)
{
    const VisibleRange range = before.range();
    const double end = std::clamp(to, 0.0, 1.0);
    switch (part) {
    case OverviewPart::Window: return before.panned((end - from) / before.width());
    case OverviewPart::Left: return {std::min(end, range.end), range.end};
    case OverviewPart::Right: return {range.begin, std::max(end, range.begin)};
    case OverviewPart::Outside:
        return {std::clamp(std::min(from, end), 0.0, 1.0),
                std::clamp(std::max(from, end), 0.0, 1.0)};
    case OverviewPart::None: break;
    }
    return range;
}

} // namespace plimsoll::ui
