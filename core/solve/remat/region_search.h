// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/api/planner.h"
#include "core/solve/regions/forced_regions.h"
#include "core/solve/remat/region_draft.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// Looks for plans of checkpoint regions on any graph: lets go of single results where the peak is,
/// cheapest first, in forwards divided in several ways, then takes back what the budgets have room
/// for. Every step is evaluated on the full graph. What it finds depends on nothing but the problem
/// unless it is stopped.
class RegionSearch
{
public:
    /// Around regions: the rest of the plan that is proposed.
    using Proposal = std::function<plan::Plan(std::vector<plan::Region>)>;

    /// All must outlive it; `problem` with an unlimited budget.
    RegionSearch(const plan::Problem& problem, const RegionSpace& space, Proposal proposal,
                 plan::Frontier& frontier, const Listener& listener);

    /// Fills the frontier, at about so many budgets. Internal error where a proposal fails its
    /// check.
    [[nodiscard]] base::Result<void> run(std::size_t budgets, const base::JobContext& job);

private:
    /// A draft and what its plan needs.
    struct Point
    {
        RegionDraft draft;
        plan::EvaluationPtr evaluation;
    };
    /// The same without what only the next step needs.
    struct Known
    {
        RegionDraft draft;
        base::Bytes peak;
        base::Nanoseconds time;
    };
    /// One way to divide forward.
    struct Family
    {
        RegionDraft blank;
        std::vector<Known> known = {}; ///< in the order of finding
    };

    [[nodiscard]] base::Result<std::optional<Point>> judged(const RegionDraft& draft);
    [[nodiscard]] static Known knownOf(Point point);
    [[nodiscard]] std::vector<Family> families() const;
    [[nodiscard]] base::Result<void> descend(Family& family, const base::JobContext& job);
    [[nodiscard]] base::Result<std::optional<Point>> lower(const Point& from,
                                                           std::vector<bool>& isUseless);
    [[nodiscard]] base::Result<void> refine(std::vector<Family>& families, base::Bytes budget,
                                            const base::JobContext& job);
    [[nodiscard]] base::Result<void> takeBack(Known& known, base::Bytes budget,
                                              const std::vector<graph::OpId>& ops,
                                              std::size_t begin, std::size_t end);

    const plan::Problem& m_problem;
    RegionDrafts m_drafts;
    ForcedRegions m_forced;
    plan::Granularity m_granularity;
    Proposal m_proposal;
    plan::Frontier& m_frontier;
    const Listener& m_listener;
    std::size_t m_step = 1; ///< bytes by which a peak is to fall at once
    std::size_t m_left = 0; ///< evaluations for what is being done
};

} // namespace plimsoll::solve
