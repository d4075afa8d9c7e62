// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/active_view.h"

#include "core/memtrace/analysis/range_figures.h"
#include "core/timeline/change.h"
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/profile_page/profile_texts.h"
#include "ui/profile_tables/allocation_texts.h"

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

ActiveView::ActiveView(QWidget* parent) : TimelineView{parent}
{
    setAccessibleName(tr("Active and reserved memory"));
    setManualPage(*this, QStringLiteral("profiles.md#the-plots"));
    model().overlay = &m_overlay;
    model().rounding = Rounding::Nearest;
    model().overviewName = tr("All");
    model().title = tr("Active and reserved");
    model().hover = [this](std::size_t step) { return hoverAt(step); };
    model().mark = StepAxis::Mark::Begin;
    model().rangeText = [this](const StepRange& range) { return rangeText(range); };
    connect(&input(), &TimelineInput::overlayDragged, this, &ActiveView::dragAlarm);
    connect(&input(), &TimelineInput::overlayReleased, this, &ActiveView::endDrag);
}

ActiveView::~ActiveView()
{
    model().overlay = nullptr; // it is destroyed before the base class
}

void ActiveView::setPicture(const workspace::ProfilePicturePtr& picture)
{
    m_picture = picture;
    const memtrace::DeviceTrace& device = picture->device();
    m_overlay.setCurves(device.reserved(), device.foreign());
    setGaps(nullptr);
    m_readRange.reset();
    const bool hasTimes = picture->trace->hasTimes() && device.eventCount() > 0;
    model().counted =
        picture->settings.axis == memtrace::Axis::Events || !hasTimes ? tr("event") : QString{};
    model().peakName = stepText(*picture, picture->timeline->peakStep());
    markAlarm();
    setTimeline(picture->timeline);
}

void ActiveView::setGaps(memtrace::GapCurvePtr gaps)
{
    m_gaps = std::move(gaps);
    m_overlay.setGaps(m_gaps);
    fillLegend();
    invalidate();
}

void ActiveView::fillLegend()
{
    const memtrace::DeviceTrace& device = m_picture->device();
    model().legendLines.clear();
    if (hasReserved(device))
        model().legendLines.push_back({tr("Reserved"), Role::Text});
    if (device.foreign().largest().count() > 0)
        model().legendLines.push_back({tr("Outside PyTorch"), Role::Muted, {4, 2}});
    if (m_gaps && !m_gaps->isEmpty())
        model().legendLines.push_back(
            {tr("Largest gap"), Role::Text, ReservedOverlay::gapDashes()});
}

void ActiveView::setAlarm(std::optional<base::Bytes> alarm)
{
    if (alarm == m_alarm)
        return;
    m_alarm = alarm;
    markAlarm();
    invalidate();
}

void ActiveView::markAlarm()
{
    if (!m_picture)
        return;
    AlarmMark mark{m_alarm, {}};
    model().content = std::max(
        {m_picture->timeline->peak(),
         m_picture->device().reserved().largest() + m_picture->device().foreign().largest(),
         m_alarm.value_or(base::Bytes{})});
    if (m_alarm)
        if (const auto crossing = crossingOf(*m_picture, *m_alarm))
            mark.step = crossing->step;
    m_overlay.setAlarm(m_dragged ? AlarmMark{m_dragged, {}} : mark);
}

void ActiveView::dragAlarm(const QPointF& pos)
{
    const TimelineFrame now = frame();
    const double y = std::clamp(pos.y(), now.at.plot().top(), now.at.plot().bottom() - 1);
    m_dragged = shownCeiling(now.at.bytesAt(y));
    m_overlay.setAlarm({m_dragged, {}});
    Q_EMIT alarmMoved(m_dragged);
    update();
}

void ActiveView::endDrag()
{
    if (const auto alarm = std::exchange(m_dragged, std::nullopt))
        Q_EMIT alarmDragged(*alarm);
}

bool ActiveView::cancelDrag()
{
    if (!std::exchange(m_dragged, std::nullopt))
        return false;
    input().letGo();
    markAlarm();
    Q_EMIT alarmMoved(std::nullopt);
    update();
    return true;
}

HoverContent ActiveView::hoverAt(std::size_t step) const
{
    HoverContent content;
    if (!m_picture || step >= m_picture->timeline->stepCount())
        return content;
    const memtrace::DeviceTrace& device = m_picture->device();
    content.title = stepText(*m_picture, step);
    content.position = eventPlaceText(*m_picture, step);
    if (hasReserved(device))
        content.rows.push_back({tr("Reserved"), bytesText(device.reserved().at(step)), Role::Muted,
                                Role::Text, TextRole::Small});
    if (m_gaps && !m_gaps->isEmpty())
        content.rows.push_back({tr("Largest gap"), bytesText(m_gaps->at(step)), Role::Muted,
                                Role::Text, TextRole::Small});
    if (const base::Bytes foreign = device.foreign().at(step); foreign.count() > 0)
        content.rows.push_back(
            {tr("Outside PyTorch"), bytesText(foreign), Role::Muted, Role::Text, TextRole::Small});
    if (step == 0)
        return content;
    const auto event = static_cast<memtrace::EventIndex>(step - 1);
    const std::uint32_t subject = device.subject(event);
    content.title = actionText(device.action(event));
    if (device.action(event) > memtrace::Action::Free || subject == memtrace::kNone)
        return content;
    content.title += u' ' + bytesText(base::Bytes{device.allocations().bytes[subject]});
    content.where = classText(*m_picture, subject);
    content.source = stackText(*m_picture, subject);
    return content;
}

RangeText ActiveView::rangeText(const StepRange& range)
{
    if (m_readRange == range)
        return m_rangeText;
    m_readRange = range;
    const timeline::Timeline& timeline = *m_picture->timeline;
    const memtrace::RangeFigures figures =
        memtrace::rangeFigures(m_picture->device(), range.begin, range.end);
    const timeline::Change change = timeline::changeBetween(timeline, range.begin, range.end);
    const base::Nanoseconds length = timeline.timeAt(range.end + 1) - timeline.timeAt(range.begin);
    m_rangeText.strong = bytesDifferenceText(change.difference);
    m_rangeText.plain =
        model().isTimed()
            ? tr("in %1").arg(timeText(length))
            : tr("in %1 events").arg(countText(static_cast<std::uint64_t>(length.count())));
    if (m_picture->isFiltered())
        m_rangeText.plain += tr(" · without the filter");
    const std::size_t peak = timeline.largestStepIn(range.begin, range.end + 1);
    m_rangeText.below =
        tr("peak %1 · %2 allocated, %3 · %4 freed, %5")
            .arg(bytesText(timeline.totalAt(peak)), countText(figures.allocations),
                 bytesText(change.allocated), countText(figures.frees), bytesText(change.freed));
    return m_rangeText;
}

QString ActiveView::description() const
{
    if (!m_picture)
        return {};
    if (!hasReserved(m_picture->device()))
        return TimelineView::description();
    return TimelineView::description() + u' '
           + tr("Reserved at most %1.").arg(bytesText(m_picture->device().reserved().largest()));
}

} // namespace plimsoll::ui
