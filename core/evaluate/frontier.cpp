// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/frontier.h"

#include <algorithm>
#include <utility>

namespace plimsoll::plan {

namespace {

base::Bytes peakOf(const VerifiedPlanPtr& plan)
{
    return plan->evaluation().peak;
}

base::Nanoseconds timeOf(const VerifiedPlanPtr& plan)
{
    return plan->evaluation().stepTime;
}

} // namespace

bool Frontier::improvedBy(const Evaluation& evaluation) const
{
    const VerifiedPlanPtr within = at(evaluation.peak);
    return !within || evaluation.stepTime < timeOf(within);
}

void Frontier::insert(VerifiedPlanPtr plan)
{
    if (!improvedBy(plan->evaluation()))
        return;
    const auto after = std::upper_bound(
        m_points.begin(), m_points.end(), peakOf(plan),
        [](base::Bytes peak, const VerifiedPlanPtr& point) { return peak < peakOf(point); });
    const auto at = after != m_points.begin() && peakOf(*std::prev(after)) == peakOf(plan)
                        ? std::prev(after)
                        : after;
    const auto slower = std::find_if(at, m_points.end(), [&](const VerifiedPlanPtr& point) {
        return timeOf(point) < timeOf(plan);
    });
    const auto position = m_points.erase(at, slower);
    m_points.insert(position, std::move(plan));
}

VerifiedPlanPtr Frontier::at(base::Bytes budget) const
{
    const auto after = std::upper_bound(
        m_points.begin(), m_points.end(), budget,
        [](base::Bytes limit, const VerifiedPlanPtr& point) { return limit < peakOf(point); });
    return after == m_points.begin() ? nullptr : *std::prev(after);
}

std::vector<ProgressPoint> progressPoints(const Frontier& frontier)
{
    std::vector<ProgressPoint> points;
    points.reserve(frontier.points().size());
    for (const VerifiedPlanPtr& point : frontier.points())
        points.push_back({point->evaluation().peak, point->evaluation().stepTime});
    return points;
}

} // namespace plimsoll::plan
