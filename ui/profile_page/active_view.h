// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/profile_page/reserved_overlay.h"
#include "ui/timeline/timeline_view.h"

namespace plimsoll::ui {

/// Live memory of a profile's device in layers, under the outline of what is reserved.
class ActiveView : public TimelineView
{
    Q_OBJECT

public:
    explicit ActiveView(QWidget* parent = nullptr);
    ~ActiveView() override;

    void setPicture(const workspace::ProfilePicturePtr& picture);
    /// Null before the first.
    [[nodiscard]] const workspace::ProfilePicturePtr& picture() const { return m_picture; }
    /// The largest gap at each step of the picture; null: not known yet.
    void setGaps(memtrace::GapCurvePtr gaps);
    [[nodiscard]] const memtrace::GapCurvePtr& gaps() const { return m_gaps; }
    [[nodiscard]] const std::vector<LegendLine>& legend() const { return model().legendLines; }
    /// What the card under the pointer tells of a step.
    [[nodiscard]] HoverContent hoverAt(std::size_t step) const;
    /// A line at these bytes, and a mark where they are exceeded.
    void setAlarm(std::optional<base::Bytes> alarm);
    /// Cancels a drag of the alarm; false: there was none.
    bool cancelDrag();

Q_SIGNALS:
    /// While it is dragged; none: the drag was cancelled.
    void alarmMoved(std::optional<plimsoll::base::Bytes> alarm);
    void alarmDragged(plimsoll::base::Bytes alarm);

protected:
    [[nodiscard]] QString description() const override;

private:
    void fillLegend();
    void markAlarm();
    void dragAlarm(const QPointF& pos);
    void endDrag();
    [[nodiscard]] RangeText rangeText(const StepRange& range);

    workspace::ProfilePicturePtr m_picture;
    memtrace::GapCurvePtr m_gaps;
    ReservedOverlay m_overlay;
    std::optional<base::Bytes> m_alarm;
    std::optional<base::Bytes> m_dragged; ///< where the alarm is dragged
    std::optional<StepRange> m_readRange; ///< of m_rangeText
    RangeText m_rangeText;
};

} // namespace plimsoll::ui
