// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/plan_document.h"

#include <vector>

class QWidget;

namespace plimsoll::ui {

/// The graphs that are open in a window.
[[nodiscard]] std::vector<const workspace::PlanDocument*> openGraphs(const QWidget& window);

} // namespace plimsoll::ui
