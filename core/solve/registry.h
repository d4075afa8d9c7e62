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
/// The parts of auto, in the order in which it starts them and prefers equal plans: first each
/// planner with the options that take least time, then rotor and remat with everything requested.
[[nodiscard]] const std::vector<AutoPart>& autoParts();
/// The planner with that id, or a Usage error that lists the ids.
[[nodiscard]] base::Result<const Planner*> findPlanner(std::string_view id);
/// The default planner.
inline constexpr std::string_view kDefaultPlanner = "auto";

/// The call that gives this very plan: the planner that made it and its options, as on the command
/// line. "rotor --ways on".
[[nodiscard]] std::string makerCall(const plan::Provenance& provenance);

} // namespace plimsoll::solve
