// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/frontier.h"

#include <algorithm>
#include <utility>

namespace plimsoll::plan {

namespace {

base::Bytes peakOf(const FrontierPoint& point)
{
    return point->evaluation().peak;
}

base::Nanoseconds timeOf(const FrontierPoint& point)
{
    return point->evaluation().stepTime;
}

} // namespace

FrontierPoint::FrontierPoint(VerifiedPlanPtr verified) : plan{std::move(verified)}
{
    if (plan)
        provenance = std::make_shared<const Provenance>(
            Provenance{{plan->plan().planner, plan->plan().options}});
}

FrontierPoint::FrontierPoint(VerifiedPlanPtr verified, std::shared_ptr<const Provenance> from)
    : plan{std::move(verified)}, provenance{std::move(from)}
{
}

bool Frontier::improvedBy(const Evaluation& evaluation) const
{
    const FrontierPoint within = at(evaluation.peak);
    return !within || evaluation.stepTime < timeOf(within);
}

void Frontier::insert(FrontierPoint point)
{
    if (!improvedBy(point->evaluation()))
        return;
    const auto after = std::ranges::upper_bound(m_points, peakOf(point), {}, peakOf);
    const auto at = after != m_points.begin() && peakOf(*std::prev(after)) == peakOf(point)
                        ? std::prev(after)
                        : after;
    const auto slower = std::find_if(at, m_points.end(), [&](const FrontierPoint& other) {
        return timeOf(other) < timeOf(point);
    });
    const auto position = m_points.erase(at, slower);
    m_points.insert(position, std::move(point));
}

FrontierPoint Frontier::at(base::Bytes budget) const
{
    const auto after = std::ranges::upper_bound(m_points, budget, {}, peakOf);
    return after == m_points.begin() ? FrontierPoint{} : *std::prev(after);
}

std::vector<FrontierPoint> Frontier::candidates() const
{
    std::vector<FrontierPoint> plans = m_points;
    plans.insert(plans.end(), m_dominated.begin(), m_dominated.end());
    std::ranges::stable_sort(plans, [](const FrontierPoint& a, const FrontierPoint& b) {
        return std::pair{timeOf(a), peakOf(a)} > std::pair{timeOf(b), peakOf(b)};
    });
    return plans;
}

ProgressPoint progressPoint(const VerifiedPlan& plan)
{
    return {plan.evaluation().peak, plan.evaluation().stepTime};
}

std::vector<ProgressPoint> progressPoints(const Frontier& frontier)
{
    std::vector<ProgressPoint> points;
    points.reserve(frontier.points().size());
    for (const FrontierPoint& point : frontier.points())
        points.push_back(progressPoint(*point));
    return points;
}

} // namespace plimsoll::plan
