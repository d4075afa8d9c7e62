// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/curves_overlay.h"

#include "ui/base/numbers.h"
#include "ui/compare_page/side_style.h"
#include "ui/plot/label_placer.h"
#include "ui/plot/paths.h"

#include <QCoreApplication>

namespace plimsoll::ui {

std::vector<float> CurvesOverlay::heights(std::size_t side, const Canvas& canvas) const
{
    const memtrace::Comparison::Side& of = m_comparison->sides()[side];
    std::vector<float> heights;
    heights.reserve(canvas.spans.size());
    for (const StepSpan& span : canvas.spans) {
        if (m_comparison->isOver(side, span.begin))
            break;
        const std::size_t first = m_comparison->stepOf(side, span.begin);
        const std::size_t last = m_comparison->stepOf(side, span.end - 1);
        heights.push_back(
            heightOf(of.curve->totalAt(of.curve->largestStepIn(first, last + 1)), canvas.columns));
    }
    return heights;
}

void CurvesOverlay::drawCurves(const Canvas& canvas) const
{
    // A on top: what shows between its dashes is what is the same.
    for (std::size_t side = sideCount(); side-- > 0;) {
        const std::vector<float> heights = this->heights(side, canvas);
        if (!heights.empty())
            drawLine(canvas, edgeOf(heights, canvas.columns.plot().height()), side);
    }
}

std::optional<base::Bytes> CurvesOverlay::bytesAt(std::size_t side, std::size_t step) const
{
    return step < m_comparison->ground()->stepCount() && !m_comparison->isOver(side, step)
               ? std::optional{m_comparison->bytesAt(side, step)}
               : std::nullopt;
}

std::optional<PeakMark> CurvesOverlay::markOf(std::size_t side, const TimelineFrame& frame) const
{
    return peakMark(m_comparison->peakStepOf(side), m_comparison->peakOf(side), frame);
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
    to.labels.overlay.resize(sideCount());
    for (std::size_t side = 1; side < sideCount(); ++side)
        if (const auto mark = markOf(side, to.frame)) {
            const auto places =
                besideMark(*mark, tagSize(to.theme, tagOf(side)), to.frame.layout.scale);
            to.labels.overlay[side] = to.placer.place(places);
        }
}

void CurvesOverlay::paintPeaks(const PaintContext& context, const PlacedLabels& labels) const
{
    for (std::size_t side = 1; side < sideCount(); ++side) {
        if (const auto mark = markOf(side, context.frame))
            paintPeakMark(context, *mark, true);
        if (side < labels.overlay.size() && labels.overlay[side])
            paintTag(context, *labels.overlay[side], tagOf(side));
    }
}

} // namespace plimsoll::ui
