// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/budget_timeline/budget_paint.h"
#include "ui/budget_timeline/ghost.h"

#include <QPixmap>

namespace plimsoll::ui {

/// The budget line with its handle, the unplanned and the measured curve, devices and lower bound
/// over a plan's timeline.
class BudgetOverlay : public TimelineOverlay
{
public:
    enum Part : int { Line, Pill, UnplannedPeak, Bound, FirstCapacity };

    /// The model must outlive it.
    explicit BudgetOverlay(const BudgetModel& model) : m_model{model} {}

    void paint(const PaintContext& context, const PlacedLabels& labels, PaintStage stage) override;
    void place(const Placing& to, LabelRank rank) const override { placeLabels(to, m_model, rank); }
    [[nodiscard]] std::optional<OverlayHit> hitAt(const QPointF& pos, const TimelineFrame& frame,
                                                  const PlacedLabels& labels,
                                                  HitRank rank) const override;
    void invalidate() override { m_ghostDirty = m_measuredDirty = true; }
    void invalidateMeasured() { m_measuredDirty = true; }

private:
    void paintCurves(const PaintContext& context);

    const BudgetModel& m_model;
    Ghost m_ghost;
    QPixmap m_measured; ///< the measured curve
    bool m_ghostDirty = true;
    bool m_measuredDirty = true;
};

} // namespace plimsoll::ui
