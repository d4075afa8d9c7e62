// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/timeline_model.h"

#include <QPointF>
#include <QSizeF>

#include <cstdint>
#include <vector>

class QImage;
class QPainter;

namespace plimsoll::ui {

/// Heights of the stacked curve in the strip's columns, which zoom and pan don't change.
struct OverviewHeights
{
    timeline::TimelinePtr of; ///< for which they are; null: none yet
    QSizeF size;
    double length = 0;
    base::Bytes top;
    std::vector<float> heights;
};

/// Paints the strip's background and the curves of the whole step, which change only with the
/// curves, pixel by pixel into an opaque picture: thousands of rectangles, some pixels each.
/// `known` keeps heights from one call to the next.
void drawOverviewCurves(QImage& picture, const TimelineModel& model, const TimelineFrame& frame,
                        const Theme& theme, OverviewHeights& known);
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
