// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/stacks.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace plimsoll::timeline {

namespace {

/// The largest total of any step.
std::int64_t largestTotal(const std::vector<Interval>& intervals, std::size_t stepCount)
{
    std::vector<std::int64_t> changes(stepCount + 1);
    for (const Interval& interval : intervals) {
        changes[interval.begin] += interval.bytes.count();
        changes[interval.end + 1] -= interval.bytes.count();
    }
    std::int64_t total = 0;
    std::int64_t largest = 0;
    for (const std::int64_t change : changes)
        largest = std::max(largest, total += change);
    return largest;
}

} // namespace

base::Bytes sumOf(const Stack& stack)
{
    base::Bytes sum;
    for (const base::Bytes bytes : stack)
        sum += bytes;
    return sum;
}

Stacks::Stacks(const std::vector<Interval>& intervals, std::size_t stepCount)
{
    std::uint64_t bits = 0;
    for (const Interval& interval : intervals)
        bits |= static_cast<std::uint64_t>(interval.bytes.count());
    m_shift = bits == 0 ? 0 : static_cast<unsigned>(std::countr_zero(bits));
    if (largestTotal(intervals, stepCount) >> m_shift <= std::numeric_limits<std::uint32_t>::max())
        m_small = rowsOf<std::uint32_t>(intervals, stepCount);
    else
        m_large = rowsOf<std::uint64_t>(intervals, stepCount);
}

/// Sums of unsigned units wrap around in between; the results are right.
template <typename Unit>
std::vector<Stacks::Row<Unit>> Stacks::rowsOf(const std::vector<Interval>& intervals,
                                              std::size_t stepCount) const
{
    std::vector<Row<Unit>> rows(stepCount);
    for (const Interval& interval : intervals) {
        const auto units =
            static_cast<Unit>(static_cast<std::uint64_t>(interval.bytes.count()) >> m_shift);
        rows[interval.begin][interval.layer] += units;
        if (interval.end + 1 < stepCount)
            rows[interval.end + 1][interval.layer] -= units;
    }
    Row<Unit> stack{};
    for (Row<Unit>& row : rows) {
        Unit total = 0;
        for (std::size_t layer = 0; layer < kMostLayers; ++layer)
            total += stack[layer] += row[layer];
        stack.back() = total;
        row = stack;
    }
    return rows;
}

} // namespace plimsoll::timeline
