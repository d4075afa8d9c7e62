// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/common/planner.h"

#include <vector>

namespace plimsoll::solve {

/// A planner that can do what was asked, and the options with which it does.
struct FitPlanner
{
    const Planner* planner = nullptr;
    Options options;
};

/// Those of `planners`, in the same order, that know each option of `asked` that has another value
/// than its default, and can have that value. Their own further options stay at their defaults.
[[nodiscard]] std::vector<FitPlanner> fitPlanners(const std::vector<const Planner*>& planners,
                                                  const PlannerDescriptor& asked,
                                                  const Options& options);

} // namespace plimsoll::solve
