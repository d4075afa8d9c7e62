// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/capture.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plimsoll::capture {

/// Records that each have one time, in its order; what happened in one instant keeps the order of
/// the file.
template <typename Record>
[[nodiscard]] std::vector<const Record*> inTime(const std::vector<Record>& records)
{
    std::vector<const Record*> order;
    order.reserve(records.size());
    for (const Record& record : records)
        order.push_back(&record);
    std::ranges::stable_sort(order, {}, &Record::time);
    return order;
}

/// Calls a visitor with each record on memory, of CUPTI and of the driver, in the order of time.
template <typename Visitor>
void visitMemory(const Capture& capture, Visitor&& visit)
{
    const auto mappings = inTime(capture.mappings);
    std::size_t next = 0;
    for (const wire::Memory* memory : inTime(capture.memory)) {
        for (; next < mappings.size() && mappings[next]->time < memory->time; ++next)
            visit(*mappings[next]);
        visit(*memory);
    }
    for (; next < mappings.size(); ++next)
        visit(*mappings[next]);
}

} // namespace plimsoll::capture
