// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/run/reserved_table.h"
#include "ui/frontier/frontier_axes.h"

#include <QString>

namespace plimsoll::ui {

/// A plan under the pointer.
struct NearPlan
{
    const plan::FrontierPoint* point = nullptr;  ///< null: there is none
    const plan::FrontierPoint* larger = nullptr; ///< the next one of the curve; null: none
    bool isDominated = false;
};

[[nodiscard]] NearPlan nearPlan(const plan::Frontier& frontier, const FrontierAxes& axes,
                                base::Nanoseconds unplannedTime, QPointF position);

/// What a plan takes, and who made it. `slower`: than the unplanned step.
[[nodiscard]] QString pointText(const plan::FrontierPoint& point, double slower);

/// For which budgets a plan is taken, as the allocator needs more than its peak; null: for none.
[[nodiscard]] QString stopText(const run::PlanFrom* stop);

} // namespace plimsoll::ui
