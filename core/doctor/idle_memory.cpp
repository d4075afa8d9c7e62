// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/idle_memory.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace plimsoll::doctor {

namespace {

using base::Bytes;
using memtrace::Action;
using memtrace::DeviceTrace;
using memtrace::EventIndex;
using memtrace::kNoEvent;
using memtrace::Segment;

constexpr Bytes kMostSmall{base::kMiB}; ///< requests up to it have pools of their own
constexpr std::uint64_t kBlock = 512;   ///< to which the allocator rounds up at least

bool changesMemory(Action action)
{
    return action < Action::OutOfMemory;
}

bool isLastState(const DeviceTrace& device, std::size_t step)
{
    for (std::size_t event = step; event < device.eventCount(); ++event)
        if (changesMemory(device.action(static_cast<EventIndex>(event))))
            return false;
    return device.hasEnd() && !device.endBlocks().empty();
}

/// Segments that are reserved during a step, by address. What lies side by side in an expandable
/// segment was mapped piece by piece, and is one.
std::vector<Segment> segmentsAt(const DeviceTrace& device, std::size_t step)
{
    std::vector<Segment> found;
    for (const Segment& segment : device.segments())
        if (segment.begin + std::size_t{1} <= step || segment.begin == kNoEvent)
            if (segment.end == kNoEvent || segment.end >= step)
                found.push_back(segment);
    std::sort(found.begin(), found.end(),
              [](const Segment& a, const Segment& b) { return a.address < b.address; });
    std::vector<Segment> joined;
    for (const Segment& segment : found) {
        const bool continues =
            !joined.empty() && segment.isExpandable && joined.back().isExpandable
            && joined.back().place == segment.place
            && joined.back().address + static_cast<std::uint64_t>(joined.back().bytes)
                   == segment.address;
        if (continues)
            joined.back().bytes += segment.bytes;
        else
            joined.push_back(segment);
    }
    return joined;
}

struct Range
{
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// What live allocations take at least, by address.
std::vector<Range> liveAt(const DeviceTrace& device, std::size_t step)
{
    const memtrace::Allocations& all = device.allocations();
    std::vector<Range> live;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (device.firstStep(i) > step || device.lastStep(i) < step || all.bytes[i] == 0)
            continue;
        const std::uint64_t bytes =
            (static_cast<std::uint64_t>(all.bytes[i]) + kBlock - 1) / kBlock * kBlock;
        live.push_back({all.address[i], all.address[i] + bytes});
    }
    std::sort(live.begin(), live.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
    return live;
}

const Segment* segmentOf(const std::vector<Segment>& segments, std::uint64_t address)
{
    const auto after =
        std::upper_bound(segments.begin(), segments.end(), address,
                         [](std::uint64_t at, const Segment& s) { return at < s.address; });
    return after == segments.begin() ? nullptr : &*std::prev(after);
}

IdleMemory fromState(const DeviceTrace& device, const TraceReplay& replay, const IdleQuery& query)
{
    IdleCount count{IdleKnown::State, query.asked, query.place};
    const std::vector<Segment> segments = segmentsAt(device, query.step);
    for (const memtrace::EndBlock& block : device.endBlocks()) {
        if (block.allocation != memtrace::kNone)
            continue;
        const Segment* segment = segmentOf(segments, block.address);
        count.add(Bytes{block.bytes},
                  segment == nullptr ? query.place : replay.placeOf(segment->place),
                  segment != nullptr && !segment->isLarge);
    }
    return count.idle();
}

IdleMemory fromLayout(const DeviceTrace& device, const TraceReplay& replay, const IdleQuery& query)
{
    IdleCount count{IdleKnown::Layout, query.asked, query.place};
    const std::vector<Range> live = liveAt(device, query.step);
    auto next = live.begin();
    for (const Segment& segment : segmentsAt(device, query.step)) {
        std::uint64_t at = segment.address;
        const std::uint64_t end = segment.address + static_cast<std::uint64_t>(segment.bytes);
        const auto addUntil = [&](std::uint64_t until) {
            // Segments of the small pool have 2 MiB.
            if (until >= at + kBlock)
                count.add(Bytes{static_cast<std::int64_t>(until - at)},
                          replay.placeOf(segment.place), segment.bytes <= 2 * base::kMiB);
        };
        while (next != live.end() && next->end <= segment.address)
            ++next;
        for (; next != live.end() && next->begin < end; ++next) {
            addUntil(next->begin);
            at = std::max(at, next->end);
        }
        addUntil(end);
    }
    return count.idle();
}

} // namespace

const char* idleKnownName(IdleKnown known)
{
    switch (known) {
    case IdleKnown::State: return "state";
    case IdleKnown::Replay: return "replay";
    case IdleKnown::Layout: break;
    }
    return "layout";
}

void IdleCount::add(Bytes bytes, const ReplayPlace& place, bool isSmall)
{
    m_idle.bytes += bytes;
    ++m_idle.blocks;
    m_idle.largest = std::max(m_idle.largest, bytes);
    if (!m_asked)
        return;
    if (bytes < *m_asked) {
        m_idle.tooSmall += bytes;
        ++m_idle.tooSmallBlocks;
    } else if (place.stream != m_place.stream || place.pool != m_place.pool
               || isSmall != (*m_asked <= kMostSmall)) {
        m_idle.elsewhere += bytes;
    }
}

std::optional<IdleMemory> idleMemory(const DeviceTrace& device, const TraceReplay& replay,
                                     const IdleQuery& query)
{
    if (isLastState(device, query.step))
        return fromState(device, replay, query);
    if (device.segments().empty())
        return std::nullopt;
    return fromLayout(device, replay, query);
}

IdleMemory idleMemory(const allocator::AllocatorReplay& state, const IdleQuery& query)
{
    IdleCount count{IdleKnown::Replay, query.asked, query.place};
    for (const allocator::AllocatorReplay::CachedBlock& block : state.cachedBlocks())
        count.add(block.bytes, {block.stream, block.pool}, block.isSmall);
    return count.idle();
}

} // namespace plimsoll::doctor
