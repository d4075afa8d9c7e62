// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"
#include "core/solve/regions/region_space.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::solve {

/// Consecutive ops of forward and loss, both inclusive.
struct OpRun
{
    graph::OpIndex first = 0;
    graph::OpIndex last = 0;

    bool operator==(const OpRun&) const = default;
};

/// The verified plans of a planner that proposes what to checkpoint together without knowing what
/// is legal: regions between calls of modules, side by side.
class RunPlans
{
public:
    /// `descriptor` and `options` must outlive it. Plans have the runtime and statistics setting of
    /// the options.
    RunPlans(const plan::Problem& problem, const PlannerDescriptor& descriptor,
             const Options& options);

    [[nodiscard]] OptionReader options() const { return {m_descriptor, m_options}; }
    /// A plan of this planner that recomputes nothing yet.
    [[nodiscard]] plan::Plan blank() const;
    /// The plan that recomputes nothing. CheckFailed if not even that suits the graph.
    [[nodiscard]] base::Result<void> addUnplanned();
    /// A plan with one region for each group of pieces. If that isn't legal, uses the longest legal
    /// runs of its pieces, from the left; pieces that aren't legal by themselves get no region.
    [[nodiscard]] base::Result<void> addRuns(const std::vector<std::vector<OpRun>>& groups);
    [[nodiscard]] base::Result<void> add(const plan::Plan& plan);
    [[nodiscard]] plan::FrontierPtr take() &&;

private:
    void addRegions(const std::vector<OpRun>& pieces, plan::Plan& plan);
    [[nodiscard]] const std::vector<graph::OpIndex>& endsFrom(graph::OpIndex first);

    plan::Problem m_problem;
    const PlannerDescriptor& m_descriptor;
    const Options& m_options;
    std::unique_ptr<const RegionSpace> m_space;
    std::map<graph::OpIndex, std::vector<graph::OpIndex>> m_ends; ///< of legal regions, by first op
    plan::Frontier m_frontier;
};

/// Adds plans to those of a planner until all are there or the job is stopped.
using Proposer = std::function<base::Result<void>(const plan::Problem& problem, RunPlans& plans,
                                                  const base::JobContext& job)>;

/// A planner whose plans are what `propose` adds to the plan that recomputes nothing.
[[nodiscard]] std::unique_ptr<const Planner> makeRunPlanner(PlannerDescriptor descriptor,
                                                            Proposer propose);

} // namespace plimsoll::solve
