// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor_planner.h"

#include "core/base/try.h"
#include "core/solve/api/certify_and_insert.h"
#include "core/solve/chain/nonpersistent_plans.h"
#include "core/solve/chain/rotor/annotation.h"
#include "core/solve/chain/rotor/chain_table.h"
#include "core/solve/chain/saved_sets.h"
#include "core/solve/chain/single_level.h"
#include "core/solve/chain/stage_variants.h"
#include "core/solve/regions/forced_regions.h"
#include "core/solve/regions/linearize.h"
#include "core/solve/regions/region_space.h"
#include "core/solve/regions/step_plans.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace plimsoll::solve {

namespace {

constexpr int kFewestSlots = 16;
/// From this many ops of forward and loss on, so few of them begin a stage that the choice matters.
constexpr std::size_t kLong = 10 * kMostStages;

struct RotorPlannerOptions : OptionReader
{
    explicit RotorPlannerOptions(const OptionReader& given) : OptionReader{given} {}

    int slots = get<int>("slots");
    plan::Granularity granularity = get<plan::Granularity>("granularity");
    bool variants = get<bool>("ways");
    bool nonpersistent = get<bool>("nonpersistent");
    bool savedSets = get<bool>("saved-sets");
    bool freezeStats = get<bool>("freeze-stats");
    bool isCompiled = get<plan::Runtime>("runtime") == plan::Runtime::CompiledStep;
};

/// A region tree without its members; plans of equal shape are equal.
using Shape = std::vector<graph::OpIndex>;

void describe(const std::vector<plan::Region>& regions, Shape& shape)
{
    for (const plan::Region& region : regions) {
        shape.push_back(region.first);
        shape.push_back(region.last);
        for (const graph::OpId op : region.save)
            shape.push_back(graph::kBeforeStep - 1 - static_cast<graph::OpIndex>(op.index()));
        describe(region.nested, shape);
        shape.push_back(graph::kNever); // its end
    }
}

/// The positions 0..count-1 in an order whose every prefix is spread evenly: ends and middle first.
std::vector<std::size_t> evenly(std::size_t count)
{
    std::vector<std::size_t> order;
    order.reserve(count);
    const std::size_t widest = std::bit_ceil(std::max<std::size_t>(count, 1));
    for (std::size_t gap = widest; gap > 0; gap /= 2)
        for (std::size_t at = 0; at < count; at += gap)
            if (gap == widest || at % (2 * gap) != 0)
                order.push_back(at);
    return order;
}

/// Collects the verified plans of one problem. The chain only proposes schedules; each one, for any
/// budget, is evaluated on the full graph. If the fastest schedule for a budget turns out to exceed
/// it there, the search has also evaluated the one found by lowering the budget by the excess, and
/// those that need less than their chain predicts.
class Search
{
public:
    Search(const plan::Problem& problem, plan::PlannerCall call, const RotorPlannerOptions& asked,
           const base::JobContext& job, const Listener& listener)
        : m_problem{problem}
        , m_call{std::move(call)}
        , m_asked{asked}
        , m_job{job}
        , m_look{.stop = job.stopRequested() ? std::stop_token{} : job.stop}
        , m_listener{listener}
        , m_space{makeRegionSpace(problem, asked.granularity)}
        , m_forced{problem, *m_space}
        , m_closure{*problem.step()}
    {
        m_problem.budget = plan::kUnlimited; // judge proposals by their own peak
    }

    base::Result<plan::FrontierPtr> run() &&
    {
        RETURN_IF_ERROR(takesRegions(*m_problem.step()));
        // A plan without regions of its own has those that pins demand.
        RETURN_IF_ERROR(addKeepEverything());
        RETURN_IF_ERROR(add({}, {}));
        const bool betweenOps = m_asked.granularity == plan::Granularity::Op;
        std::vector<CutRule> others;
        if (betweenOps)
            others.push_back(CutRule::Calls);
        if (betweenOps && m_problem.step()->forwardCount() >= kLong)
            others.push_back(CutRule::OpsEvenly);
        const int slots = m_asked.slots;
        const int pieces = 1 + static_cast<int>(others.size()) + (m_asked.variants ? 1 : 0)
                           + (m_asked.nonpersistent ? 1 : 0) + (m_asked.savedSets ? 1 : 0);
        int done = 0;
        base::Result<void> added =
            coarse().and_then([&] { return fine(slots, m_job.piece(done++, pieces)); });
        for (std::size_t rule = 0; rule < others.size() && added; ++rule)
            added = elsewhere(others[rule], m_job.piece(done++, pieces));
        if (added && m_asked.variants)
            added = withVariants(slots, m_job.piece(done++, pieces));
        if (added && m_asked.nonpersistent)
            added = addNonPersistent(slots, m_job.piece(done++, pieces));
        if (added && m_asked.savedSets)
            added = addSavedSets(m_job.piece(done, pieces));
        // If the search is stopped early, return the plans found so far.
        if (!added && added.error().kind != base::ErrorKind::Cancelled)
            return tl::unexpected{added.error()};
        return std::make_shared<const plan::Frontier>(std::move(m_frontier));
    }

private:
    /// Linearizes the step with both ways to charge for values that cross several cuts.
    base::Result<std::vector<LinearizedStep>> linearized(std::optional<CutRule> cuts) const
    {
        std::vector<LinearizedStep> steps;
        for (const Residuals residuals : {Residuals::EachCut, Residuals::FirstCut}) {
            ASSIGN_OR_RETURN(LinearizedStep step,
                             linearize(m_problem, *m_space, residuals, kMostStages, cuts));
            steps.push_back(std::move(step));
        }
        return steps;
    }

    /// Cuts between all ops rarely fit into the stage limit; cuts by another rule that spread
    /// evenly over the model may then give better plans.
    base::Result<void> elsewhere(CutRule cuts, const base::JobContext& job)
    {
        constexpr int kSlots = 128;
        ASSIGN_OR_RETURN(const std::vector<LinearizedStep> steps, linearized(cuts));
        RETURN_IF_ERROR(addSingleLevel(steps.front(), kSlots, job.piece(0, 3)));
        int done = 1;
        for (const LinearizedStep& step : steps)
            RETURN_IF_ERROR(addChain(step, kSlots, job.piece(done++, 3)));
        return {};
    }

    /// A coarse search with few stages: its plans are all that a search returns that is asked to
    /// stop before it begins, and they are deterministic.
    base::Result<void> coarse()
    {
        constexpr std::size_t kStages = 40;
        constexpr int kSlots = 24;
        return linearize(m_problem, *m_space, Residuals::EachCut, kStages)
            .and_then([&](const LinearizedStep& step) { return addChain(step, kSlots, m_look); });
    }

    /// Tries every resolution down to a few slots: which of two coarse ones rounds a chain better
    /// is chance, and doubling the slots must never give worse plans.
    base::Result<void> fine(int slots, const base::JobContext& job)
    {
        ASSIGN_OR_RETURN(const std::vector<LinearizedStep> steps, linearized({}));
        std::vector<int> resolutions;
        for (int count = slots; count >= kFewestSlots; count /= 2)
            resolutions.push_back(count);
        int done = 0;
        const int pieces = 1 + 2 * static_cast<int>(resolutions.size());
        RETURN_IF_ERROR(addSingleLevel(steps.front(), static_cast<std::size_t>(slots),
                                       job.piece(done++, pieces)));
        for (const int count : resolutions)
            for (const LinearizedStep& step : steps)
                RETURN_IF_ERROR(addChain(step, count, job.piece(done++, pieces)));
        return {};
    }

    base::Result<void> addKeepEverything()
    {
        plan::Plan plan = blank();
        if (m_asked.isCompiled)
            plan.decisions = plan::RecomputeSchedule{};
        return beginFrontier(m_frontier, m_problem, plan);
    }

    base::Result<void> addChain(const LinearizedStep& step, int slots, const base::JobContext& job,
                                const SavedByVariant& kept = {})
    {
        return visitSchedules(
            buildRotorTable, step.chain, slots, evenly, job, [&](const Sequence& sequence) {
                return add(step, regionTree(annotate(sequence, step.stages.size())),
                           wayRegions(step, sequence, kept));
            });
    }

    /// Tries stages of several ops with more variants than keeping all or nothing: the fewer stages
    /// there are, the more choices each has.
    base::Result<void> withVariants(int slots, const base::JobContext& job)
    {
        constexpr std::array<std::size_t, 4> kCounts{12, 24, 48, 96};
        int done = 0;
        for (const std::size_t most : kCounts)
            for (const Residuals residuals : {Residuals::EachCut, Residuals::FirstCut}) {
                ASSIGN_OR_RETURN(auto step, linearize(m_problem, *m_space, residuals, most));
                const SavedByVariant kept = addStageVariants(m_problem, step);
                RETURN_IF_ERROR(addChain(
                    step, slots, job.piece(done++, 2 * static_cast<int>(kCounts.size())), kept));
            }
        return {};
    }

    /// Starts from plans spread over the frontier and keeps ever more results in each: first up to
    /// its own peak, which costs nothing, then up to the peaks of other plans.
    base::Result<void> addSavedSets(const base::JobContext& job)
    {
        constexpr std::size_t kPlans = 24;
        constexpr std::size_t kPeaks = 8;
        const SavedSets sets{m_problem};
        const std::vector<plan::FrontierPoint> points = m_frontier.points(); // before it grows
        std::vector<std::size_t> order = evenly(points.size());
        order.resize(std::min(order.size(), kPlans));
        std::size_t done = 0;
        for (const std::size_t place : order) {
            plan::Plan plan = points[place]->plan();
            const std::size_t above = points.size() - place;
            for (std::size_t step = 0; step <= kPeaks && !job.stopRequested(); ++step) {
                const std::size_t limit =
                    std::min(place + above * step / kPeaks, points.size() - 1);
                plan = sets.fill(plan, points[limit]->evaluation().peak);
                RETURN_IF_ERROR(certifyAndInsert(plan));
            }
            job.report(++done, order.size());
        }
        return {};
    }

    base::Result<void> addNonPersistent(int slots, const base::JobContext& job)
    {
        return offerNonPersistent(m_problem, *m_space, slots, job,
                                  [this](std::vector<plan::RecomputeStep> rows) {
                                      plan::Plan plan = blank();
                                      plan.decisions = plan::RecomputeSchedule{std::move(rows)};
                                      return certifyAndInsert(plan);
                                  });
    }

    [[nodiscard]] plan::Plan blank() const
    {
        return {m_call.planner, m_call.options,
                plan::CheckpointRegions{m_asked.granularity, {}, m_asked.freezeStats}};
    }

    base::Result<void> addSingleLevel(const LinearizedStep& step, std::size_t most,
                                      const base::JobContext& job)
    {
        const std::vector<std::vector<Region>> found =
            singleLevelRegions(m_problem, step, job.piece(0, 2));
        const base::JobContext checking = job.piece(1, 2);
        std::vector<std::size_t> order = evenly(found.size());
        order.resize(std::min(order.size(), most));
        std::size_t done = 0;
        for (const std::size_t place : order) {
            if (job.stopRequested())
                return base::cancelled();
            RETURN_IF_ERROR(add(step, found[place]));
            checking.report(++done, order.size());
        }
        return {};
    }

    base::Result<void> add(const LinearizedStep& step, const std::vector<Region>& regions,
                           const std::vector<plan::Region>& more = {})
    {
        plan::Plan plan = blank();
        std::vector<plan::Region>& all = plan.asRegions().regions;
        all = regionsOf(step, regions);
        all.insert(all.end(), more.begin(), more.end());
        m_forced.addTo(all);
        Shape shape;
        describe(all, shape);
        if (!m_seen.insert(std::move(shape)).second)
            return {}; // already evaluated
        if (m_asked.isCompiled) {
            std::optional<std::vector<plan::RecomputeStep>> rows =
                stepRowsOf(all, *m_problem.step(), m_closure);
            if (!rows)
                return {};
            plan.decisions = plan::RecomputeSchedule{*std::move(rows)};
        }
        return certifyAndInsert(plan);
    }

    /// The regions of stages that use a variant other than the first. Such stages lie in no region
    /// of stages, since those contain recomputations.
    [[nodiscard]] std::vector<plan::Region> wayRegions(const LinearizedStep& step,
                                                       const Sequence& sequence,
                                                       const SavedByVariant& kept) const
    {
        std::vector<plan::Region> regions;
        for (const ChainOp op : sequence)
            if (op.variant > 0) {
                const auto stage = static_cast<std::size_t>(op.stage);
                regions.push_back(
                    m_space->region(step.stages[stage].first, step.stages[stage].last));
                regions.back().save = kept[stage][static_cast<std::size_t>(op.variant) - 1];
            }
        return regions;
    }

    base::Result<void> certifyAndInsert(const plan::Plan& plan)
    {
        if (std::ranges::any_of(plan.regions(), [](const plan::Region& region) {
                return plan::depthOf(region) > plan::kMostNested;
            }))
            return {};
        return solve::certifyAndInsert(m_frontier, m_problem, plan, m_listener);
    }

    [[nodiscard]] std::vector<plan::Region> regionsOf(const LinearizedStep& step,
                                                      const std::vector<Region>& regions) const
    {
        std::vector<plan::Region> planned;
        for (const Region& region : regions) {
            plan::Region target =
                m_space->region(step.stages[static_cast<std::size_t>(region.first)].first,
                                step.stages[static_cast<std::size_t>(region.last)].last);
            target.label = static_cast<int>(planned.size());
            target.nested = regionsOf(step, region.nested);
            // A region with the same bounds as its parent would only duplicate it.
            if (target.nested.size() == 1 && target.nested.front().first == target.first
                && target.nested.front().last == target.last)
                target.nested = std::move(target.nested.front().nested);
            planned.push_back(std::move(target));
        }
        return planned;
    }

    plan::Problem m_problem;
    plan::PlannerCall m_call;
    RotorPlannerOptions m_asked;
    const base::JobContext& m_job;
    base::JobContext m_look; ///< never stops if the search was to stop before it began
    const Listener& m_listener;
    std::unique_ptr<const RegionSpace> m_space;
    ForcedRegions m_forced;
    RecomputeClosure m_closure;
    std::set<Shape> m_seen;
    plan::Frontier m_frontier;
};

PlannerDescriptor descriptorOfRotor()
{
    const OptionRecord slots{.name = "slots",
                             .sentence = "Slots into which the chain's memory is divided; "
                                         "successive halves of this number are tried too.",
                             .lower = kFewestSlots,
                             .standard = 500,
                             .upper = 4000};
    const OptionRecord variants = switchRecord(
        "ways", "Stage variants",
        "Whether stages may also keep part of what they compute and recompute the rest.");
    const OptionRecord nonPersistent =
        switchRecord("nonpersistent", "Drop values in between",
                     "Whether schedules may drop a value while later stages keep theirs, and "
                     "recompute it in between: plans for the runtime step.");
    return {"rotor",
            "Rotor",
            "Checkpoints runs of modules or ops, nested where it pays: the optimal schedules of a "
            "chain, evaluated on the full graph.",
            {slots, granularityRecord(), variants, nonPersistent, savedSetsRecord(),
             freezeStatsRecord(), runtimeRecord()},
            "Rotor, optimal checkpointing of heterogeneous chains (arXiv 1911.13214), with the "
            "recurrence corrected.",
            {"Plans that no chain of stages has: a long skip connection turns all that it spans "
             "into one stage.",
             "Without nonpersistent: schedules that drop a value while later stages keep theirs.",
             "Moving values to the host."}};
}

class RotorPlanner final : public Planner
{
public:
    RotorPlanner() : Planner{descriptorOfRotor()} {}

private:
    [[nodiscard]] base::Result<plan::FrontierPtr> search(const plan::Problem& problem,
                                                         const Options& options,
                                                         const base::JobContext& job,
                                                         const Listener& listener) const override
    {
        RETURN_IF_ERROR(checkRuntime(descriptor(), options));
        return Search{problem, callOf(descriptor(), options),
                      RotorPlannerOptions{{descriptor(), options}}, job, listener}
            .run();
    }
};

} // namespace

std::unique_ptr<const Planner> makeRotorPlanner()
{
    return std::make_unique<const RotorPlanner>();
}

} // namespace plimsoll::solve
