// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/budget_timeline/budget_model.h"
#include "ui/timeline/paint_context.h"

#include <QPixmap>

#include <optional>

namespace plimsoll::ui {

// The measured curve over the predicted ones. Pure functions of model and frame.

/// The curve as a picture of the plot; null if there is none. Made once per frame geometry,
/// independent of the budget line.
[[nodiscard]] QPixmap makeMeasuredLine(const BudgetModel& model, const TimelineFrame& frame,
                                       const Theme& theme, double devicePixelRatio);
/// Level lines with their tags.
void paintMeasuredLevels(const PaintContext& context, const BudgetModel& model);
void paintLevelLabels(const PaintContext& context, const BudgetModel& model,
                      const PlacedLabels& labels);
/// A disc on the apex and its tag.
void paintMeasuredPeak(const PaintContext& context, const BudgetModel& model,
                       const PlacedLabels& labels);
[[nodiscard]] std::optional<PeakMark> measuredPeakMark(const BudgetModel& model,
                                                       const TimelineFrame& frame);
[[nodiscard]] Tag measuredPeakTag(const BudgetModel& model);
[[nodiscard]] Tag measuredLevelTag(const MeasuredLevel& level);
/// "measured"; "measured unplanned" if the shown plan was not.
[[nodiscard]] QString measuredName(const MeasuredSet& set);
/// "+1.2 MiB (+0.4 %)", "as predicted".
[[nodiscard]] QString measuredDifferenceText(base::Bytes measured, base::Bytes predicted);

/// A hover card's rows for a step. The card's sum counts reserve and rounding as the budget does;
/// the measurement is compared with the prediction for its own allocator. If the two differ, both
/// are shown.
[[nodiscard]] std::vector<HoverRow> measuredRows(const BudgetModel& model, std::size_t plannedStep);

} // namespace plimsoll::ui
