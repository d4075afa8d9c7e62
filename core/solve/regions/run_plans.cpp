// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/run_plans.h"

#include "core/base/try.h"
#include "core/solve/api/certify_and_insert.h"
#include "core/solve/regions/region_space.h"

#include <algorithm>
#include <utility>

namespace plimsoll::solve {

RunPlans::RunPlans(const plan::Problem& problem, const PlannerDescriptor& descriptor,
                   const Options& options)
    : m_problem{problem}
    , m_descriptor{descriptor}
    , m_options{options}
    , m_space{makeRegionSpace(problem, plan::Granularity::Module)}
{
    m_problem.budget = plan::kUnlimited; // judge proposals by their own peak
}

plan::Plan RunPlans::blank() const
{
    plan::Plan plan = plan::keepEverything(runtimeOf(m_descriptor, m_options));
    plan.planner = m_descriptor.id;
    plan.options = callOf(m_descriptor, m_options).options;
    if (!plan.isCompiledStep())
        plan.asRegions().freezeStats = options().get<bool>("freeze-stats");
    return plan;
}

base::Result<void> RunPlans::addUnplanned()
{
    const plan::Plan unplanned = blank();
    if (!unplanned.isCompiledStep())
        RETURN_IF_ERROR(takesRegions(*m_problem.step()));
    return beginFrontier(m_frontier, m_problem, unplanned);
}

const std::vector<graph::OpIndex>& RunPlans::endsFrom(graph::OpIndex first)
{
    const auto [at, isNew] = m_ends.try_emplace(first);
    if (isNew)
        at->second = m_space->endsFrom(first);
    return at->second;
}

void RunPlans::addRegions(const std::vector<OpRun>& pieces, plan::Plan& plan)
{
    for (std::size_t begin = 0; begin < pieces.size();) {
        const std::vector<graph::OpIndex>& ends = endsFrom(pieces[begin].first);
        std::size_t end = pieces.size();
        while (end > begin && !std::binary_search(ends.begin(), ends.end(), pieces[end - 1].last))
            --end;
        if (end == begin) {
            ++begin;
            continue;
        }
        plan::Region region = m_space->region(pieces[begin].first, pieces[end - 1].last);
        region.label = static_cast<int>(plan.regions().size());
        plan.asRegions().regions.push_back(std::move(region));
        begin = end;
    }
}

base::Result<void> RunPlans::addRuns(const std::vector<std::vector<OpRun>>& groups)
{
    plan::Plan plan = blank();
    for (const std::vector<OpRun>& pieces : groups)
        addRegions(pieces, plan);
    return plan.regions().empty() ? base::Result<void>{} : add(plan);
}

base::Result<void> RunPlans::add(const plan::Plan& plan)
{
    return certifyAndInsert(m_frontier, m_problem, plan);
}

plan::FrontierPtr RunPlans::take() &&
{
    return std::make_shared<const plan::Frontier>(std::move(m_frontier));
}

namespace {

class RunPlanner final : public Planner
{
public:
    RunPlanner(PlannerDescriptor descriptor, Proposer propose)
        : Planner{std::move(descriptor)}, m_propose{std::move(propose)}
    {
    }

private:
    [[nodiscard]] base::Result<plan::FrontierPtr>
    search(const plan::Problem& problem, const Options& options, const base::JobContext& job,
           const Listener& /*listener*/) const override
    {
        RunPlans plans{problem, descriptor(), options};
        RETURN_IF_ERROR(plans.addUnplanned());
        if (!job.stopRequested())
            RETURN_IF_ERROR(m_propose(problem, plans, job));
        return std::move(plans).take();
    }

    Proposer m_propose;
};

} // namespace

std::unique_ptr<const Planner> makeRunPlanner(PlannerDescriptor descriptor, Proposer propose)
{
    return std::make_unique<const RunPlanner>(std::move(descriptor), std::move(propose));
}

} // namespace plimsoll::solve
