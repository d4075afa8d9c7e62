// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRectF>
#include <QSizeF>

namespace plimsoll::ui {

/// Where the parts of the timeline stand, in logical pixels of the widget (design 5.1).
struct TimelineLayout
{
    QRectF header;
    QRectF bands; ///< empty where there is no room
    QRectF plot;
    QRectF axis;
    QRectF overview; ///< empty where there is no room
    QRectF gutter;   ///< right of the plot: device sizes and the handle
    double scale = 1.0;
};

/// `scale` is Theme::scale(); the right gutter is narrower without a budget line.
[[nodiscard]] TimelineLayout layoutTimeline(const QSizeF& size, double scale, bool withBudget);

} // namespace plimsoll::ui
