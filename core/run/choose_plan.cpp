// SPDX-License-Identifier: Apache-2.0
#include "core/run/choose_plan.h"

#include "core/base/try.h"

#include <algorithm>
#include <vector>

namespace plimsoll::run {

namespace {

using plan::FrontierPoint;

struct Found
{
    std::size_t place = 0;
    RunStatus status = RunStatus::Fails;
};

/// The statuses of plans, fastest first, as far as they are asked for.
class Search
{
public:
    Search(const plan::Frontier& frontier, const allocator::AllocatorSettings& settings,
           base::Bytes budget, const base::JobContext& context)
        : m_settings{settings}, m_budget{budget}, m_context{context}
    {
        for (const FrontierPoint& point : frontier.candidates())
            if (point->evaluation().peak <= budget)
                m_within.push_back(point);
        std::ranges::reverse(m_within);
    }

    [[nodiscard]] const std::vector<FrontierPoint>& within() const { return m_within; }
    /// The place of a plan that is within the budget.
    [[nodiscard]] std::size_t placeOf(const FrontierPoint& plan) const
    {
        return static_cast<std::size_t>(std::ranges::find(m_within, plan) - m_within.begin());
    }
    [[nodiscard]] std::size_t countFasterThan(const FrontierPoint& plan) const
    {
        const auto isFaster = [&plan](const FrontierPoint& other) {
            return other->evaluation().stepTime < plan->evaluation().stepTime;
        };
        return static_cast<std::size_t>(std::ranges::count_if(m_within, isFaster));
    }
    /// The plan to take, looking at the first `count` from `begin` on; the fastest is looked at
    /// always.
    [[nodiscard]] base::Result<Found> choose(std::size_t begin, std::size_t count);
    /// Of the fastest.
    [[nodiscard]] RunStatus first() const { return m_first; }

private:
    const allocator::AllocatorSettings& m_settings;
    base::Bytes m_budget;
    const base::JobContext& m_context;
    std::vector<FrontierPoint> m_within; ///< fastest first
    RunStatus m_first = RunStatus::Fails;
};

base::Result<Found> Search::choose(std::size_t begin, std::size_t count)
{
    std::optional<std::size_t> flushing;
    for (std::size_t i = 0; i < count; i = i == 0 ? std::max<std::size_t>(begin, 1) : i + 1) {
        m_context.report(i, count);
        ASSIGN_OR_RETURN(const RunStatus status,
                         runStatus(*m_within[i], m_settings, m_budget, m_context));
        if (i == 0)
            m_first = status;
        if (status == RunStatus::Runs)
            return Found{i, status};
        if (status == RunStatus::RunsWithFlushes && !flushing)
            flushing = i;
    }
    return flushing ? Found{*flushing, RunStatus::RunsWithFlushes} : Found{0, RunStatus::Fails};
}

/// What expandable segments make of a choice without them, if that is better.
base::Result<std::optional<ExpandableChoice>>
withExpandable(const plan::Frontier& frontier, allocator::AllocatorSettings settings,
               base::Bytes budget, const PlanChoice& choice, const base::JobContext& context)
{
    const RunStatus status = choice.verdict->status;
    if (settings.expandableSegments || (status == RunStatus::Runs && !choice.passedOver))
        return std::nullopt;
    settings.expandableSegments = true;
    Search search{frontier, settings, budget, context};
    ASSIGN_OR_RETURN(const Found found, search.choose(0, search.within().size()));
    const FrontierPoint& plan = search.within()[found.place];
    const bool isFaster = plan->evaluation().stepTime < choice.plan->evaluation().stepTime;
    if (found.status > status || (found.status == status && !isFaster)
        || found.status == RunStatus::Fails)
        return std::nullopt;
    return ExpandableChoice{plan, found.status};
}

} // namespace

base::Result<PlanChoice> choosePlan(const plan::Frontier& frontier,
                                    const allocator::AllocatorSettings& settings,
                                    base::Bytes budget, Prefer prefer,
                                    const base::JobContext& context, const ReservedTablePtr& known)
{
    Search search{frontier, settings, budget, context};
    const std::vector<FrontierPoint>& within = search.within();
    if (within.empty())
        return PlanChoice{};
    const std::optional<std::size_t> told =
        known && !settings.expandableSegments ? known->fastestWithin(budget) : std::nullopt;
    ASSIGN_OR_RETURN(const Found found,
                     search.choose(told ? search.placeOf(known->plans[*told]) : 0,
                                   prefer == Prefer::Runs ? within.size() : 1));
    const FrontierPoint& chosen = within[found.place];
    PlanChoice choice;
    ASSIGN_OR_RETURN(choice.plan.plan, plan::withBudget(*chosen, budget));
    choice.plan.provenance = chosen.provenance;
    ASSIGN_OR_RETURN(choice.verdict, willRun(*choice.plan, settings, budget, context));
    if (const std::size_t faster = search.countFasterThan(chosen); faster > 0)
        choice.passedOver = PassedOver{faster, within.front(), search.first()};
    if (prefer == Prefer::Runs) {
        ASSIGN_OR_RETURN(choice.expandable,
                         withExpandable(frontier, settings, budget, choice, context));
    }
    return choice;
}

} // namespace plimsoll::run
