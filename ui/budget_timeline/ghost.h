// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_model.h"

#include <QPixmap>

#include <vector>

class QPainter;

namespace plimsoll::ui {

/// The unplanned curve: `over` is drawn where it is above the budget (hatched, in danger), `under`
/// where it is not. Made once per frame geometry; the budget only moves the boundary between them.
struct Ghost
{
    static constexpr double kMargin = 3; ///< half of the halo, plus smoothing

    QPixmap over;
    QPixmap under;
    std::vector<float> heights; ///< of the curve by column, logical pixels
    double top = 0;             ///< its highest point, below the plot's top: above, both are empty
    double lowest = 0;          ///< its lowest point: below, `under` is empty
};
[[nodiscard]] Ghost makeGhost(const BudgetModel& model, const TimelineFrame& frame,
                              const Theme& theme, double devicePixelRatio);
/// Draws the two parts on their sides of the budget line.
void paintGhost(QPainter& painter, const Ghost& ghost, const BudgetModel& model,
                const TimelineFrame& frame);

} // namespace plimsoll::ui
