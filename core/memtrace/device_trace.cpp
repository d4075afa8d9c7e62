// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/device_trace.h"

#include "core/memtrace/segment_history.h"

#include <algorithm>
#include <utility>

namespace plimsoll::memtrace {

const char* actionName(Action action)
{
    switch (action) {
    case Action::Alloc: return "alloc";
    case Action::FreeRequested: return "free_requested";
    case Action::FreeCompleted: return "free_completed";
    case Action::Free: return "free";
    case Action::SegmentAlloc: return "segment_alloc";
    case Action::SegmentFree: return "segment_free";
    case Action::SegmentMap: return "segment_map";
    case Action::SegmentUnmap: return "segment_unmap";
    case Action::OutOfMemory: return "oom";
    case Action::Snapshot: return "snapshot";
    case Action::Annotate: return "annotate";
    case Action::Other: break;
    }
    return "other";
}

DeviceTrace::DeviceTrace(DeviceColumns columns)
    : m_columns{std::move(columns)}
    , m_reserved{m_columns.reservedTotals.empty() ? reservedCurve(m_columns.segments)
                                                  : StepCurve{m_columns.reservedTotals}}
    , m_foreign{m_columns.foreign}
{
    m_recordedCount =
        eventCount() == 0 ? 0 : shownIndex(static_cast<EventIndex>(eventCount() - 1)) + 1;
}

std::uint64_t DeviceTrace::foldedBefore(EventIndex event) const
{
    const std::size_t block = event / DeviceColumns::kRankBlock;
    std::uint64_t folded = m_columns.foldedBefore[block];
    for (std::size_t i = block * DeviceColumns::kRankBlock; i < event; ++i)
        folded += m_columns.actions[i] == Action::Free ? 1U : 0U;
    return folded;
}

std::uint64_t DeviceTrace::recordedIndex(EventIndex event) const
{
    return event + foldedBefore(event);
}

EventIndex DeviceTrace::eventAtRecorded(std::uint64_t index) const
{
    EventIndex begin = 0;
    for (auto count = static_cast<EventIndex>(eventCount()); count > 1;) {
        const EventIndex half = count / 2;
        const bool isAfter = recordedIndex(begin + half) > index;
        begin += isAfter ? 0 : half;
        count = isAfter ? half : count - half;
    }
    return begin;
}

EventIndex DeviceTrace::freeRequested(AllocationId allocation) const
{
    const auto wanted = static_cast<std::uint32_t>(allocation.index());
    const auto at = std::lower_bound(
        m_columns.pendingFrees.begin(), m_columns.pendingFrees.end(), wanted,
        [](const PendingFree& free, std::uint32_t value) { return free.allocation < value; });
    if (at != m_columns.pendingFrees.end() && at->allocation == wanted)
        return at->requested;
    const EventIndex freed = m_columns.allocations.freeEvent[allocation.index()];
    return freed != kNoEvent && m_columns.actions[freed] != Action::FreeCompleted ? freed
                                                                                  : kNoEvent;
}

} // namespace plimsoll::memtrace
