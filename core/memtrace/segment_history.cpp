// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/segment_history.h"

#include <algorithm>
#include <utility>

namespace plimsoll::memtrace {

namespace {

std::uint64_t endOf(const Segment& segment)
{
    return segment.address + static_cast<std::uint64_t>(segment.bytes);
}

bool beginsBefore(const Segment& a, const Segment& b)
{
    // kNoEvent + 1 is 0: what was there before the recording comes first.
    return a.begin + 1 < b.begin + 1;
}

} // namespace

void SegmentHistory::splitAt(std::uint64_t address)
{
    auto after = m_live.upper_bound(address);
    if (after == m_live.begin())
        return;
    const std::size_t index = std::prev(after)->second;
    Segment& left = m_segments[index];
    if (left.address == address || endOf(left) <= address)
        return;
    Segment right = left;
    right.address = address;
    right.bytes = static_cast<std::int64_t>(endOf(left) - address);
    left.bytes -= right.bytes;
    m_live.emplace(address, m_segments.size());
    m_segments.push_back(right);
}

std::vector<AddressRange> SegmentHistory::gapsIn(const AddressRange& range) const
{
    std::vector<AddressRange> gaps;
    std::uint64_t at = range.begin;
    auto next = m_live.upper_bound(at);
    if (next != m_live.begin())
        at = std::max(at, endOf(m_segments[std::prev(next)->second]));
    for (; at < range.end && next != m_live.end() && next->first < range.end; ++next) {
        if (at < next->first)
            gaps.push_back({at, next->first});
        at = endOf(m_segments[next->second]);
    }
    if (at < range.end)
        gaps.push_back({at, range.end});
    return gaps;
}

void SegmentHistory::addBefore(const AddressRange& range, Segment segment, EventIndex end)
{
    segment.address = range.begin;
    segment.bytes = static_cast<std::int64_t>(range.end - range.begin);
    segment.begin = kNoEvent;
    segment.end = end;
    if (end == kNoEvent)
        m_live.emplace(segment.address, m_segments.size());
    m_segments.push_back(segment);
}

void SegmentHistory::reserve(EventIndex event, Segment segment)
{
    const AddressRange range{segment.address, endOf(segment)};
    // Live segments there are a fault of the recording: its newer event is believed.
    if (const auto next = m_live.lower_bound(range.begin);
        (next != m_live.end() && next->first < range.end)
        || (next != m_live.begin() && endOf(m_segments[std::prev(next)->second]) > range.begin))
        release(event, range, segment.place);
    segment.begin = event;
    segment.end = kNoEvent;
    m_seen.insert(segment.address);
    m_live.emplace(segment.address, m_segments.size());
    m_segments.push_back(segment);
}

bool SegmentHistory::release(EventIndex event, const AddressRange& range, PlaceId place)
{
    splitAt(range.begin);
    splitAt(range.end);
    const std::vector<AddressRange> gaps = gapsIn(range);
    bool found = false;
    for (auto at = m_live.lower_bound(range.begin); at != m_live.end() && at->first < range.end;) {
        m_segments[at->second].end = event;
        at = m_live.erase(at);
        found = true;
    }
    for (const AddressRange& gap : gaps) {
        // Reserved and released within the recording: released a second time.
        if (!m_seen.insert(gap.begin).second)
            continue;
        Segment segment;
        segment.place = place;
        addBefore(gap, segment, event);
        found = true;
    }
    return found;
}

std::size_t SegmentHistory::finish(const std::vector<Segment>& atEnd, EventIndex eventCount)
{
    for (const Segment& segment : atEnd) {
        const AddressRange range{segment.address, endOf(segment)};
        splitAt(range.begin);
        splitAt(range.end);
        for (const AddressRange& gap : gapsIn(range))
            addBefore(gap, segment, kNoEvent);
        for (auto at = m_live.lower_bound(range.begin); at != m_live.end() && at->first < range.end;
             ++at) {
            Segment& live = m_segments[at->second];
            live.isLarge = segment.isLarge;
            live.isExpandable = segment.isExpandable;
            live.place = segment.place;
        }
    }
    std::size_t ended = 0;
    for (auto at = m_live.begin(); at != m_live.end();) {
        Segment& live = m_segments[at->second];
        const auto after = std::upper_bound(
            atEnd.begin(), atEnd.end(), live.address,
            [](std::uint64_t address, const Segment& s) { return address < s.address; });
        const bool isThere = after != atEnd.begin() && endOf(*std::prev(after)) > live.address;
        if (isThere || eventCount == 0) {
            ++at;
            continue;
        }
        live.end = eventCount - 1;
        ++ended;
        at = m_live.erase(at);
    }
    return ended;
}

std::vector<Segment> SegmentHistory::take() &&
{
    std::stable_sort(m_segments.begin(), m_segments.end(), beginsBefore);
    m_segments.shrink_to_fit();
    return std::move(m_segments);
}

StepCurve reservedCurve(const std::vector<Segment>& segments)
{
    std::map<std::uint32_t, std::int64_t> changes;
    for (const Segment& segment : segments) {
        changes[segment.begin + 1] += segment.bytes; // kNoEvent + 1 is step 0
        if (segment.end != kNoEvent)
            changes[segment.end + 1] -= segment.bytes;
    }
    std::vector<StepCurve::Point> points;
    points.reserve(changes.size());
    std::int64_t total = 0;
    for (const auto& [step, change] : changes)
        if (change != 0)
            points.push_back({step, base::Bytes{total += change}});
    return StepCurve{std::move(points)};
}

} // namespace plimsoll::memtrace
