// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/live/alarm.h"

#include "ui/base/drawn_text.h"
#include "ui/base/numbers.h"
#include "ui/profile_page/profile_texts.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kReach = 4; ///< of the mouse, above and below the line

/// The first step with more than that live.
std::optional<std::size_t> firstAbove(const timeline::Timeline& timeline, base::Bytes alarm)
{
    if (timeline.stepCount() == 0 || timeline.peak() <= alarm)
        return std::nullopt;
    std::size_t end = timeline.peakStep();
    while (end > 0) {
        const std::size_t before = timeline.largestStepIn(0, end);
        if (timeline.totalAt(before) <= alarm)
            break;
        end = before;
    }
    return end;
}

QString alarmText(const char* text)
{
    return QCoreApplication::translate("Alarm", text);
}

} // namespace

std::optional<AlarmCrossing> crossingOf(const workspace::ProfilePicture& picture, base::Bytes alarm)
{
    if (!hasReserved(picture.device())) {
        const auto step = firstAbove(*picture.timeline, alarm);
        return step ? std::optional{AlarmCrossing{*step, picture.timeline->totalAt(*step)}}
                    : std::nullopt;
    }
    const memtrace::StepCurve& reserved = picture.device().reserved();
    const auto first =
        std::ranges::find_if(reserved.points(), [alarm](const memtrace::StepCurve::Point& point) {
            return point.bytes > alarm;
        });
    if (first == reserved.points().end())
        return std::nullopt;
    return AlarmCrossing{first->step, first->bytes};
}

void paintAlarmLine(const PaintContext& context, const AlarmMark& mark)
{
    if (!mark.bytes || !context.frame.shows(*mark.bytes))
        return;
    const QRectF& plot = context.frame.at.plot();
    const double y = std::round(context.frame.at.yOf(*mark.bytes)) + 0.5;
    QPen pen{context.color(Role::Warn), 1.25};
    pen.setDashPattern({6, 3});
    context.setShape(pen);
    context.painter.drawLine(QLineF{plot.left(), y, plot.right(), y});
    const QFont& font = context.theme.font(TextRole::Small);
    const QString text = alarmText("alarm %1").arg(bytesText(*mark.bytes));
    const double height = context.px(15);
    const double top = y - height < plot.top() ? y + 1 : y - height;
    const QRectF line{plot.left() + context.px(6), top, nameWidth(font, text), height};
    context.painter.fillRect(line.adjusted(-2, 0, 2, 0), context.color(Role::Plot, 0.85));
    context.setText(TextRole::Small, Role::Warn);
    drawName(context.painter, QPointF{line.left(), baselineIn(line, font)}, text);
}

void paintAlarmCrossing(const PaintContext& context, const AlarmMark& mark)
{
    if (!mark.bytes || !mark.step || *mark.step >= context.model.axis.stepCount())
        return;
    const QRectF& plot = context.frame.at.plot();
    const double x = std::round(context.frame.at.xOf(context.model.axis.positionOf(*mark.step)));
    if (!context.frame.shows(x))
        return;
    context.painter.fillRect(QRectF{x, plot.top(), 1, plot.height()}, context.color(Role::Warn));
    const QFont& font = context.theme.font(TextRole::Small);
    const QString text = alarmText("above the alarm");
    const double width = nameWidth(font, text);
    // Left of the line where the plot ends before it would.
    const double left =
        x + context.px(4) + width < plot.right() ? x + context.px(4) : x - context.px(4) - width;
    const QRectF line{left, plot.bottom() - context.px(36), width, context.px(16)};
    context.painter.fillRect(line.adjusted(-2, 0, 2, 0), context.color(Role::Plot, 0.85));
    context.setText(TextRole::Small, Role::Warn);
    drawName(context.painter, QPointF{left, baselineIn(line, font)}, text);
}

bool isOnAlarm(const AlarmMark& mark, const QPointF& pos, const TimelineFrame& frame)
{
    const QRectF& plot = frame.at.plot();
    return mark.bytes && frame.shows(*mark.bytes) && pos.x() >= plot.left()
           && pos.x() <= plot.right()
           && std::abs(pos.y() - frame.at.yOf(*mark.bytes)) <= kReach * frame.layout.scale;
}

} // namespace plimsoll::ui
