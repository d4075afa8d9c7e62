// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/curves_overlay.h"

#include "ui/base/numbers.h"
#include "ui/compare_page/side_style.h"
#include "ui/plot/label_placer.h"
#include "ui/plot/paths.h"
#include "ui/timeline/stack_columns.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kCurve = 1.75;
constexpr float kFarOutside = 16; ///< curves outside the plot end this many pixels outside it

} // namespace

std::vector<float> CurvesOverlay::heights(std::size_t side, std::span<const StepSpan> spans,
                                          const Coordinates& columns) const
{
    const memtrace::Comparison::Side& of = m_comparison->sides()[side];
    const float most = static_cast<float>(columns.plot().height()) + kFarOutside;
    std::vector<float> heights;
    heights.reserve(spans.size());
    for (const StepSpan& span : spans) {
        if (m_comparison->isOver(side, span.begin))
            break;
        const std::size_t first = m_comparison->stepOf(side, span.begin);
        const std::size_t last = m_comparison->stepOf(side, span.end - 1);
        const base::Bytes largest =
            of.curve->totalAt(of.curve->largestStepIn(first, last + 1)) - columns.bytes().bottom;
        const double pixels = static_cast<double>(largest.count()) * columns.pixelsPerByte();
        heights.push_back(std::clamp(static_cast<float>(pixels), -kFarOutside, most));
    }
    return heights;
}

void CurvesOverlay::draw(const PaintContext& context)
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
    // A on top: what shows between its dashes is what is the same.
    for (std::size_t side = m_comparison->sides().size(); side-- > 0;) {
        const std::vector<float> heights = this->heights(side, spans, columns);
        if (heights.empty())
            continue;
        QPen pen = dashedPen(context.color(sideRole(side)), kCurve, sideDashes(side));
        pen.setJoinStyle(Qt::MiterJoin);
        setShape(painter, pen);
        painter.drawPolyline(edgeOf(heights, plot.height()));
    }
    painter.end();
    m_picture = QPixmap::fromImage(std::move(image));
}

std::optional<PeakMark> CurvesOverlay::markOf(std::size_t side, const TimelineFrame& frame) const
{
    const base::Bytes peak = m_comparison->peakOf(side);
    const double x = frame.xOfStep(m_model.axis, m_comparison->peakStepOf(side));
    if (!frame.shows(x) || !frame.shows(peak))
        return std::nullopt;
    return peakMarkAt(m_model, frame, {x, frame.at.yOf(peak)});
}

Tag CurvesOverlay::tagOf(std::size_t side) const
{
    return {QCoreApplication::translate("Compare", "peak ") + bytesText(m_comparison->peakOf(side)),
            sideLetter(side), Role::Text};
}

void CurvesOverlay::place(const Placing& to, LabelRank rank) const
{
    if (rank != LabelRank::AfterPeak || !isShown())
        return;
    // The view itself labels the peak of A.
    to.labels.overlay.resize(m_comparison->sides().size());
    for (std::size_t side = 1; side < m_comparison->sides().size(); ++side)
        if (const auto mark = markOf(side, to.frame)) {
            const auto places =
                besideMark(*mark, tagSize(to.theme, tagOf(side)), to.frame.layout.scale);
            to.labels.overlay[side] = to.placer.place(places);
        }
}

void CurvesOverlay::paintPeaks(const PaintContext& context, const PlacedLabels& labels) const
{
    for (std::size_t side = 1; side < m_comparison->sides().size(); ++side) {
        if (const auto mark = markOf(side, context.frame))
            paintPeakMark(context, *mark, true);
        if (side < labels.overlay.size() && labels.overlay[side])
            paintTag(context, *labels.overlay[side], tagOf(side));
    }
}

void CurvesOverlay::paintCursor(const PaintContext& context) const
{
    const std::optional<std::size_t> step = m_model.cursorStep;
    if (!step || *step >= m_comparison->ground()->stepCount())
        return;
    const double x = std::round(context.frame.xOfStep(m_model.axis, *step));
    if (!context.frame.shows(x))
        return;
    for (std::size_t side = m_comparison->sides().size(); side-- > 0;) {
        const base::Bytes bytes = m_comparison->bytesAt(side, *step);
        if (m_comparison->isOver(side, *step) || !context.frame.shows(bytes))
            continue;
        context.setShape(QPen{context.color(Role::Halo), 1.5}, context.color(sideRole(side)));
        context.painter.drawEllipse(QPointF{x + 0.5, context.frame.at.yOf(bytes)}, context.px(4),
                                    context.px(4));
    }
}

void CurvesOverlay::paint(const PaintContext& context, const PlacedLabels& labels, PaintStage stage)
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
