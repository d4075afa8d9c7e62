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

/// Those of `planners`, in the same order, that make plans for the runtime asked for, with regions
/// and statistics as asked. Each gets those of `options` that it knows; its further ones stay at
/// their defaults.
[[nodiscard]] std::vector<FitPlanner> fitPlanners(const std::vector<const Planner*>& planners,
                                                  const PlannerDescriptor& asked,
                                                  const Options& options);

} // namespace plimsoll::solve
