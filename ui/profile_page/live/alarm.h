// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/timeline/paint_context.h"

#include <optional>

namespace plimsoll::ui {

/// Where the memory that a profile's device held first exceeded an alarm.
struct AlarmCrossing
{
    std::size_t step = 0;
    base::Bytes bytes; ///< at that step
};
/// Of reserved memory, or of what was live where the recording doesn't tell what was reserved.
/// None: it was never exceeded.
[[nodiscard]] std::optional<AlarmCrossing> crossingOf(const workspace::ProfilePicture& picture,
                                                      base::Bytes alarm);

/// An alarm as the plot shows it: a line, and a mark where it was exceeded.
struct AlarmMark
{
    std::optional<base::Bytes> bytes;
    std::optional<std::size_t> step;
};
void paintAlarmLine(const PaintContext& context, const AlarmMark& mark);
void paintAlarmCrossing(const PaintContext& context, const AlarmMark& mark);
/// Whether the mouse is on the line.
[[nodiscard]] bool isOnAlarm(const AlarmMark& mark, const QPointF& pos, const TimelineFrame& frame);

} // namespace plimsoll::ui
