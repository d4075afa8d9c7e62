// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/tokens.h"

#include <QPointF>
#include <QString>

#include <cstddef>
#include <span>
#include <string_view>

class QPainter;

namespace plimsoll::ui {

/// How a planner is drawn (design 4), wherever its mark appears.
struct PlannerLook
{
    std::string_view planner; ///< id; empty: those without a look of their own
    Role ink;
    std::size_t marker; ///< of markerPath() and plannerDashes()
};

/// Every look, the shared one last.
[[nodiscard]] std::span<const PlannerLook> plannerLooks();
/// The look of a planner; those without one of their own share the last.
[[nodiscard]] const PlannerLook& plannerLookOf(std::string_view planner);
/// The planner's id, or "others".
[[nodiscard]] QString plannerLookName(const PlannerLook& look);

inline constexpr double kPlannerMarkRadius = 3;
void paintPlannerMark(QPainter& painter, const PlannerLook& look, QPointF center);

} // namespace plimsoll::ui
