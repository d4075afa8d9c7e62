// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/flag_frontier.h"

#include "core/solve/common/offer.h"

#include <utility>

namespace plimsoll::solve {

FlagFrontier::FlagFrontier(const plan::Problem& problem, const PlannerDescriptor& descriptor,
                           const Options& options)
    : m_problem{problem}
    , m_descriptor{descriptor}
    , m_options{options}
    , m_space{makeRegionSpace(*problem.program, plan::Granularity::Module)}
{
    m_problem.budget = plan::kUnlimited; // every setting is shown with the peak that it has
}

plan::Plan FlagFrontier::blank() const
{
    plan::Plan plan = plan::keepEverything();
    plan.planner = m_descriptor.id;
    plan.options = optionTexts(m_descriptor, m_options);
    plan.runtime = runtimeOf(m_descriptor, m_options);
    return plan;
}

base::Result<void> FlagFrontier::addUnplanned()
{
    return beginFrontier(m_frontier, m_problem, blank());
}

base::Result<void> FlagFrontier::addRegions(const std::vector<Siblings>& groups)
{
    plan::Plan plan = blank();
    for (const Siblings& group : groups) {
        plan::Region region;
        region.first = m_problem.program->call(group.front()).first;
        region.last = m_problem.program->call(group.back()).last;
        region.members = m_space->members(region.first, region.last);
        region.label = static_cast<int>(plan.regions.size());
        if (!region.members.empty())
            plan.regions.push_back(std::move(region));
    }
    return add(plan);
}

base::Result<void> FlagFrontier::add(const plan::Plan& plan)
{
    return offer(m_frontier, m_problem, plan);
}

plan::FrontierPtr FlagFrontier::take() &&
{
    return std::make_shared<const plan::Frontier>(std::move(m_frontier));
}

} // namespace plimsoll::solve
