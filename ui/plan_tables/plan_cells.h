// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/plan_tables/plan_tree.h"

#include <QString>

namespace plimsoll::ui {

// What the cells of a plan's tree say.

[[nodiscard]] QString planCellText(const PlanTree& tree, const PlanSpot& spot, PlanColumn column);
[[nodiscard]] QString planCellTip(const PlanTree& tree, const PlanSpot& spot, PlanColumn column);
/// Saved bytes of a row, and what its recomputations cost.
[[nodiscard]] base::Bytes savedAt(const PlanTree& tree, const PlanSpot& spot);
[[nodiscard]] base::Nanoseconds costAt(const PlanTree& tree, const PlanSpot& spot);
/// "path:line"; empty: unknown, or that of a group whose decisions have different ones.
[[nodiscard]] QString sourceAt(const PlanTree& tree, const PlanSpot& spot);
/// Letters of the module's text that name the blocks, from its beginning, and that count the
/// group's decisions, at its end. They are the last to be elided.
struct PlanNameParts
{
    int block = 0;
    int count = 0;
};
[[nodiscard]] PlanNameParts namePartsAt(const PlanTree& tree, const PlanSpot& spot);

} // namespace plimsoll::ui
