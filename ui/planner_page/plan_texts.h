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

// Converts plans to the view data of the timeline and the message strip. Pure functions.

/// The plan's curve and the unplanned one, matched op by op.
[[nodiscard]] TimelineSet timelinesOf(const plan::VerifiedPlan& shown,
                                      const plan::VerifiedPlan& unplanned);
[[nodiscard]] HoverContent hoverContentOf(const plan::VerifiedPlan& shown, std::size_t step);
[[nodiscard]] std::vector<CapacityMark> capacityMarksOf(const workspace::Choices& choices);
[[nodiscard]] std::vector<SnapTarget> snapTargetsOf(const run::PlansByBudget& plans);
[[nodiscard]] LowerBound lowerBoundOf(const workspace::Planned& planned,
                                      const plan::VerifiedPlan& shown);
/// The readout beside the line while it is dragged.
[[nodiscard]] std::vector<ReadoutRow> readoutOf(const workspace::Planned& planned,
                                                const plan::VerifiedPlanPtr& plan,
                                                base::Bytes budget,
                                                std::optional<base::Bytes> leastBudget);
/// The plans that need less than this one, the largest first, each with a budget for which it is
/// taken.
[[nodiscard]] std::vector<NextStep> nextStepsOf(const run::PlansByBudget& plans,
                                                const plan::VerifiedPlan& present);
/// How a point of the frontier differs from the next larger one: a sentence.
[[nodiscard]] QString differenceText(const plan::VerifiedPlan& larger,
                                     const plan::FrontierPoint& point);
/// What the undo menu calls a change of settings.
[[nodiscard]] QString changeText(const workspace::Choices& before, const workspace::Choices& after);
/// The message for a budget without a plan; the caller adds its actions.
[[nodiscard]] Message infeasibleMessage(const workspace::Planned& planned, base::Bytes budget,
                                        std::optional<base::Bytes> leastBudget);

} // namespace plimsoll::ui
