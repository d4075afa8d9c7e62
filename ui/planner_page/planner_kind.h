// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/budget.h"
#include "ui/document_page/page_registry.h"
#include "ui/planner_page/planner_view.h"

#include <optional>

namespace plimsoll::ui {

class Settings;

/// What a document begins with that brings nothing of its own along.
struct PlannerStart
{
    workspace::Choices choices;
    std::optional<base::Budget> budget; ///< a ratio is of the unplanned peak
};

/// Traced steps and sessions of them, on a PlannerPage.
[[nodiscard]] PageKind plannerPageKind(Settings& settings, PlannerStart start,
                                       PlannerLayout layout);

} // namespace plimsoll::ui
