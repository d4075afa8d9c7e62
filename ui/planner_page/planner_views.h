// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/planner_page/planner_view.h"

namespace plimsoll::ui {

/// All views of a planner page and their places: add new ones here.
[[nodiscard]] PlannerLayout plannerLayout();

[[nodiscard]] PlannerView makeTimelineView(PlannerPage& page);
[[nodiscard]] PlannerView makeTwinsView(PlannerPage& page);
[[nodiscard]] PlannerView makeBudgetView(PlannerPage& page);
[[nodiscard]] PlannerView makeFrontierView(PlannerPage& page);
[[nodiscard]] PlannerView makePlanView(PlannerPage& page);
[[nodiscard]] PlannerView makeModuleView(PlannerPage& page);
[[nodiscard]] PlannerView makeRunView(PlannerPage& page);
[[nodiscard]] PlannerView makeLiveView(PlannerPage& page);
[[nodiscard]] PlannerView makeProblemView(PlannerPage& page);
[[nodiscard]] PlannerView makeAccessView(PlannerPage& page);
[[nodiscard]] PlannerView makePinView(PlannerPage& page);
[[nodiscard]] PlannerView makeMeasuredView(PlannerPage& page);

/// A form for a GPU that is not in the list; the document uses it, and the settings store it.
void askForDevice(PlannerPage& page);

} // namespace plimsoll::ui
