// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/gap_curve.h"
#include "core/memtrace/step_curve.h"
#include "ui/profile_page/live/alarm.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/timeline_overlay.h"

#include <QPixmap>

#include <span>
#include <vector>

namespace plimsoll::ui {

/// Reserved memory over a timeline of live allocations: an outline, what of it is idle hatched, the
/// timeline's marks, such as allocations that failed, the largest gap, and the alarm.
class ReservedOverlay : public TimelineOverlay
{
public:
    /// By steps of the stacked timeline; `foreign` is what others hold besides: where there is
    /// some, the sum of both is a second outline. Requires invalidate() afterwards.
    void setCurves(memtrace::StepCurve reserved, const memtrace::StepCurve& foreign)
    {
        m_total = foreign.largest().count() > 0 ? reserved + foreign : memtrace::StepCurve{};
        m_reserved = std::move(reserved);
    }

    /// Null or empty: not known. Requires invalidate() afterwards.
    void setGaps(memtrace::GapCurvePtr gaps) { m_gaps = std::move(gaps); }
    /// How its line is drawn, in pen widths.
    [[nodiscard]] static QList<qreal> gapDashes() { return {1, 2}; }
    void setAlarm(const AlarmMark& alarm) { m_alarm = alarm; }
    [[nodiscard]] const AlarmMark& alarm() const { return m_alarm; }

    void paint(const PaintContext& context, const PlacedLabels& labels, PaintStage stage) override;
    void place(const Placing& to, LabelRank rank) const override;
    /// The line of the alarm can be dragged.
    [[nodiscard]] std::optional<OverlayHit> hitAt(const QPointF& pos, const TimelineFrame& frame,
                                                  const PlacedLabels& /*labels*/,
                                                  HitRank rank) const override
    {
        return rank == HitRank::First && isOnAlarm(m_alarm, pos, frame)
                   ? std::optional{OverlayHit{.cursor = Qt::SizeVerCursor, .isGrip = true}}
                   : std::nullopt;
    }
    void invalidate() override { m_isDirty = true; }

private:
    void draw(const PaintContext& context);
    void paintLabel(const PaintContext& context) const;
    static void paintTimelineMarks(const PaintContext& context);

    memtrace::StepCurve m_reserved;
    memtrace::StepCurve m_total; ///< without points if there is no foreign memory
    memtrace::GapCurvePtr m_gaps;
    AlarmMark m_alarm;
    QPixmap m_picture; ///< of the plot
    bool m_isDirty = true;
};

} // namespace plimsoll::ui
