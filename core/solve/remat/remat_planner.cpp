// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/remat_planner.h"

#include "core/solve/common/offer.h"
#include "core/solve/remat/program_problem.h"
#include "core/solve/remat/repeated_problem.h"
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
        "search on the whole graph, for the step runner, that begins with rotor's plans. Ops keep "
        "their order.",
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

/// One search for plans.
class Search
{
public:
    Search(plan::Problem problem, const PlannerDescriptor& descriptor, const Options& options)
        : m_problem{std::move(problem)}, m_descriptor{descriptor}, m_options{options}
    {
        m_problem.budget = plan::kUnlimited; // proposals are judged by their own peak
    }

    base::Result<plan::FrontierPtr> run(const std::vector<RematStart>& starts,
                                        const base::JobContext& job) &&;

private:
    [[nodiscard]] plan::Plan proposal(const RematPlan& plan) const;
    base::Result<void> begin();
    base::Result<void> start(const RematStart& start, const base::JobContext& job);
    base::Result<void> search(const base::JobContext& job);

    plan::Problem m_problem;
    const PlannerDescriptor& m_descriptor;
    const Options& m_options;
    std::vector<RematPlan> m_starts;
    plan::Frontier m_frontier;
};

plan::Plan Search::proposal(const RematPlan& plan) const
{
    plan::Plan made = stepPlanOf(plan);
    made.planner = m_descriptor.id;
    made.options = optionTexts(m_descriptor, m_options);
    return made;
}

/// Says so where the runner can't run the recording at all.
base::Result<void> Search::begin()
{
    base::Result<void> begun = beginFrontier(m_frontier, m_problem, proposal({}));
    if (!begun && begun.error().kind == base::ErrorKind::CheckFailed)
        return base::failure(base::ErrorKind::Usage, begun.error().message);
    return begun;
}

base::Result<void> Search::start(const RematStart& start, const base::JobContext& job)
{
    const base::Result<plan::FrontierPtr> found =
        start.planner->frontier(m_problem, start.options, job);
    if (!found)
        return tl::unexpected{found.error()};
    for (const plan::VerifiedPlanPtr& point : (*found)->points()) {
        m_starts.push_back(rematPlanOf(point->plan()));
        if (base::Result<void> offered = offer(m_frontier, m_problem, proposal(m_starts.back()));
            !offered)
            return offered;
    }
    return {};
}

base::Result<void> Search::search(const base::JobContext& job)
{
    const std::optional<std::vector<RematAgain>> pinned = rowsOfPins(m_problem);
    if (!pinned)
        return {};
    const RepeatedProblem repeated{problemOf(m_problem), *pinned};
    const RematProblem& small = repeated.problem();
    if (base::Result<void> offered = offer(m_frontier, m_problem, proposal(repeated.original({})));
        !offered)
        return offered;
    if (!pinned->empty())
        m_starts.clear(); // their repetitions are not those around the pinned ones
    const auto found =
        rematFrontier(small, budgetsOf(small, optionValue(m_descriptor, m_options, "points")),
                      job.piece(0, 2), {}, m_starts);
    if (!found)
        return tl::unexpected{found.error()};
    const base::JobContext checking = job.piece(1, 2);
    std::size_t done = 0;
    for (const std::optional<RematPoint>& point : *found) {
        if (point)
            if (base::Result<void> offered =
                    offer(m_frontier, m_problem, proposal(repeated.original(point->plan)));
                !offered)
                return offered;
        checking.report(++done, found->size());
    }
    return {};
}

base::Result<plan::FrontierPtr> Search::run(const std::vector<RematStart>& starts,
                                            const base::JobContext& job) &&
{
    if (base::Result<void> begun = begin(); !begun)
        return tl::unexpected{begun.error()};
    const int pieces = static_cast<int>(starts.size()) + 1;
    for (int piece = 0; piece + 1 < pieces; ++piece)
        if (base::Result<void> started =
                start(starts[static_cast<std::size_t>(piece)], job.piece(piece, pieces));
            !started)
            return tl::unexpected{started.error()};
    if (base::Result<void> searched = search(job.piece(pieces - 1, pieces)); !searched)
        return tl::unexpected{searched.error()};
    return std::make_shared<const plan::Frontier>(std::move(m_frontier));
}

class RematPlanner final : public Planner
{
public:
    explicit RematPlanner(std::vector<RematStart> starts) : m_starts{std::move(starts)} {}

    [[nodiscard]] const PlannerDescriptor& descriptor() const override { return m_descriptor; }

    [[nodiscard]] base::Result<plan::FrontierPtr>
    frontier(const plan::Problem& problem, const Options& options,
             const base::JobContext& job) const override
    {
        if (const base::Result<void> checked = checkOptions(m_descriptor, options); !checked)
            return tl::unexpected{checked.error()};
        return Search{problem, m_descriptor, options}.run(m_starts, job);
    }

private:
    PlannerDescriptor m_descriptor = descriptorOfRemat();
    std::vector<RematStart> m_starts;
};

} // namespace

std::unique_ptr<const Planner> makeRematPlanner(std::vector<RematStart> starts)
{
    return std::make_unique<const RematPlanner>(std::move(starts));
}

} // namespace plimsoll::solve
