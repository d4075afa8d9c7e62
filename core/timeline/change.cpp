// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/change.h"

#include <algorithm>

namespace plimsoll::timeline {

Change changeBetween(const Timeline& timeline, std::size_t first, std::size_t last)
{
    const std::vector<Interval>& intervals = timeline.intervals();
    const auto startsBy = [](std::size_t step) {
        return [step](const Interval& interval) { return interval.begin <= step; };
    };
    const auto from = std::partition_point(intervals.begin(), intervals.end(), startsBy(first));
    const auto to = std::partition_point(from, intervals.end(), startsBy(last));
    Change change;
    for (auto interval = from; interval != to; ++interval)
        change.allocated += interval->bytes;
    change.difference = timeline.totalAt(last) - timeline.totalAt(first);
    change.freed = change.allocated - change.difference;
    return change;
}

} // namespace plimsoll::timeline
