// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/planner_page/planner_view.h"

namespace plimsoll::ui {

class DocumentController;
class Settings;

/// All views of a planner page and their places: add new ones here.
[[nodiscard]] PlannerLayout plannerLayout();

[[nodiscard]] PlannerView makeTimelineView(PlannerPage& page);
[[nodiscard]] PlannerView makeTwinsView(PlannerPage& page);
[[nodiscard]] PlannerView makeBudgetView(PlannerPage& page);
[[nodiscard]] PlannerView makeFrontierView(PlannerPage& page);
[[nodiscard]] PlannerView makePlanView(PlannerPage& page);
[[nodiscard]] PlannerView makeModuleView(PlannerPage& page);
[[nodiscard]] PlannerView makeRunView(PlannerPage& page);
[[nodiscard]] PlannerView makeFitsView(PlannerPage& page);
[[nodiscard]] PlannerView makeLiveView(PlannerPage& page);
[[nodiscard]] PlannerView makeProblemView(PlannerPage& page);
[[nodiscard]] PlannerView makeAccessView(PlannerPage& page);
[[nodiscard]] PlannerView makePinView(PlannerPage& page);
[[nodiscard]] PlannerView makeMeasuredView(PlannerPage& page);

/// A form for a GPU that is not in the list; the document uses it, and the settings store it.
void askForDevice(PlannerPage& page);
/// Plans for that GPU: one undo step.
void chooseDevice(DocumentController& document, const plan::Device& device);
/// The GPUs that were entered by hand.
[[nodiscard]] std::vector<plan::Device> ownDevices(const Settings& settings);

} // namespace plimsoll::ui
