// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_model.h"

#include "ui/base/numbers.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {
constexpr double kHeadroom = 1.04;
constexpr double kLeftGutter = 58;
constexpr double kRightGutter = 112;
constexpr double kRightGutterBare = 96;
constexpr double kHeader = 36;
constexpr double kBands = 17;
constexpr double kBandsGap = 3;
constexpr double kAxis = 22;
constexpr double kOverview = 34;
constexpr double kBelow = 8;
constexpr double kLeastPlot = 160;      ///< beside an overview
constexpr double kLeastPlotAlone = 140; ///< below bands alone

/// Before there is a timeline, the room that most of them need.
std::size_t bandRows(const TimelineModel& model)
{
    if (!model.stacked)
        return 1;
    std::size_t rows = 0;
    for (const timeline::Band& band : model.stacked->bands())
        rows = std::max(rows, std::size_t{band.row} + 1);
    return rows;
}

} // namespace

base::Bytes TimelineModel::reach() const
{
    return stacked && !heldLength ? std::max(content, stacked->peak()) : content;
}

QString TimelineModel::positionText(std::size_t step) const
{
    if (isTimed())
        return timeText(stacked->timeAt(step));
    const auto position = static_cast<std::uint64_t>(axis.positionOf(step));
    return counted.isEmpty() ? QStringLiteral("op %1").arg(step)
                             : QStringLiteral("%1 %2").arg(counted, countText(position));
}

base::Bytes TimelineModel::axisContent() const
{
    return base::Bytes{std::llround(static_cast<double>(reach().count()) * kHeadroom)};
}

TimelineLayout layoutTimeline(const QSizeF& size, double scale, bool withLine, std::size_t bandRows)
{
    const auto px = [scale](double length) { return std::round(length * scale); };
    const double left = px(kLeftGutter);
    const double right = size.width() - px(withLine ? kRightGutter : kRightGutterBare);
    const double width = std::max(1.0, right - left);

    double free = size.height() - px(kHeader) - px(kAxis) - px(kBelow) - px(kLeastPlot);
    const double forBands = free + px(kLeastPlot) - px(kLeastPlotAlone) - px(kBandsGap);
    const std::size_t rows =
        std::min(bandRows, static_cast<std::size_t>(std::max(0.0, forBands) / px(kBands)));
    const double bands = px(kBands) * static_cast<double>(rows);
    if (rows > 0)
        free -= bands + px(kBandsGap);
    const bool hasOverview = rows == bandRows && free >= px(kOverview);

    TimelineLayout layout;
    layout.scale = scale;
    layout.header = QRectF{0, 0, size.width(), px(kHeader)};
    double top = px(kHeader);
    layout.bandRows = rows;
    if (rows > 0) {
        layout.bands = QRectF{left, top, width, bands};
        top += bands + px(kBandsGap);
    }
    double bottom = size.height() - px(kBelow);
    if (hasOverview) {
        layout.overview = QRectF{left, bottom - px(kOverview), width, px(kOverview)};
        bottom -= px(kOverview);
    }
    layout.axis = QRectF{left, bottom - px(kAxis), width, px(kAxis)};
    layout.plot = QRectF{left, top, width, std::max(1.0, layout.axis.top() - top)};
    layout.gutter = QRectF{right, layout.plot.top(), size.width() - right, layout.plot.height()};
    return layout;
}

Coordinates TimelineFrame::deviceCoordinates(double devicePixelRatio) const
{
    const QRectF& plot = at.plot();
    const QRectF device{0, 0, std::round(plot.width() * devicePixelRatio),
                        std::round(plot.height() * devicePixelRatio)};
    return Coordinates{device, at.visibleBegin(), at.visibleEnd(), at.bytes()};
}

double TimelineFrame::xOfStep(const StepAxis& axis, std::size_t step) const
{
    return at.xOf(axis.markOf(step, at.visibleBegin(), at.visibleEnd()));
}

double TimelineFrame::overviewFraction(double x) const
{
    return (x - layout.overview.left()) / std::max(1.0, layout.overview.width());
}

TimelineFrame frameFor(const TimelineModel& model, const QSizeF& size, double scale)
{
    TimelineFrame frame;
    frame.layout = layoutTimeline(size, scale, model.line.has_value(), bandRows(model));
    frame.bytes = byteAxis(model.axisContent(), frame.layout.plot.height(), 28.0 * scale);
    frame.wholeTop = frame.bytes.shown.top;
    if (model.byteZoom)
        frame.bytes = byteAxis(*model.byteZoom, frame.layout.plot.height(), 28.0 * scale);
    frame.axisLength = model.axisLength();
    const VisibleRange visible = model.viewport.range();
    frame.at = Coordinates{frame.layout.plot, visible.begin * frame.axisLength,
                           visible.end * frame.axisLength, frame.bytes.shown};
    return frame;
}

} // namespace plimsoll::ui
