// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/baseline/blocks.h"
#include "core/solve/common/planner.h"
#include "core/solve/common/region_space.h"

#include <memory>
#include <utility>
#include <vector>

namespace plimsoll::solve {

/// What a flag of today offers: the step without it, and with each of its settings.
class FlagFrontier
{
public:
    FlagFrontier(const plan::Problem& problem, const PlannerDescriptor& descriptor,
                 const Options& options);

    /// A plan of this planner that repeats nothing yet.
    [[nodiscard]] plan::Plan blank() const;
    /// The step without the flag. CheckFailed where not even that goes with the graph.
    [[nodiscard]] base::Result<void> addUnplanned();
    /// Regions of the first to the last call of each group, in order; of those that are illegal
    /// none.
    [[nodiscard]] base::Result<void> addRegions(const std::vector<Siblings>& groups);
    [[nodiscard]] base::Result<void> add(const plan::Plan& plan);
    [[nodiscard]] plan::FrontierPtr take() &&;

private:
    plan::Problem m_problem;
    const PlannerDescriptor& m_descriptor;
    const Options& m_options;
    std::unique_ptr<const RegionSpace> m_space;
    plan::Frontier m_frontier;
};

} // namespace plimsoll::solve
