// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/step_curve.h"

#include <algorithm>
#include <utility>

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

StepCurve operator+(const StepCurve& a, const StepCurve& b)
{
    std::vector<StepCurve::Point> sum;
    sum.reserve(a.points().size() + b.points().size());
    auto left = a.points().begin();
    auto right = b.points().begin();
    base::Bytes ofLeft;
    base::Bytes ofRight;
    while (left != a.points().end() || right != b.points().end()) {
        const std::uint32_t step = std::min(left != a.points().end() ? left->step : right->step,
                                            right != b.points().end() ? right->step : left->step);
        if (left != a.points().end() && left->step == step)
            ofLeft = (left++)->bytes;
        if (right != b.points().end() && right->step == step)
            ofRight = (right++)->bytes;
        sum.push_back({step, ofLeft + ofRight});
    }
    return StepCurve{std::move(sum)};
}

} // namespace plimsoll::memtrace
