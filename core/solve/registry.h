// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/common/planner.h"

#include <memory>
#include <string_view>
#include <vector>

namespace plimsoll::solve {

/// All planners of this build, in the order in which lists show them.
[[nodiscard]] const std::vector<std::unique_ptr<const Planner>>& planners();
/// The planner of that id; Usage error that lists the ids otherwise.
[[nodiscard]] base::Result<const Planner*> findPlanner(std::string_view id);
/// What is used when nobody chooses.
inline constexpr std::string_view kDefaultPlanner = "auto";

} // namespace plimsoll::solve
