// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/budget_timeline/budget_model.h"
#include "ui/timeline/paint_context.h"

#include <QPixmap>

#include <optional>

namespace plimsoll::ui {

// The measured curve over the predicted ones. Pure functions of model and frame.

/// The curve as a picture of the plot; null when there is none. Made once per frame geometry: the
/// budget line leaves it as it is.
[[nodiscard]] QPixmap makeMeasuredLine(const BudgetModel& model, const TimelineFrame& frame,
                                       const Theme& theme, double devicePixelRatio);
/// Level lines with their tags.
void paintMeasuredLevels(const PaintContext& context, const BudgetModel& model,
                         const PlacedLabels& labels);
/// A disc on the apex and its tag.
void paintMeasuredPeak(const PaintContext& context, const BudgetModel& model,
                       const PlacedLabels& labels);
[[nodiscard]] std::optional<PeakMark> measuredPeakMark(const BudgetModel& model,
                                                       const TimelineFrame& frame);
[[nodiscard]] Tag measuredPeakTag(const BudgetModel& model);
[[nodiscard]] Tag measuredLevelTag(const MeasuredLevel& level);
/// "measured"; "measured unplanned" where the shown plan was not.
[[nodiscard]] QString measuredName(const MeasuredSet& set);
/// "+1.2 MiB (+0.4 %)", "as predicted".
[[nodiscard]] QString measuredDifferenceText(base::Bytes measured, base::Bytes predicted);

/// A hover card's rows about a step. The card's sum counts reserve and rounding as the budget does;
/// what was measured is compared with what was predicted for that very allocator. Where the two
/// read differently, both are told.
[[nodiscard]] std::vector<HoverRow> measuredRows(const BudgetModel& model, std::size_t plannedStep);

} // namespace plimsoll::ui
