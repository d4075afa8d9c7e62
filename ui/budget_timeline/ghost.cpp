// SPDX-License-Identifier: Apache-2.0
#include "ui/budget_timeline/ghost.h"

#include "ui/plot/paths.h"
#include "ui/timeline/stack_columns.h"

#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kHatchGap = 7;

/// Empty if the unplanned curve isn't drawn.
std::vector<float> ghostHeights(const BudgetModel& model, const TimelineFrame& frame)
{
    if (!model.unplanned || model.unplanned == model.plot.stacked)
        return {};
    return curveHeights(*model.unplanned, model.plot.axis, model.unplannedStepAt, frame.at);
}

void drawCurve(QPainter& painter, const QPolygonF& curve, const QColor& color, const Theme& theme)
{
    QPen halo{theme.color(Role::Panel, 0.85), 3};
    halo.setJoinStyle(Qt::BevelJoin);
    setShape(painter, halo);
    painter.drawPolyline(curve);
    QPen pen = dashedPen(color, 1.5, {4 / 1.5, 2.5 / 1.5});
    pen.setJoinStyle(Qt::RoundJoin);
    painter.setPen(pen);
    painter.drawPolyline(curve);
}

/// The area's fill as a seamless tile, anchored at the plot's corner.
QImage overTile(const Theme& theme, double devicePixelRatio)
{
    constexpr int kLines = 10; // so that a ratio like 1.25 gives whole pixels
    constexpr double kSide = kLines * kHatchGap;
    const auto side = static_cast<int>(std::lround(kSide * devicePixelRatio));
    QImage tile{side, side, QImage::Format_ARGB32_Premultiplied};
    tile.fill(Qt::transparent);
    QPainter painter{&tile};
    painter.scale(side / kSide, side / kSide);
    painter.fillRect(QRectF{0, 0, kSide, kSide},
                     theme.color(Role::Danger, theme.isDark() ? 0.14 : 0.10));
    setShape(painter, QPen{theme.color(Role::Danger, 0.62), 1.1});
    for (int line = 0; line <= 2 * kLines; ++line)
        painter.drawLine(QLineF{line * kHatchGap + 1, -1, -1, line * kHatchGap + 1});
    return tile;
}

/// Fills from the base up, pixel by pixel: clipping lines at hundreds of steps would take longer
/// than a frame allows.
void fillOverArea(QImage& image, const std::vector<float>& heights, double base, const QImage& tile,
                  double devicePixelRatio)
{
    std::vector<int> top(static_cast<std::size_t>(image.width()));
    for (std::size_t x = 0; x < top.size(); ++x) {
        const auto column =
            std::min(static_cast<std::size_t>(static_cast<double>(x) / devicePixelRatio),
                     heights.size() - 1);
        top[x] = static_cast<int>(
            std::lround((base - static_cast<double>(heights[column])) * devicePixelRatio));
    }
    for (int y = 0; y < image.height(); ++y) {
        auto* row = reinterpret_cast<QRgb*>(image.scanLine(y));
        const auto* fill = reinterpret_cast<const QRgb*>(tile.constScanLine(y % tile.height()));
        for (int x = 0, at = 0; x < image.width(); ++x, at = at + 1 == tile.width() ? 0 : at + 1)
            if (y >= top[static_cast<std::size_t>(x)])
                row[x] = fill[at];
    }
}

double budgetY(const BudgetModel& model, const TimelineFrame& frame)
{
    // Without a budget, or if no plan fits it, no part is highlighted.
    if (!model.plot.line || model.state == BudgetState::Infeasible)
        return frame.at.plot().top();
    return std::clamp(frame.at.yOf(*model.plot.line), frame.at.plot().top(),
                      frame.at.plot().bottom());
}

} // namespace

Ghost makeGhost(const BudgetModel& model, const TimelineFrame& frame, const Theme& theme,
                double devicePixelRatio)
{
    Ghost ghost;
    const std::vector<float> heights = ghostHeights(model, frame);
    if (heights.empty())
        return ghost;
    const QRectF& plot = frame.at.plot();
    const QPolygonF curve = edgeOf(heights, plot.height());
    for (const bool over : {true, false}) {
        QImage image{(plot.size() * devicePixelRatio).toSize(),
                     QImage::Format_ARGB32_Premultiplied};
        image.fill(Qt::transparent);
        if (over)
            fillOverArea(image, heights, plot.height(), overTile(theme, devicePixelRatio),
                         devicePixelRatio);
        image.setDevicePixelRatio(devicePixelRatio);
        QPainter painter{&image};
        drawCurve(painter, curve, theme.color(over ? Role::Danger : Role::Muted), theme);
        painter.end();
        (over ? ghost.over : ghost.under) = QPixmap::fromImage(std::move(image));
    }
    const auto [least, most] = std::ranges::minmax_element(heights);
    ghost.top =
        std::max(0.0, std::floor(plot.height() - static_cast<double>(*most) - Ghost::kMargin));
    ghost.lowest = std::min(
        plot.height(), std::ceil(plot.height() - static_cast<double>(*least) + Ghost::kMargin));
    ghost.heights = heights;
    return ghost;
}

void paintGhost(QPainter& painter, const Ghost& ghost, const BudgetModel& model,
                const TimelineFrame& frame)
{
    if (ghost.over.isNull())
        return;
    const QRectF& plot = frame.at.plot();
    const double ratio = ghost.over.devicePixelRatio();
    const double cut = std::round(budgetY(model, frame) - plot.top());
    const double width = plot.width();
    const auto part = [&](const QPixmap& pixmap, double left, double right, double from,
                          double to) {
        if (to > from && right > left)
            painter.drawPixmap(
                QRectF{plot.left() + left, plot.top() + from, right - left, to - from}, pixmap,
                QRectF{left * ratio, from * ratio, (right - left) * ratio, (to - from) * ratio});
    };
    // Above the line, only the columns that reach it matter: most of a plot lies beside the peak.
    const auto isOver = [level = plot.height() - cut](float height) {
        return static_cast<double>(height) + Ghost::kMargin >= level;
    };
    const auto first = std::ranges::find_if(ghost.heights, isOver);
    const auto last = std::find_if(ghost.heights.rbegin(), ghost.heights.rend(), isOver).base();
    if (first < last)
        part(ghost.over,
             std::max(0.0, static_cast<double>(first - ghost.heights.begin()) - Ghost::kMargin),
             std::min(width, static_cast<double>(last - ghost.heights.begin()) + Ghost::kMargin),
             ghost.top, cut);
    part(ghost.under, 0, width, std::max(cut, ghost.top), ghost.lowest);
}

} // namespace plimsoll::ui
