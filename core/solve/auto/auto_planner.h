// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/auto/fit_planners.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace plimsoll::solve {

/// The planner "auto": runs those of `parts` that support the request side by side, started in
/// their order, and keeps the best plan for every budget. The planners must outlive it. `threads`:
/// the largest number that run at a time; 0: as many as the machine has. Plans don't depend on it.
[[nodiscard]] std::unique_ptr<const Planner> makeAutoPlanner(std::vector<AutoPart> parts,
                                                             std::size_t threads = 0);

} // namespace plimsoll::solve
