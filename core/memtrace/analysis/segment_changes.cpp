// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/segment_changes.h"

#include <algorithm>

namespace plimsoll::memtrace {

namespace {

bool isOfSegment(Action action)
{
    return action == Action::SegmentAlloc || action == Action::SegmentFree
           || action == Action::SegmentMap || action == Action::SegmentUnmap;
}

} // namespace

SegmentChanges::SegmentChanges(const DeviceTrace& device)
{
    const auto add = [&](EventIndex event, const Segment& segment) {
        // Segments that are gone without an event end with the last one, whatever it is.
        if (event < device.eventCount() && isOfSegment(device.action(event)))
            m_entries.push_back({event, {segment.address, base::Bytes{segment.bytes}}});
    };
    for (const Segment& segment : device.segments()) {
        add(segment.begin, segment);
        add(segment.end, segment);
    }
    std::ranges::sort(m_entries, {}, &Entry::event);
    // An event may concern several pieces.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const Entry entry = m_entries[i];
        if (kept > 0 && m_entries[kept - 1].event == entry.event) {
            Change& change = m_entries[kept - 1].change;
            change.address = std::min(change.address, entry.change.address);
            change.bytes += entry.change.bytes;
        } else {
            m_entries[kept++] = entry;
        }
    }
    m_entries.resize(kept);
}

std::optional<SegmentChanges::Change> SegmentChanges::at(EventIndex event) const
{
    const auto found = std::ranges::lower_bound(m_entries, event, {}, &Entry::event);
    return found == m_entries.end() || found->event != event ? std::nullopt
                                                             : std::optional{found->change};
}

} // namespace plimsoll::memtrace
