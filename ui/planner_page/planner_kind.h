// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/budget.h"
#include "ui/document_page/page_registry.h"
#include "ui/planner_page/planner_view.h"

#include <optional>

namespace plimsoll::ui {

class Settings;

/// The kind of page for traced steps. Documents without a budget of their own start with `budget`;
/// a ratio is of the unplanned peak.
[[nodiscard]] PageKind plannerPageKind(Settings& settings, std::optional<base::Budget> budget,
                                       PlannerLayout layout);

} // namespace plimsoll::ui
