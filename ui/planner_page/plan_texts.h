// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"
#include "ui/base/message_strip.h"
#include "ui/budget_timeline/budget_model.h"
#include "ui/models/program_texts.h"
#include "ui/plan_panel/next_steps.h"

#include <QString>

#include <vector>

namespace plimsoll::ui {

// What the timeline and the strip show of plans: values turned into their view data. Pure.

/// The least budget at or above `bytes` that is shown exactly: two decimals of a GiB, one of a MiB.
/// What the line snaps to, so that a plan's peak never reads as more than the budget it fits.
[[nodiscard]] base::Bytes shownCeiling(base::Bytes bytes);

/// The plan's curve and the unplanned one, matched op by op.
[[nodiscard]] TimelineSet timelinesOf(const plan::VerifiedPlan& shown,
                                      const plan::VerifiedPlan& unplanned);
[[nodiscard]] HoverContent hoverContentOf(const plan::VerifiedPlan& shown, std::size_t step);
[[nodiscard]] std::vector<CapacityMark> capacityMarksOf(const workspace::Choices& choices);
[[nodiscard]] std::vector<SnapTarget> snapTargetsOf(const plan::Frontier& frontier);
[[nodiscard]] LowerBound lowerBoundOf(const workspace::Planned& planned,
                                      const plan::VerifiedPlan& shown);
/// Beside the line while it is dragged.
[[nodiscard]] std::vector<ReadoutRow>
readoutOf(const workspace::Planned& planned, const plan::VerifiedPlanPtr& plan, base::Bytes budget);
/// The verified plans that need less than this one, the largest first: what comes next on the
/// frontier. Each budget gets the plan it stands for.
[[nodiscard]] std::vector<NextStep> nextStepsOf(const plan::Frontier& frontier,
                                                const plan::VerifiedPlan& present);
/// The strip for a budget without a plan; its actions are the caller's.
[[nodiscard]] Message infeasibleMessage(const workspace::Planned& planned, base::Bytes budget);

} // namespace plimsoll::ui
