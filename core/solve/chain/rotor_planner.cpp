// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor_planner.h"

#include "core/solve/chain/annotation.h"
#include "core/solve/chain/rotor.h"
#include "core/solve/common/linearize.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace plimsoll::solve {

namespace {

/// Bytes that no plan can exceed: proposals are judged by their own peak, not by a budget.
constexpr base::Bytes kUnlimited{std::int64_t{1} << 62};

/// Collects the verified plans of one problem.
class Search
{
public:
    Search(const plan::Problem& problem, const Options& options, const base::JobContext& job)
        : m_problem{problem}, m_options{options}, m_job{job}, m_finder{*problem.program}
    {
        m_problem.budget = kUnlimited;
    }

    base::Result<plan::FrontierPtr> run(const PlannerDescriptor& descriptor) &&;

private:
    base::Result<void> addKeepEverything();
    base::Result<void> addChain(Residuals residuals, int slots, std::size_t pass);
    void addPlan(const LinearizedStep& step, const Sequence& sequence);
    [[nodiscard]] std::vector<plan::Region> regionsOf(const LinearizedStep& step,
                                                      const std::vector<Region>& regions) const;

    plan::Problem m_problem;
    const Options& m_options;
    const base::JobContext& m_job;
    RegionFinder m_finder;
    std::set<std::string> m_seen; ///< sequences tried, as text
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

void Search::addPlan(const LinearizedStep& step, const Sequence& sequence)
{
    if (!m_seen.insert(sequenceText(sequence)).second)
        return;
    plan::Plan plan;
    plan.planner = "rotor";
    for (const auto& [name, value] : m_options)
        plan.options.emplace_back(name, std::to_string(value));
    plan.regions = regionsOf(step, regionTree(annotate(sequence, step.stages.size())));
    // A proposal that fails the check is no plan; the others stand without it.
    if (base::Result<plan::VerifiedPlanPtr> verified = plan::certify(m_problem, plan))
        m_frontier.insert(*std::move(verified));
}

base::Result<void> Search::addKeepEverything()
{
    plan::Plan plan = plan::keepEverything();
    plan.planner = "rotor";
    base::Result<plan::VerifiedPlanPtr> verified = plan::certify(m_problem, plan);
    if (!verified)
        return tl::unexpected{verified.error()};
    m_frontier.insert(*std::move(verified));
    return {};
}

base::Result<void> Search::addChain(Residuals residuals, int slots, std::size_t pass)
{
    constexpr std::size_t kMostPlans =
        160; // of one chain; neighbours differ by less than a percent
    const base::Result<LinearizedStep> step = linearize(m_problem, m_finder, residuals);
    if (!step)
        return tl::unexpected{step.error()};
    const base::Result<Simulation> everything =
        simulate(step->chain, keepEverything(step->stages.size()));
    if (!everything)
        return tl::unexpected{everything.error()};
    RotorOptions options;
    options.slots = slots;
    const base::Result<RotorTable> table =
        RotorTable::build(step->chain, everything->peak, options, m_job);
    if (!table)
        return tl::unexpected{table.error()};
    const std::vector<ChainFrontierPoint> points = table->frontier();
    const std::size_t stride =
        std::max<std::size_t>(1, (points.size() + kMostPlans - 1) / kMostPlans);
    for (std::size_t i = 0; i < points.size(); i += stride) {
        if (m_job.stopRequested())
            return base::cancelled();
        if (const base::Result<Sequence> sequence = table->sequence(points[i].budget))
            addPlan(*step, *sequence);
        m_job.report(pass * points.size() + i, 2 * points.size());
    }
    return {};
}

base::Result<plan::FrontierPtr> Search::run(const PlannerDescriptor& descriptor) &&
{
    if (const base::Result<void> added = addKeepEverything(); !added)
        return tl::unexpected{added.error()};
    const int slots = static_cast<int>(optionValue(descriptor, m_options, "slots"));
    std::size_t pass = 0;
    for (const Residuals residuals : {Residuals::EachCut, Residuals::FirstCut}) {
        const base::Result<void> added = addChain(residuals, slots, pass++);
        if (!added && added.error().kind == base::ErrorKind::Cancelled)
            break; // what is there is good
        if (!added)
            return tl::unexpected{added.error()};
    }
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
        return Search{problem, options, job}.run(m_descriptor);
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
