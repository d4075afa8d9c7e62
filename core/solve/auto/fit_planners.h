// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/common/planner.h"

#include <cstddef>
#include <vector>

namespace plimsoll::solve {

/// A planner that can do what was asked, and the options with which it does.
struct FitPlanner
{
    const Planner* planner = nullptr;
    Options options;
    std::size_t part = 0; ///< its place in `reports`
};

struct FitPlanners
{
    std::vector<FitPlanner> fit;
    std::vector<plan::PartReport> reports; ///< of all planners: the others with their reason
};

/// Those of `planners`, in the same order, that make plans for the runtime asked for, with regions
/// and statistics as asked. Each gets those of `options` that it knows; its further ones stay at
/// their defaults.
[[nodiscard]] FitPlanners fitPlanners(const std::vector<const Planner*>& planners,
                                      const PlannerDescriptor& asked, const Options& options);

} // namespace plimsoll::solve
