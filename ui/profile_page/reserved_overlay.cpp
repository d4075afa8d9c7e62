// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/reserved_overlay.h"

#include "ui/base/drawn_text.h"
#include "ui/base/numbers.h"
#include "ui/plot/paths.h"
#include "ui/timeline/stack_columns.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr double kHatchGap = 7;
constexpr double kOutline = 1.75;
constexpr float kOutside = 16; ///< curves outside the plot end this many pixels outside it

/// Lines over idle memory, anchored at the plot's corner, seamless.
QImage hatchTile(const Theme& theme, double ratio)
{
    constexpr int kLines = 10; // so that a ratio like 1.25 gives whole pixels
    constexpr double kSide = kLines * kHatchGap;
    const auto side = static_cast<int>(std::lround(kSide * ratio));
    QImage tile{side, side, QImage::Format_ARGB32_Premultiplied};
    tile.fill(Qt::transparent);
    QPainter painter{&tile};
    painter.scale(side / kSide, side / kSide);
    setShape(painter, QPen{theme.color(Role::Muted, 0.45), 1});
    for (int line = 0; line <= 2 * kLines; ++line)
        painter.drawLine(QLineF{line * kHatchGap + 1, -1, -1, line * kHatchGap + 1});
    return tile;
}

/// Fills an image with what is reserved and not live, row by row: textured rectangles by the column
/// take ten times as long, since Qt hands each to its threads.
void hatch(QImage& image, const std::vector<float>& reserved, const std::vector<float>& live,
           const QImage& tile, double ratio)
{
    const std::size_t columns = std::min(reserved.size(), live.size());
    const auto width = std::min(static_cast<std::size_t>(image.width()),
                                static_cast<std::size_t>(static_cast<double>(columns) * ratio));
    std::vector<int> top(width);
    std::vector<int> bottom(width);
    const auto rowOf = [&](float height) {
        return image.height() - static_cast<int>(std::lround(static_cast<double>(height) * ratio));
    };
    for (std::size_t x = 0; x < width; ++x) {
        const auto column =
            std::min(columns - 1, static_cast<std::size_t>(static_cast<double>(x) / ratio));
        top[x] = rowOf(reserved[column]);
        bottom[x] = rowOf(live[column]);
    }
    const int first = width == 0 ? image.height() : std::ranges::min(top);
    const int last = width == 0 ? 0 : std::ranges::max(bottom);
    const auto side = static_cast<std::size_t>(tile.width());
    for (int y = 0; y < image.height(); ++y) {
        auto* row = reinterpret_cast<QRgb*>(image.scanLine(y));
        if (y < first || y >= last) {
            std::fill_n(row, image.width(), 0U);
            continue;
        }
        const auto* fill = reinterpret_cast<const QRgb*>(tile.constScanLine(y % tile.height()));
        // Tile by tile and without branches, for several pixels at a time.
        for (std::size_t begin = 0; begin < width; begin += side) {
            const std::size_t count = std::min(side, width - begin);
            for (std::size_t i = 0; i < count; ++i) {
                const bool isReserved = y >= top[begin + i];
                const bool isIdle = y < bottom[begin + i];
                row[begin + i] = isReserved && isIdle ? fill[i] : QRgb{0};
            }
        }
        std::fill(row + width, row + image.width(), 0U);
    }
}

/// Per column of the plot, of which each is `ratio` columns of device pixels.
std::vector<float> liveHeights(const StackColumns& device, std::size_t count, double ratio)
{
    std::vector<float> heights;
    heights.reserve(count);
    for (std::size_t column = 0; column < count && device.count() > 0; ++column) {
        const auto first = static_cast<std::size_t>(static_cast<double>(column) * ratio);
        const auto end =
            std::max(first + 1, static_cast<std::size_t>(static_cast<double>(column + 1) * ratio));
        float highest = device.totalAt(std::min(first, device.count() - 1));
        for (std::size_t at = first; at < std::min(end, device.count()); ++at)
            highest = std::max(highest, device.totalAt(at));
        heights.push_back(static_cast<float>(static_cast<double>(highest) / ratio));
    }
    return heights;
}

/// What is far outside of the plot is brought near.
std::vector<float> nearPlot(std::vector<float> heights, double plot)
{
    const float most = static_cast<float>(plot) + kOutside;
    for (float& height : heights)
        height = std::clamp(height, -kOutside, most);
    return heights;
}

/// Per column of the plot: the curve where it is highest.
template <typename Curve>
std::vector<float> heights(const Curve& curve, std::span<const StepSpan> spans,
                           const Coordinates& columns)
{
    std::vector<float> heights;
    heights.reserve(spans.size());
    for (const StepSpan& span : spans) {
        const base::Bytes above = curve.largestIn(span.begin, span.end) - columns.bytes().bottom;
        heights.push_back(
            static_cast<float>(static_cast<double>(above.count()) * columns.pixelsPerByte()));
    }
    return heights;
}

} // namespace

void ReservedOverlay::draw(const PaintContext& context)
{
    m_isDirty = false;
    m_picture = {};
    const TimelineModel& model = context.model;
    if (!model.stacked || model.stacked->stepCount() == 0 || m_reserved.points().empty()
        || context.columns == nullptr)
        return;
    const QRectF& plot = context.frame.at.plot();
    const double ratio = context.painter.device()->devicePixelRatioF();
    const Coordinates columns{QRectF{0, 0, std::round(plot.width()), plot.height()},
                              context.frame.at.visibleBegin(), context.frame.at.visibleEnd(),
                              context.frame.at.bytes()};
    const std::vector<StepSpan> spans =
        ratio == 1 ? context.columns->spans : columnSpans(model.axis, columns);
    const std::vector<float> reserved =
        nearPlot(heights(m_reserved, spans, columns), plot.height());
    const std::vector<float> live =
        nearPlot(liveHeights(*context.columns, spans.size(), ratio), plot.height());
    QImage image{(plot.size() * ratio).toSize(), QImage::Format_ARGB32_Premultiplied};
    hatch(image, reserved, live, hatchTile(context.theme, ratio), ratio);
    image.setDevicePixelRatio(ratio);
    QPainter painter{&image};
    QPen pen{context.color(Role::Text), kOutline};
    pen.setJoinStyle(Qt::MiterJoin);
    setShape(painter, pen);
    painter.drawPolyline(edgeOf(reserved, plot.height()));
    if (!m_total.points().empty()) {
        pen.setColor(context.color(Role::Muted));
        pen.setDashPattern({4, 2});
        painter.setPen(pen);
        painter.drawPolyline(
            edgeOf(nearPlot(heights(m_total, spans, columns), plot.height()), plot.height()));
    }
    if (m_gaps && !m_gaps->isEmpty()) {
        const QPolygonF edge =
            edgeOf(nearPlot(heights(*m_gaps, spans, columns), plot.height()), plot.height());
        // It lies over layers of any colour.
        painter.setPen(QPen{context.color(Role::Plot), 3});
        painter.drawPolyline(edge);
        painter.setPen(dashedPen(context.color(Role::Text), 1.25, gapDashes()));
        painter.drawPolyline(edge);
    }
    painter.end();
    m_picture = QPixmap::fromImage(std::move(image));
}

void ReservedOverlay::paintLabel(const PaintContext& context) const
{
    if (m_reserved.points().empty())
        return;
    const base::Bytes last = m_reserved.points().back().bytes;
    const QRectF& gutter = context.frame.layout.gutter;
    if (!context.frame.shows(last))
        return;
    // Below the level, or above it where the plot ends.
    const QFont& font = context.theme.font(TextRole::Small);
    const double height = context.px(15);
    const double level = context.frame.at.yOf(last) - height / 2;
    const double top = std::min(level, context.frame.at.plot().bottom() - 2 * height);
    const std::array<std::pair<QString, Role>, 2> lines{
        {{bytesText(last), Role::Text},
         {QCoreApplication::translate("ReservedOverlay", "reserved"), Role::Muted}}};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const QRectF line{gutter.left() + context.px(6), top + static_cast<double>(i) * height,
                          gutter.width() - context.px(8), height};
        context.setText(TextRole::Small, lines[i].second);
        drawNumber(context.painter, QPointF{line.left(), baselineIn(line, font)}, lines[i].first,
                   Qt::AlignLeft);
    }
}

void ReservedOverlay::paintTimelineMarks(const PaintContext& context)
{
    const TimelineModel& model = context.model;
    if (!model.stacked)
        return;
    const QRectF& plot = context.frame.at.plot();
    const QFont& font = context.theme.font(TextRole::Small);
    double free = plot.left(); // where the next label may begin
    for (const timeline::Mark& mark : model.stacked->marks()) {
        const double x = std::round(context.frame.at.xOf(model.axis.positionOf(mark.step)));
        if (!context.frame.shows(x))
            continue;
        context.painter.fillRect(QRectF{x, plot.top(), 1, plot.height()},
                                 context.color(Role::Danger));
        const QString name = QString::fromStdString(mark.label);
        const double width = nameWidth(font, name);
        // Left of the line where the plot ends before it would.
        const double left = x + context.px(4) + width < plot.right() ? x + context.px(4)
                                                                     : x - context.px(4) - width;
        if (left < free)
            continue;
        const QRectF line{left, plot.bottom() - context.px(18), width, context.px(16)};
        context.painter.fillRect(line.adjusted(-2, 0, 2, 0), context.color(Role::Plot, 0.85));
        context.setText(TextRole::Small, Role::Danger);
        drawName(context.painter, QPointF{left, baselineIn(line, font)}, name);
        free = left + width + context.px(6);
    }
}

void ReservedOverlay::paint(const PaintContext& context, const PlacedLabels& /*labels*/,
                            PaintStage stage)
{
    if (stage == PaintStage::Curves) {
        if (m_isDirty)
            draw(context);
        if (!m_picture.isNull())
            context.painter.drawPixmap(context.frame.at.plot().topLeft(), m_picture);
    } else if (stage == PaintStage::Lines) {
        paintAlarmLine(context, m_alarm);
        paintLabel(context);
    } else if (stage == PaintStage::Marks) {
        paintTimelineMarks(context);
        paintAlarmCrossing(context, m_alarm);
    }
}

void ReservedOverlay::place(const Placing& /*to*/, LabelRank /*rank*/) const {}

} // namespace plimsoll::ui
