// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/common/planner.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace plimsoll::solve {

/// The planner "auto": runs those of `parts` that are fit for what is asked, side by side, and
/// keeps the best plan for every budget. The parts must outlive it. `threads`: at most so many run
/// at a time; 0: as many as the machine has. Plans don't depend on it.
[[nodiscard]] std::unique_ptr<const Planner> makeAutoPlanner(std::vector<const Planner*> parts,
                                                             std::size_t threads = 0);

} // namespace plimsoll::solve
