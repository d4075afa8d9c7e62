// SPDX-License-Identifier: Apache-2.0
#include "ui/waterfall_page/waterfall_overlay.h"

#include "ui/base/numbers.h"
#include "ui/plot/label_placer.h"
#include "ui/plot/paths.h"

#include <QCoreApplication>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr double kFill = 0.13;

} // namespace

std::vector<float> WaterfallOverlay::heights(std::size_t side, const Canvas& canvas) const
{
    const std::vector<std::int64_t>& bytes = curve(side);
    std::vector<float> heights;
    heights.reserve(canvas.spans.size());
    for (const StepSpan& span : canvas.spans) {
        const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(span.begin);
        const auto last =
            bytes.begin() + static_cast<std::ptrdiff_t>(std::min(span.end, bytes.size()));
        const base::Bytes largest{first < last ? *std::max_element(first, last) : 0};
        heights.push_back(heightOf(largest, canvas.columns));
    }
    return heights;
}

void WaterfallOverlay::drawCurves(const Canvas& canvas) const
{
    const double base = canvas.columns.plot().height();
    const std::vector<float> below = heights(0, canvas);
    const std::vector<float> above = heights(1, canvas);
    const QPolygonF predicted = edgeOf(below, base);
    if (!predicted.isEmpty()) {
        QPolygonF area = predicted;
        area << QPointF{predicted.last().x(), base} << QPointF{predicted.first().x(), base};
        // Opaque: the view's own area below is another one.
        setShape(
            canvas.painter, Qt::NoPen,
            mixed(canvas.context.color(Role::Accent), kFill, canvas.context.color(Role::Plot)));
        canvas.painter.drawPolygon(area);
    }
    paintGap(canvas, below, above);
    drawLine(canvas, edgeOf(above, base), 1);
    drawLine(canvas, predicted, 0);
}

/// What was measured more, or less, column by column: the hatch goes on from one to the next.
void WaterfallOverlay::paintGap(const Canvas& canvas, const std::vector<float>& predicted,
                                const std::vector<float>& measured)
{
    canvas.painter.setRenderHint(QPainter::Antialiasing, false);
    const double base = canvas.columns.plot().height();
    const QBrush more{canvas.context.color(Role::Warn), Qt::BDiagPattern};
    const QBrush less{canvas.context.color(Role::Ok), Qt::BDiagPattern};
    for (std::size_t x = 0; x < std::min(predicted.size(), measured.size()); ++x) {
        const double high = std::max(predicted[x], measured[x]);
        const double low = std::min(predicted[x], measured[x]);
        if (high - low >= 1)
            canvas.painter.fillRect(QRectF{static_cast<double>(x), base - high, 1, high - low},
                                    measured[x] > predicted[x] ? more : less);
    }
}

std::optional<base::Bytes> WaterfallOverlay::bytesAt(std::size_t side, std::size_t step) const
{
    return step < m_curves->measured.size() ? std::optional{base::Bytes{curve(side)[step]}}
                                            : std::nullopt;
}

Tag WaterfallOverlay::peakTag() const
{
    return {QCoreApplication::translate("Waterfall", "measured %1").arg(bytesText(measuredPeak())),
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

void WaterfallOverlay::paintPeaks(const PaintContext& context, const PlacedLabels& labels) const
{
    if (const auto mark = markOf(context.frame))
        paintPeakMark(context, *mark, true);
    if (!labels.overlay.empty() && labels.overlay[0])
        paintTag(context, *labels.overlay[0], peakTag());
}

} // namespace plimsoll::ui
