// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/remat_planner.h"

#include "core/base/try.h"
#include "core/solve/api/certify_and_insert.h"
#include "core/solve/regions/region_space.h"
#include "core/solve/remat/program_problem.h"
#include "core/solve/remat/region_search.h"
#include "core/solve/remat/search/reorder.h"
#include "core/solve/remat/search/solve_remat.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace plimsoll::solve {

namespace {

struct RematPlannerOptions : OptionReader
{
    explicit RematPlannerOptions(const OptionReader& given) : OptionReader{given} {}

    std::int64_t points = get<std::int64_t>("points");
    plan::Granularity granularity = get<plan::Granularity>("granularity");
    bool reorder = get<bool>("reorder");
    bool freezeStats = get<bool>("freeze-stats");
    plan::Runtime runtime = get<plan::Runtime>("runtime");
    bool isCompiled = runtime == plan::Runtime::CompiledStep;
};

PlannerDescriptor descriptorOfRemat()
{
    const OptionRecord points{.name = "points",
                              .sentence = "Budgets for which plans are searched, between what one "
                                          "op alone needs and what the whole step needs.",
                              .lower = 2,
                              .standard = 64,
                              .upper = 1000};
    OptionRecord granularity = granularityRecord();
    granularity.standard = 1;
    const OptionRecord reorder =
        switchRecord("reorder", "Reorder independent ops",
                     "Whether independent ops may run in another order that needs less memory, for "
                     "the runtime step. Random numbers are drawn as before.");
    OptionRecord runtime = runtimeRecord();
    runtime.standard = 1;
    return {
        "remat",
        "Rematerialization",
        "Drops any value and recomputes it, as often as it pays: a search on the whole graph that "
        "starts from rotor's and Capuchin's plans, for the runtime step or for checkpoint regions "
        "that keep single results.",
        {points, granularity, reorder, freezeStatsRecord(), runtime},
        "The problem of Checkmate (MLSys 2020) and MOCCASIN (ICML 2023): one order, every value "
        "recomputed as often as it pays. The method is its own: greedy insertion, pruning, and "
        "destroy and repair over an incremental profile of memory.",
        {"Other orders of the ops, unless reorder is on; the optimizer's ops are never reordered.",
         "Nested checkpoint regions that no chain has.", "Moving values to the host."}};
}

/// In descending order, from the plain order's peak to the bound below which no plan goes.
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

/// One run of the planner.
class Search
{
public:
    Search(plan::Problem problem, plan::PlannerCall call, const RematPlannerOptions& asked,
           const Listener& listener)
        : m_problem{std::move(problem)}
        , m_call{std::move(call)}
        , m_asked{asked}
        , m_listener{listener}
    {
        m_problem.budget = plan::kUnlimited; // judge proposals by their own peak
    }

    base::Result<plan::FrontierPtr> run(const std::vector<RematStart>& starts,
                                        const base::JobContext& job) &&
    {
        const bool isLook = job.stopRequested(); // asked to stop before it began, as are the starts
        RETURN_IF_ERROR(begin());
        std::vector<const RematStart*> serving;
        for (const RematStart& start : starts)
            if (serves(start))
                serving.push_back(&start);
        const int pieces = static_cast<int>(serving.size()) + 1;
        for (int piece = 0; piece + 1 < pieces && (isLook || !job.stopRequested()); ++piece)
            RETURN_IF_ERROR(
                start(*serving[static_cast<std::size_t>(piece)], job.piece(piece, pieces)));
        const base::JobContext rest = job.piece(pieces - 1, pieces);
        base::Result<void> searched;
        if (!job.stopRequested() && m_asked.isCompiled)
            searched = search(m_asked.reorder ? rest.piece(0, 2) : rest);
        else if (!job.stopRequested())
            searched = searchRegions(
                m_problem, *makeRegionSpace(m_problem, m_asked.granularity),
                [this](std::vector<plan::Region> regions) { return offer(std::move(regions)); },
                m_frontier.points().empty() ? base::Bytes{}
                                            : m_frontier.points().back()->evaluation().peak,
                static_cast<std::size_t>(m_asked.points), rest);
        if (searched && m_asked.reorder && !job.stopRequested())
            searched = searchReordered(rest.piece(1, 2));
        RETURN_IF_ERROR(searched);
        return std::make_shared<const plan::Frontier>(std::move(m_frontier));
    }

private:
    [[nodiscard]] plan::Plan named(plan::Plan plan) const
    {
        plan.planner = m_call.planner;
        plan.options = m_call.options;
        return plan;
    }

    [[nodiscard]] plan::Plan proposal(const RematPlan& plan) const
    {
        return named(stepPlanOf(plan));
    }

    [[nodiscard]] plan::Plan regionsProposal(std::vector<plan::Region> regions) const
    {
        return {
            m_call.planner, m_call.options,
            plan::CheckpointRegions{m_asked.granularity, std::move(regions), m_asked.freezeStats}};
    }

    /// Whether the start's plans are allowed: a search between ops also takes those between
    /// modules.
    [[nodiscard]] bool serves(const RematStart& start) const
    {
        const OptionReader its{start.planner->descriptor(), start.options};
        return its.get<plan::Runtime>("runtime") == m_asked.runtime
               && (m_asked.isCompiled
                   || its.get<plan::Granularity>("granularity") <= m_asked.granularity);
    }

    /// Fails with the reason if the runtime can't run the recording at all.
    base::Result<void> begin()
    {
        if (!m_asked.isCompiled)
            RETURN_IF_ERROR(takesRegions(*m_problem.step()));
        base::Result<void> begun = beginFrontier(
            m_frontier, m_problem, m_asked.isCompiled ? proposal({}) : regionsProposal({}));
        if (!begun && begun.error().kind == base::ErrorKind::CheckFailed)
            return base::failure(base::ErrorKind::Usage, begun.error().message);
        return begun;
    }

    base::Result<void> start(const RematStart& start, const base::JobContext& job)
    {
        if (m_asked.isCompiled && m_problem.step()->isRewritten())
            return {}; // a rewritten step is a list of ops that the others can't plan
        Options options = start.options;
        if (m_asked.freezeStats)
            options["freeze-stats"] = 1;
        ASSIGN_OR_RETURN(const auto found, start.planner->frontier(m_problem, options, job));
        const auto provenance = std::make_shared<const plan::Provenance>(plan::Provenance{m_call});
        bool isBetter = false;
        for (const plan::FrontierPoint& point : found->points()) {
            if (m_asked.isCompiled)
                m_starts.push_back(rematPlanOf(point->plan()));
            if (!m_frontier.improvedBy(point->evaluation()))
                continue;
            m_frontier.insert({point.plan, provenance});
            isBetter = true;
        }
        if (isBetter && m_listener)
            m_listener(std::make_shared<const plan::Frontier>(m_frontier));
        return {};
    }

    base::Result<void> search(const base::JobContext& job)
    {
        const std::optional<std::vector<RematRecomputeStep>> pinned = rowsOfPins(m_problem);
        if (!pinned)
            return {};
        const RepeatedProblem repeated{problemOf(m_problem), *pinned};
        for (RematPlan& known : m_starts)
            known = repeated.repeated(known);
        return searchIn(repeated, job, m_starts,
                        [this](const RematPlan& plan) { return proposal(plan); });
    }

    /// Also searches for plans on an order with a smaller peak than the recorded one.
    /// Recomputations that pins demand stay in front of the same ops there; nothing is searched if
    /// the order hasn't yet made what they read.
    base::Result<void> searchReordered(const base::JobContext& job)
    {
        const std::optional<std::vector<RematRecomputeStep>> pinned = rowsOfPins(m_problem);
        const StepOrder order = lowestOrder(m_problem, job.piece(0, 2));
        if (!pinned || std::is_sorted(order.begin(), order.end()))
            return {};
        const RematProblem ordered = inOrder(problemOf(m_problem), order);
        const RematPlan rows{inOrder(*pinned, order)};
        if (!simulate(ordered, rows))
            return {};
        const auto planOf = [&](const RematPlan& found) {
            std::optional<plan::Plan> plan = stepPlanOf(found, order);
            // Ops ahead of an op run in rising order, which is rarely too early for a
            // recomputation.
            if (plan && !plan::isLegal(plan::verify(m_problem, *plan)))
                plan.reset();
            return plan ? std::optional{named(*std::move(plan))} : std::nullopt;
        };
        return searchIn(RepeatedProblem{ordered, rows.recomputeSteps}, job.piece(1, 2), {}, planOf);
    }

    base::Result<plan::EvaluationPtr> offer(std::vector<plan::Region> regions)
    {
        const plan::Plan plan = regionsProposal(std::move(regions));
        plan::EvaluationPtr evaluation = plan::evaluate(m_problem, plan);
        if (m_frontier.improvedBy(*evaluation))
            RETURN_IF_ERROR(certifyAndInsert(m_frontier, m_problem, plan, m_listener));
        return evaluation;
    }

    /// `planOf` returns the plan of the original problem, if there is one.
    base::Result<void>
    searchIn(const RepeatedProblem& repeated, const base::JobContext& job,
             const std::vector<RematPlan>& starts,
             const std::function<std::optional<plan::Plan>(const RematPlan&)>& planOf)
    {
        base::Result<void> state;
        const auto keep = [&](const RematPoint& point) {
            if (!state)
                return;
            if (const std::optional<plan::Plan> plan = planOf(repeated.original(point.plan)))
                state = certifyAndInsert(m_frontier, m_problem, *plan, m_listener);
        };
        keep({});
        const std::vector<std::int64_t> budgets = budgetsOf(repeated.problem(), m_asked.points);
        ASSIGN_OR_RETURN(const auto found,
                         rematFrontier(repeated.problem(), budgets, job.piece(0, 2), keep, starts));
        const base::JobContext checking = job.piece(1, 2);
        std::size_t done = 0;
        for (const std::optional<RematPoint>& point : found) {
            if (point)
                keep(*point);
            checking.report(++done, found.size());
        }
        return state;
    }

    plan::Problem m_problem;
    plan::PlannerCall m_call;
    RematPlannerOptions m_asked;
    const Listener& m_listener;
    std::vector<RematPlan> m_starts;
    plan::Frontier m_frontier;
};

class RematPlanner final : public Planner
{
public:
    explicit RematPlanner(std::vector<RematStart> starts)
        : Planner{descriptorOfRemat()}, m_starts{std::move(starts)}
    {
    }

private:
    [[nodiscard]] base::Result<plan::FrontierPtr> search(const plan::Problem& problem,
                                                         const Options& options,
                                                         const base::JobContext& job,
                                                         const Listener& listener) const override
    {
        RETURN_IF_ERROR(checkRuntime(descriptor(), options));
        return Search{problem, callOf(descriptor(), options),
                      RematPlannerOptions{{descriptor(), options}}, listener}
            .run(m_starts, job);
    }

    std::vector<RematStart> m_starts;
};

} // namespace

std::unique_ptr<const Planner> makeRematPlanner(std::vector<RematStart> starts)
{
    return std::make_unique<const RematPlanner>(std::move(starts));
}

} // namespace plimsoll::solve
