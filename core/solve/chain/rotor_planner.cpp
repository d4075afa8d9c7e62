// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor_planner.h"

#include "core/solve/chain/annotation.h"
#include "core/solve/chain/rotor.h"
#include "core/solve/common/linearize.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

namespace plimsoll::solve {

namespace {

/// Bytes that no plan can exceed: proposals are judged by their own peak, not by a budget.
constexpr base::Bytes kUnlimited{std::int64_t{1} << 62};

/// How finely one chain is searched.
struct Effort
{
    int slots = 0;
    std::size_t plans = 0; ///< at most so many are evaluated on the full graph
};

/// Collects the verified plans of one problem.
class Search
{
public:
    Search(const plan::Problem& problem, const PlannerDescriptor& descriptor,
           const Options& options, const base::JobContext& job)
        : m_problem{problem}
        , m_descriptor{descriptor}
        , m_options{options}
        , m_job{job}
        , m_finder{*problem.program}
    {
        m_problem.budget = kUnlimited;
    }

    base::Result<plan::FrontierPtr> run() &&;

private:
    base::Result<plan::Frontier> coarse();
    base::Result<void> addKeepEverything();
    base::Result<void> addChain(const LinearizedStep& step, const Effort& effort,
                                const base::JobContext& job);
    [[nodiscard]] plan::VerifiedPlanPtr planOf(const LinearizedStep& step,
                                               const Sequence& sequence) const;
    [[nodiscard]] std::vector<plan::Region> regionsOf(const LinearizedStep& step,
                                                      const std::vector<Region>& regions) const;

    plan::Problem m_problem;
    const PlannerDescriptor& m_descriptor;
    const Options& m_options;
    const base::JobContext& m_job;
    RegionFinder m_finder;
    std::map<std::string, plan::VerifiedPlanPtr> m_known; ///< by sequence of the full chain
    plan::Frontier m_frontier;
};

std::vector<plan::Region> Search::regionsOf(const LinearizedStep& step,
                                            const std::vector<Region>& regions) const
{
    std::vector<plan::Region> planned;
    for (const Region& region : regions) {
        plan::Region target;
        target.first = step.stages[static_cast<std::size_t>(region.first)].first;
        target.last = step.stages[static_cast<std::size_t>(region.last)].last;
        target.members = m_finder.members(target.first, target.last);
        target.label = static_cast<int>(planned.size());
        target.nested = regionsOf(step, region.nested);
        // A region within the same bounds as its parent would only repeat it.
        if (target.nested.size() == 1 && target.nested.front().first == target.first
            && target.nested.front().last == target.last)
            target.nested = std::move(target.nested.front().nested);
        planned.push_back(std::move(target));
    }
    return planned;
}

plan::VerifiedPlanPtr Search::planOf(const LinearizedStep& step, const Sequence& sequence) const
{
    plan::Plan plan;
    plan.planner = m_descriptor.id;
    plan.options = optionTexts(m_descriptor, m_options);
    plan.regions = regionsOf(step, regionTree(annotate(sequence, step.stages.size())));
    // A proposal that fails the check is no plan; the others stand without it.
    return plan::certify(m_problem, plan).value_or(nullptr);
}

base::Result<void> Search::addKeepEverything()
{
    plan::Plan plan = plan::keepEverything();
    plan.planner = m_descriptor.id;
    plan.options = optionTexts(m_descriptor, m_options);
    base::Result<plan::VerifiedPlanPtr> verified = plan::certify(m_problem, plan);
    if (!verified)
        return tl::unexpected{verified.error()};
    m_frontier.insert(*std::move(verified));
    return {};
}

/// Positions 0..count-1, the ends and the middle first: whatever part of them was visited lies
/// evenly over the whole.
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

base::Result<void> Search::addChain(const LinearizedStep& step, const Effort& effort,
                                    const base::JobContext& job)
{
    const base::Result<Simulation> everything =
        simulate(step.chain, keepEverything(step.stages.size()));
    if (!everything)
        return tl::unexpected{everything.error()};
    RotorOptions options;
    options.slots = effort.slots;
    const base::Result<RotorTable> table =
        RotorTable::build(step.chain, everything->peak, options, job.piece(0, 2));
    if (!table)
        return tl::unexpected{table.error()};
    const std::vector<ChainFrontierPoint> points = table->frontier();
    const std::size_t stride =
        std::max<std::size_t>(1, (points.size() + effort.plans - 1) / effort.plans);
    std::vector<plan::VerifiedPlanPtr> found((points.size() + stride - 1) / stride);
    const base::JobContext checking = job.piece(1, 2);
    std::size_t done = 0;
    for (const std::size_t place : evenly(found.size())) {
        if (job.stopRequested())
            break;
        if (const auto sequence = table->sequence(points[place * stride].budget)) {
            const auto [entry, isNew] = m_known.try_emplace(sequenceText(*sequence));
            if (isNew)
                entry->second = planOf(step, *sequence);
            found[place] = entry->second;
        }
        checking.report(++done, found.size());
    }
    // In order of the budgets, however they were visited: of equal plans the first one stays.
    for (const plan::VerifiedPlanPtr& plan : found)
        if (plan)
            m_frontier.insert(plan);
    return job.stopRequested() ? base::Result<void>{base::cancelled()} : base::Result<void>{};
}

/// Few stages, few plans: done in a moment, so it is never stopped. Whoever stops the search early
/// gets at least these plans, and always the same ones.
base::Result<plan::Frontier> Search::coarse()
{
    constexpr std::size_t kStages = 40;
    constexpr Effort kEffort{.slots = 200, .plans = 16};
    const base::Result<LinearizedStep> step =
        linearize(m_problem, m_finder, Residuals::EachCut, kStages);
    if (!step)
        return tl::unexpected{step.error()};
    if (const base::Result<void> added = addChain(*step, kEffort, {}); !added)
        return tl::unexpected{added.error()};
    m_known.clear(); // other stages give the same words another meaning
    return std::exchange(m_frontier, {});
}

base::Result<plan::FrontierPtr> Search::run() &&
{
    base::Result<plan::Frontier> rough = coarse();
    if (!rough)
        return tl::unexpected{rough.error()};
    if (const base::Result<void> added = addKeepEverything(); !added)
        return tl::unexpected{added.error()};
    // Of a chain with more plans neighbours differ by less than a percent.
    const Effort effort{.slots = static_cast<int>(optionValue(m_descriptor, m_options, "slots")),
                        .plans = 160};
    int pass = 0;
    for (const Residuals residuals : {Residuals::EachCut, Residuals::FirstCut}) {
        if (m_job.stopRequested())
            break; // what is there is good
        const base::Result<void> added =
            linearize(m_problem, m_finder, residuals).and_then([&](const LinearizedStep& step) {
                return addChain(step, effort, m_job.piece(pass++, 2));
            });
        if (!added && added.error().kind != base::ErrorKind::Cancelled)
            return tl::unexpected{added.error()};
    }
    // The rough plans come last: they stay only where they are better.
    for (const plan::VerifiedPlanPtr& plan : rough->points())
        m_frontier.insert(plan);
    return std::make_shared<const plan::Frontier>(std::move(m_frontier));
}

class RotorPlanner final : public Planner
{
public:
    [[nodiscard]] const PlannerDescriptor& descriptor() const override { return m_descriptor; }

    [[nodiscard]] base::Result<plan::FrontierPtr>
    frontier(const plan::Problem& problem, const Options& options,
             const base::JobContext& job) const override
    {
        if (const base::Result<void> checked = checkOptions(m_descriptor, options); !checked)
            return tl::unexpected{checked.error()};
        return Search{problem, m_descriptor, options, job}.run();
    }

private:
    PlannerDescriptor m_descriptor{
        "rotor",
        "Rotor",
        "Checkpoints runs of modules, nested where it pays: the optimal schedules of a chain, "
        "evaluated on the full graph.",
        {{"slots", "Steps into which the chain's memory is divided.", 16, 500, 4000}}};
};

} // namespace

std::unique_ptr<const Planner> makeRotorPlanner()
{
    return std::make_unique<const RotorPlanner>();
}

} // namespace plimsoll::solve
