// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/budget_timeline/budget_model.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/timeline_overlay.h"

#include <cstddef>

namespace plimsoll::ui {

// Line, devices, bound, unplanned peak and readout. Pure functions of model and frame.

/// The overlay's labels in PlacedLabels::overlay; the measured levels follow them.
enum BudgetLabel : std::size_t {
    ReadoutLabel,
    WitnessLabel,
    UnplannedPeakLabel,
    MeasuredPeakLabel,
    BoundLabel,
    FirstLevelLabel,
};
/// Places the overlay's labels of one rank after the other.
void placeLabels(const Placing& to, const BudgetModel& model, LabelRank rank);
/// None if it was not placed.
[[nodiscard]] std::optional<QRectF> labelRect(const PlacedLabels& labels, std::size_t label);

// Bottom to top.
void paintLowerBound(const PaintContext& context, const BudgetModel& model);
void paintBoundLabel(const PaintContext& context, const BudgetModel& model,
                     const PlacedLabels& labels);
void paintCapacities(const PaintContext& context, const BudgetModel& model);
void paintBudgetLine(const PaintContext& context, const BudgetModel& model);
void paintUnplannedPeak(const PaintContext& context, const BudgetModel& model,
                        const PlacedLabels& labels);
void paintWitness(const PaintContext& context, const BudgetModel& model,
                  const PlacedLabels& labels);
void paintReadout(const PaintContext& context, const BudgetModel& model, const QRectF& rect);

[[nodiscard]] QRectF markRect(const BudgetModel& model, const TimelineFrame& frame);
[[nodiscard]] QRectF pillRect(const BudgetModel& model, const TimelineFrame& frame,
                              const Theme& theme);
/// Ticks of devices inside the axis, at most five; labels are empty if there is no room.
struct CapacityLabel
{
    std::size_t index = 0; ///< into BudgetModel::capacities
    double tickY = 0;
    double textY = 0; ///< centre of the size; the name is below
    bool hasSize = true;
    bool hasName = true;
};
[[nodiscard]] std::vector<CapacityLabel> capacityLabels(const BudgetModel& model,
                                                        const TimelineFrame& frame);
[[nodiscard]] std::optional<PeakMark> unplannedPeakMark(const BudgetModel& model,
                                                        const TimelineFrame& frame);
[[nodiscard]] QSizeF readoutSize(const BudgetModel& model, const Theme& theme);

} // namespace plimsoll::ui
