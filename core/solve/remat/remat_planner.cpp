// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/remat_planner.h"

#include "core/solve/common/offer.h"
#include "core/solve/remat/program_problem.h"
#include "core/solve/remat/solve_remat.h"

#include <utility>

namespace plimsoll::solve {

namespace {

PlannerDescriptor descriptorOfRemat()
{
    const OptionRecord points{
        .name = "points",
        .sentence = "Budgets for which plans are looked for, between what one op alone needs and "
                    "what the whole step does.",
        .lower = 2,
        .standard = 64,
        .upper = 1000};
    return {
        "remat",
        "Rematerialization",
        "Drops any value of forward and backward and computes it again, as often as it pays: a "
        "search on the whole graph, for the step runner. Ops keep their order.",
        {points, stepRuntimeRecord()},
        "Greedy insertion with destroy and repair, after nobody's paper; the problem is that of "
        "Checkmate (MLSys 2020) and MOCCASIN (ICML 2023).",
        {"Other orders of the ops.", "Regions for torch.utils.checkpoint.",
         "Moving values to the host."}};
}

/// Falling from what the plain order needs to what no plan goes below.
std::vector<std::int64_t> budgetsOf(const RematProblem& problem, std::int64_t points)
{
    const base::Result<RematFigures> plain = simulate(problem, {});
    if (!plain)
        return {};
    const std::int64_t least = RematBounds{problem}.workingSet().bytes;
    std::vector<std::int64_t> budgets;
    for (std::int64_t point = 1; point < points; ++point)
        budgets.push_back(plain->peak - (plain->peak - least) / (points - 1) * point);
    return budgets;
}

class RematPlanner final : public Planner
{
public:
    [[nodiscard]] const PlannerDescriptor& descriptor() const override { return m_descriptor; }

    [[nodiscard]] base::Result<plan::FrontierPtr>
    frontier(const plan::Problem& problem, const Options& options,
             const base::JobContext& job) const override
    {
        if (const base::Result<void> checked = checkOptions(m_descriptor, options); !checked)
            return tl::unexpected{checked.error()};
        plan::Problem unlimited = problem;
        unlimited.budget = plan::kUnlimited;
        const auto proposal = [&](const RematPlan& plan) {
            plan::Plan made = stepPlanOf(plan);
            made.planner = m_descriptor.id;
            made.options = optionTexts(m_descriptor, options);
            return made;
        };
        // Says so where the runner can't run the recording at all.
        plan::Frontier frontier;
        if (const base::Result<void> begun = beginFrontier(frontier, unlimited, proposal({}));
            !begun)
            return base::failure(begun.error().kind == base::ErrorKind::CheckFailed
                                     ? base::ErrorKind::Usage
                                     : begun.error().kind,
                                 begun.error().message);
        const RematProblem small = problemOf(unlimited);
        const auto found = rematFrontier(
            small, budgetsOf(small, optionValue(m_descriptor, options, "points")), job.piece(0, 2));
        if (!found)
            return tl::unexpected{found.error()};
        const base::JobContext checking = job.piece(1, 2);
        std::size_t done = 0;
        for (const std::optional<RematPoint>& point : *found) {
            if (point)
                if (base::Result<void> offered = offer(frontier, unlimited, proposal(point->plan));
                    !offered)
                    return tl::unexpected{offered.error()};
            checking.report(++done, found->size());
        }
        return std::make_shared<const plan::Frontier>(std::move(frontier));
    }

private:
    PlannerDescriptor m_descriptor = descriptorOfRemat();
};

} // namespace

std::unique_ptr<const Planner> makeRematPlanner()
{
    return std::make_unique<const RematPlanner>();
}

} // namespace plimsoll::solve
