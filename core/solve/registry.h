// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"
#include "core/solve/auto/fit_planners.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::solve {

/// All planners of this build, in the order in which lists show them.
[[nodiscard]] const std::vector<std::unique_ptr<const Planner>>& planners();
/// What auto runs, in the order in which it begins them and prefers equal plans: first each planner
/// with what takes the least time, then rotor and remat with all that was asked for.
[[nodiscard]] const std::vector<AutoPart>& autoParts();
/// The planner of that id; Usage error that lists the ids otherwise.
[[nodiscard]] base::Result<const Planner*> findPlanner(std::string_view id);
/// What is used when nobody chooses.
inline constexpr std::string_view kDefaultPlanner = "auto";

/// What to ask for to get this very plan: the planner that made it and its options, as the command
/// line takes them. "rotor --ways on".
[[nodiscard]] std::string makerCall(const plan::Provenance& provenance);

} // namespace plimsoll::solve
