// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/timeline/paint_context.h"

#include <QPixmap>

#include <optional>

namespace plimsoll::ui {

// The measured curve over the predicted ones. Pure functions of model and frame.

/// The curve as a picture of the plot; null when there is none. Made once per frame geometry: the
/// budget line leaves it as it is.
[[nodiscard]] QPixmap makeMeasuredLine(const TimelineModel& model, const TimelineFrame& frame,
                                       const Theme& theme, double devicePixelRatio);
/// The same as a shape.
void drawMeasuredLine(QPainter& painter, const TimelineModel& model, const TimelineFrame& frame,
                      const Theme& theme);

/// Level lines with their tags.
void paintMeasuredLevels(const PaintContext& context, const PlacedLabels& labels);
/// A disc on the apex and its tag.
void paintMeasuredPeak(const PaintContext& context, const PlacedLabels& labels);
[[nodiscard]] std::optional<PeakMark> measuredPeakMark(const TimelineModel& model,
                                                       const TimelineFrame& frame);
[[nodiscard]] Tag measuredPeakTag(const TimelineModel& model);
[[nodiscard]] Tag measuredLevelTag(const MeasuredLevel& level);
/// "measured"; "measured unplanned" where the shown plan was not.
[[nodiscard]] QString measuredName(const MeasuredSet& set);
/// "+1.2 MiB (+0.4 %)", "as predicted".
[[nodiscard]] QString measuredDifferenceText(base::Bytes measured, base::Bytes predicted);

/// "measured" with a piece of its line, right-aligned at x; nothing while nothing measured is
/// shown.
void paintMeasuredLegend(const PaintContext& context, double x, double baseline);
[[nodiscard]] double measuredLegendWidth(const TimelineModel& model, const Theme& theme);

/// The step of the measured curve that stands at a planned step.
[[nodiscard]] std::optional<std::size_t> measuredStepAt(const TimelineModel& model,
                                                        std::size_t plannedStep);

} // namespace plimsoll::ui
