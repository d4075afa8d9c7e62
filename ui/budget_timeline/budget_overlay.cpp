// SPDX-License-Identifier: Apache-2.0
#include "ui/budget_timeline/budget_overlay.h"

#include "ui/budget_timeline/measured_line.h"

#include <cmath>

namespace plimsoll::ui {

namespace {
constexpr double kLineHit = 6;
} // namespace

void BudgetOverlay::paint(const PaintContext& context, const PlacedLabels& labels, PaintStage stage)
{
    switch (stage) {
    case PaintStage::Curves: paintCurves(context); return;
    case PaintStage::Levels:
        paintLowerBound(context, m_model);
        paintMeasuredLevels(context, m_model);
        return;
    case PaintStage::Lines:
        // Here rather than with their lines: the cursor's line must not cut them.
        paintBoundLabel(context, m_model, labels);
        paintLevelLabels(context, m_model, labels);
        paintCapacities(context, m_model);
        paintBudgetLine(context, m_model);
        paintUnplannedPeak(context, m_model, labels);
        return;
    case PaintStage::Marks:
        paintMeasuredPeak(context, m_model, labels);
        paintWitness(context, m_model, labels);
        return;
    case PaintStage::Cards:
        if (const auto rect = labelRect(labels, ReadoutLabel))
            paintReadout(context, m_model, *rect);
        return;
    }
}

void BudgetOverlay::paintCurves(const PaintContext& context)
{
    const double ratio = context.painter.device()->devicePixelRatioF();
    if (m_ghostDirty)
        m_ghost = makeGhost(m_model, context.frame, context.theme, ratio);
    if (m_measuredDirty)
        m_measured = makeMeasuredLine(m_model, context.frame, context.theme, ratio);
    m_ghostDirty = m_measuredDirty = false;
    paintGhost(context.painter, m_ghost, m_model, context.frame);
    if (!m_measured.isNull())
        context.painter.drawPixmap(context.frame.at.plot().topLeft(), m_measured);
}

std::optional<OverlayHit> BudgetOverlay::hitAt(const QPointF& pos, const TimelineFrame& frame,
                                               const PlacedLabels& labels, HitRank rank) const
{
    const QRectF& plot = frame.at.plot();
    const double scale = frame.layout.scale;
    if (rank == HitRank::First) {
        if (!m_model.plot.line)
            return std::nullopt;
        if (markRect(m_model, frame).contains(pos)
            || pillRect(m_model, frame, Theme::current()).contains(pos))
            return OverlayHit{Pill, Qt::SizeVerCursor, true};
        if (frame.shows(*m_model.plot.line) && pos.x() >= plot.left() - 6
            && pos.x() <= plot.right() + 20
            && std::abs(frame.at.yOf(*m_model.plot.line) - pos.y()) <= kLineHit * scale)
            return OverlayHit{Line, Qt::SizeVerCursor, true};
        return std::nullopt;
    }
    if (const auto mark = unplannedPeakMark(m_model, frame); mark && isOnMark(*mark, pos, scale))
        return OverlayHit{UnplannedPeak};
    if (const auto rect = labelRect(labels, BoundLabel); rect && rect->contains(pos))
        return OverlayHit{Bound};
    if (frame.layout.gutter.contains(pos))
        for (const CapacityLabel& label : capacityLabels(m_model, frame))
            if (std::abs(label.tickY - pos.y()) <= 8 * scale
                || std::abs(label.textY + 6 * scale - pos.y()) <= 13 * scale)
                return OverlayHit{FirstCapacity + static_cast<int>(label.index)};
    return std::nullopt;
}

} // namespace plimsoll::ui
