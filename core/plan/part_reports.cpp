// SPDX-License-Identifier: Apache-2.0
#include "core/plan/part_reports.h"

#include "core/plan/frontier.h"

namespace plimsoll::plan {

std::vector<PartPoint> partPoints(const Frontier& frontier)
{
    std::vector<PartPoint> points;
    points.reserve(frontier.points().size());
    for (const VerifiedPlanPtr& point : frontier.points())
        points.push_back({point->evaluation().peak, point->evaluation().stepTime});
    return points;
}

std::vector<PartReport> PartReports::read() const
{
    const std::scoped_lock lock{m_mutex};
    return m_parts;
}

void PartReports::change(std::size_t part, const std::function<void(PartReport&)>& how)
{
    const std::scoped_lock lock{m_mutex};
    how(m_parts.at(part));
}

} // namespace plimsoll::plan
