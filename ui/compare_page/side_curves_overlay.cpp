// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/side_curves_overlay.h"

#include "ui/compare_page/side_style.h"
#include "ui/plot/paths.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr double kLineWidth = 1.75;
constexpr float kFarOutside = 16; ///< curves outside the plot end this many pixels outside it

} // namespace

float SideCurvesOverlay::heightOf(base::Bytes bytes, const Coordinates& columns)
{
    const base::Bytes above = bytes - columns.bytes().bottom;
    const double pixels = static_cast<double>(above.count()) * columns.pixelsPerByte();
    return std::clamp(static_cast<float>(pixels), -kFarOutside,
                      static_cast<float>(columns.plot().height()) + kFarOutside);
}

void SideCurvesOverlay::drawLine(const Canvas& canvas, const QPolygonF& points, std::size_t side)
{
    QPen pen = dashedPen(canvas.context.color(sideRole(side)), kLineWidth, sideDashes(side));
    pen.setJoinStyle(Qt::MiterJoin);
    setShape(canvas.painter, pen);
    canvas.painter.drawPolyline(points);
}

std::optional<PeakMark> SideCurvesOverlay::peakMark(std::size_t step, base::Bytes bytes,
                                                    const TimelineFrame& frame) const
{
    const double x = frame.xOfStep(m_model.axis, step);
    if (!frame.shows(x) || !frame.shows(bytes))
        return std::nullopt;
    return peakMarkAt(m_model, frame, {x, frame.at.yOf(bytes)});
}

void SideCurvesOverlay::draw(const PaintContext& context)
{
    m_isDirty = false;
    m_picture = {};
    const QRectF& plot = context.frame.at.plot();
    const double ratio = context.painter.device()->devicePixelRatioF();
    const Coordinates columns{QRectF{0, 0, std::round(plot.width()), plot.height()},
                              context.frame.at.visibleBegin(), context.frame.at.visibleEnd(),
                              context.frame.at.bytes()};
    const std::vector<StepSpan> spans = columnSpans(m_model.axis, columns);
    QImage image{(plot.size() * ratio).toSize(), QImage::Format_ARGB32_Premultiplied};
    image.fill(Qt::transparent);
    image.setDevicePixelRatio(ratio);
    QPainter painter{&image};
    drawCurves({context, painter, spans, columns});
    painter.end();
    m_picture = QPixmap::fromImage(std::move(image));
}

void SideCurvesOverlay::paintCursor(const PaintContext& context) const
{
    const std::optional<std::size_t> step = m_model.cursorStep;
    if (!step)
        return;
    const double x = std::round(context.frame.xOfStep(m_model.axis, *step));
    if (!context.frame.shows(x))
        return;
    for (std::size_t side = sideCount(); side-- > 0;) {
        const std::optional<base::Bytes> bytes = bytesAt(side, *step);
        if (!bytes || !context.frame.shows(*bytes))
            continue;
        context.setShape(QPen{context.color(Role::Halo), 1.5}, context.color(sideRole(side)));
        context.painter.drawEllipse(QPointF{x + 0.5, context.frame.at.yOf(*bytes)}, context.px(4),
                                    context.px(4));
    }
}

void SideCurvesOverlay::paint(const PaintContext& context, const PlacedLabels& labels,
                              PaintStage stage)
{
    if (!isShown())
        return;
    if (stage == PaintStage::Curves) {
        if (m_isDirty)
            draw(context);
        context.painter.drawPixmap(context.frame.at.plot().topLeft(), m_picture);
    } else if (stage == PaintStage::Lines) {
        paintCursor(context);
    } else if (stage == PaintStage::Marks) {
        paintPeaks(context, labels);
    }
}

} // namespace plimsoll::ui
