// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <cstddef>
#include <vector>

namespace plimsoll::solve {

/// One of those that auto runs: a planner, and the options that it always has there.
struct AutoPart
{
    const Planner* planner = nullptr;
    Options own = {};
};

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
    std::vector<plan::PlannerProgress> reports; ///< of all planners: the others with their reason
};

/// Those of `parts`, in the same order, that make plans for the runtime asked for, with regions and
/// statistics as asked. Each gets those of `options` that it knows and has no own value of; its
/// further ones stay at their defaults. Parts of another runtime, and those that would do more than
/// was asked for (regions between ops, several ways of a stage), are not among them at all.
[[nodiscard]] FitPlanners fitPlanners(const std::vector<AutoPart>& parts,
                                      const PlannerDescriptor& asked, const Options& options);

} // namespace plimsoll::solve
