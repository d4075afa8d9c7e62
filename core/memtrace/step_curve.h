// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/memtrace/ids.h"

#include <cstddef>
#include <vector>

namespace plimsoll::memtrace {

/// Bytes that change at a few events only: a value for each of them.
class StepCurve
{
public:
    struct Point
    {
        std::uint32_t step = 0; ///< of DeviceTrace::axisTimes(): from this step on
        base::Bytes bytes;
        bool operator==(const Point&) const = default;
    };

    StepCurve() = default;
    /// Sorted by step, each step once.
    explicit StepCurve(std::vector<Point> points) : m_points{std::move(points)} {}

    [[nodiscard]] const std::vector<Point>& points() const { return m_points; }
    /// 0 before the first point.
    [[nodiscard]] base::Bytes at(std::size_t step) const;
    [[nodiscard]] base::Bytes largest() const;
    /// The largest value in [begin, end).
    [[nodiscard]] base::Bytes largestIn(std::size_t begin, std::size_t end) const;

private:
    std::vector<Point> m_points;
};

[[nodiscard]] StepCurve operator+(const StepCurve& a, const StepCurve& b);

} // namespace plimsoll::memtrace
