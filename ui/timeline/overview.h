// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/timeline_model.h"

#include <QPointF>

#include <cstdint>

class QImage;
class QPainter;

namespace plimsoll::ui {

/// Paints the strip's background and the curves of the whole step, which change only with the
/// curves, pixel by pixel into an opaque picture: thousands of rectangles, some pixels each.
void drawOverviewCurves(QImage& picture, const TimelineModel& model, const TimelineFrame& frame,
                        const Theme& theme);
/// Paints over the curves: the overlay's line, the visible window and its two handles.
void paintOverview(QPainter& painter, const TimelineModel& model, const TimelineFrame& frame,
                   const Theme& theme);

enum class OverviewPart : std::uint8_t { None, Window, Left, Right, Outside };
/// The part of the strip under a point: 8 px at each end of the window are its handles.
[[nodiscard]] OverviewPart overviewPartAt(const TimelineModel& model, const TimelineFrame& frame,
                                          QPointF point);

/// What is visible after a part of the strip was dragged, between fractions of the strip.
[[nodiscard]] VisibleRange draggedRange(const Viewport& before, OverviewPart part, double from,
                                        double to);

} // namespace plimsoll::ui
