// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/step_curve.h"

#include <algorithm>

namespace plimsoll::memtrace {

namespace {

auto after(const std::vector<StepCurve::Point>& points, std::size_t step)
{
    return std::upper_bound(points.begin(), points.end(), step,
                            [](std::size_t at, const StepCurve::Point& p) { return at < p.step; });
}

} // namespace

base::Bytes StepCurve::at(std::size_t step) const
{
    const auto next = after(m_points, step);
    return next == m_points.begin() ? base::Bytes{} : std::prev(next)->bytes;
}

base::Bytes StepCurve::largest() const
{
    base::Bytes largest;
    for (const Point& point : m_points)
        largest = std::max(largest, point.bytes);
    return largest;
}

base::Bytes StepCurve::largestIn(std::size_t begin, std::size_t end) const
{
    base::Bytes largest = at(begin);
    for (auto point = after(m_points, begin); point != m_points.end() && point->step < end; ++point)
        largest = std::max(largest, point->bytes);
    return largest;
}

} // namespace plimsoll::memtrace
