// SPDX-License-Identifier: Apache-2.0
#include "ui/waterfall_page/waterfall_overlay.h"

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

constexpr double kLine = 1.75;
constexpr double kFill = 0.13;
constexpr float kOutside = 16; ///< curves outside the plot end this many pixels outside it

} // namespace

std::vector<float> WaterfallOverlay::heights(const std::vector<std::int64_t>& bytes,
                                             std::span<const StepSpan> spans,
                                             const Coordinates& columns)
{
    const float most = static_cast<float>(columns.plot().height()) + kOutside;
    std::vector<float> heights;
    heights.reserve(spans.size());
    for (const StepSpan& span : spans) {
        const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(span.begin);
        const auto last =
            bytes.begin() + static_cast<std::ptrdiff_t>(std::min(span.end, bytes.size()));
        const base::Bytes largest =
            base::Bytes{first < last ? *std::max_element(first, last) : 0} - columns.bytes().bottom;
        heights.push_back(std::clamp(
            static_cast<float>(static_cast<double>(largest.count()) * columns.pixelsPerByte()),
            -kOutside, most));
    }
    return heights;
}

void WaterfallOverlay::draw(const PaintContext& context)
{
    m_isDirty = false;
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
    const std::vector<float> below = heights(m_curves->predicted, spans, columns);
    const std::vector<float> above = heights(m_curves->measured, spans, columns);
    const QPolygonF predicted = edgeOf(below, plot.height());
    const auto line = [&](const QPolygonF& points, std::size_t side) {
        QPen pen = dashedPen(context.color(sideRole(side)), kLine, sideDashes(side));
        pen.setJoinStyle(Qt::MiterJoin);
        setShape(painter, pen);
        painter.drawPolyline(points);
    };
    if (!predicted.isEmpty()) {
        QPolygonF area = predicted;
        area << QPointF{predicted.last().x(), plot.height()}
             << QPointF{predicted.first().x(), plot.height()};
        // Opaque: the view's own area below is another one.
        setShape(painter, Qt::NoPen,
                 mixed(context.color(Role::Accent), kFill, context.color(Role::Plot)));
        painter.drawPolygon(area);
    }
    paintGap(context, painter, below, above);
    line(edgeOf(above, plot.height()), 1);
    line(predicted, 0);
    painter.end();
    m_picture = QPixmap::fromImage(std::move(image));
}

/// What was measured more, or less, column by column: the hatch goes on from one to the next.
void WaterfallOverlay::paintGap(const PaintContext& context, QPainter& painter,
                                const std::vector<float>& predicted,
                                const std::vector<float>& measured)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double base = context.frame.at.plot().height();
    const QBrush more{context.color(Role::Warn), Qt::BDiagPattern};
    const QBrush less{context.color(Role::Ok), Qt::BDiagPattern};
    for (std::size_t x = 0; x < std::min(predicted.size(), measured.size()); ++x) {
        const double high = std::max(predicted[x], measured[x]);
        const double low = std::min(predicted[x], measured[x]);
        if (high - low >= 1)
            painter.fillRect(QRectF{static_cast<double>(x), base - high, 1, high - low},
                             measured[x] > predicted[x] ? more : less);
    }
}

std::optional<PeakMark> WaterfallOverlay::markOf(const TimelineFrame& frame) const
{
    const base::Bytes peak{m_curves->measured[m_curves->measuredPeak]};
    const double x = frame.xOfStep(m_model.axis, m_curves->measuredPeak);
    if (!frame.shows(x) || !frame.shows(peak))
        return std::nullopt;
    return peakMarkAt(m_model, frame, {x, frame.at.yOf(peak)});
}

Tag WaterfallOverlay::peakTag() const
{
    return {QCoreApplication::translate("Waterfall", "measured %1")
                .arg(bytesText(base::Bytes{m_curves->measured[m_curves->measuredPeak]})),
            {},
            Role::Text};
}

void WaterfallOverlay::place(const Placing& to, LabelRank rank) const
{
    if (rank != LabelRank::AfterPeak || !isShown())
        return;
    to.labels.overlay.resize(1);
    if (const auto mark = markOf(to.frame))
        to.labels.overlay[0] =
            to.placer.place(besideMark(*mark, tagSize(to.theme, peakTag()), to.frame.layout.scale));
}

void WaterfallOverlay::paintCursor(const PaintContext& context) const
{
    const std::optional<std::size_t> step = m_model.cursorStep;
    if (!step || *step >= m_curves->measured.size())
        return;
    const double x = std::round(context.frame.xOfStep(m_model.axis, *step));
    if (!context.frame.shows(x))
        return;
    for (const std::size_t side : {std::size_t{1}, std::size_t{0}}) {
        const base::Bytes bytes{(side == 0 ? m_curves->predicted : m_curves->measured)[*step]};
        if (!context.frame.shows(bytes))
            continue;
        context.setShape(QPen{context.color(Role::Halo), 1.5}, context.color(sideRole(side)));
        context.painter.drawEllipse(QPointF{x + 0.5, context.frame.at.yOf(bytes)}, context.px(4),
                                    context.px(4));
    }
}

void WaterfallOverlay::paint(const PaintContext& context, const PlacedLabels& labels,
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
        if (const auto mark = markOf(context.frame))
            paintPeakMark(context, *mark, true);
        if (!labels.overlay.empty() && labels.overlay[0])
            paintTag(context, *labels.overlay[0], peakTag());
    }
}

} // namespace plimsoll::ui
