// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <cstddef>
#include <vector>

namespace plimsoll::solve {

/// A part of auto: a planner, and the options that it always has there.
struct AutoPart
{
    const Planner* planner = nullptr;
    Options own = {};
};

/// A planner that supports the request, and the options for it.
struct FitPlanner
{
    const Planner* planner = nullptr;
    Options options;
    std::size_t part = 0; ///< its place in `reports`
};

struct FitPlanners
{
    std::vector<FitPlanner> fit;
    std::vector<plan::PlannerProgress> reports; ///< of all planners: unfit ones with their reason
};

/// Those of `parts`, in the same order, that make plans for the requested runtime, regions and
/// statistics. Each gets those of `options` that it knows and has no fixed value of; its other
/// options keep their defaults. Parts of another runtime, and those that would do more than
/// requested (regions of ops, stage variants), are not among them at all.
[[nodiscard]] FitPlanners fitPlanners(const std::vector<AutoPart>& parts,
                                      const PlannerDescriptor& asked, const Options& options);

} // namespace plimsoll::solve
