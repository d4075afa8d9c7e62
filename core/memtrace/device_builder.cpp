// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/device_builder.h"

#include "core/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::memtrace {

namespace {

/// Devices have 49 bits of addresses; 2^50 leaves room, and sums of some thousands fit 62 bits.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50U;
constexpr std::int64_t kMostLive = std::int64_t{1} << 62U;
constexpr std::size_t kMostEvents = std::size_t{kNoEvent} - 8;
constexpr std::size_t kMostPlaces = std::size_t{1} << 16U;

tl::unexpected<base::Error> refused(std::string sentence)
{
    return base::failure(base::ErrorKind::File, std::move(sentence));
}

base::Result<void> checkRange(std::uint64_t address, std::int64_t bytes)
{
    if (bytes < 0 || static_cast<std::uint64_t>(bytes) > kMostBytes)
        return refused(fmt::format("a size of {} bytes is impossible", bytes));
    if (address > ~std::uint64_t{0} - kMostBytes)
        return refused(fmt::format("the address {:#x} is impossible", address));
    return {};
}

} // namespace

base::Result<PlaceId> DeviceBuilder::placeOf(const Place& place)
{
    const auto known = m.placeIdOf.find(place);
    if (known != m.placeIdOf.end())
        return known->second;
    if (m.places.size() >= kMostPlaces)
        return refused("more than 65,536 different streams and pools are impossible");
    const auto id = static_cast<PlaceId>(m.places.size());
    m.places.push_back(place);
    m.placeIdOf.emplace(place, id);
    return id;
}

std::uint32_t DeviceBuilder::lastAt(std::uint64_t address) const
{
    const auto at = m.lastAt.find(address);
    return at == m.lastAt.end() ? kNone : at->second;
}

std::uint32_t DeviceBuilder::newAllocation(const RecordedEvent& event, PlaceId place)
{
    const auto index = static_cast<std::uint32_t>(m.addresses.size());
    m.addresses.push_back(event.address);
    m.bytes.push_back(event.bytes);
    m.allocEvents.push_back(kNoEvent);
    m.freeEvents.push_back(kNoEvent);
    m.stacks.push_back(0);
    m.freeStacks.push_back(0);
    m.placeIds.push_back(place);
    m.lastAt.insert_or_assign(event.address, index);
    return index;
}

void DeviceBuilder::end(std::uint32_t allocation, EventIndex event)
{
    m.freeEvents[allocation] = event;
    if (m.allocEvents[allocation] != kNoEvent)
        m.live -= m.bytes[allocation];
    else
        m.freedBefore += m.bytes[allocation];
}

std::uint32_t DeviceBuilder::freedBy(const RecordedEvent& event, PlaceId place)
{
    const std::uint32_t last = lastAt(event.address);
    if (last == kNone) {
        countFault(m.statistics, "frees_without_allocation");
        m.before += event.bytes;
        return newAllocation(event, place);
    }
    if (m.freeEvents[last] == kNoEvent)
        return last;
    countFault(m.statistics, "frees_of_freed_blocks");
    ++m.secondFrees;
    return kNone;
}

void DeviceBuilder::endBefore(std::uint32_t allocation)
{
    if (allocation == kNone || m.freeEvents[allocation] != kNoEvent)
        return;
    // Where completed frees weren't recorded, the request was the free.
    const auto requested = m.requestedAt.find(allocation);
    if (requested == m.requestedAt.end())
        countFault(m.statistics, "allocations_of_live_blocks");
    end(allocation, requested == m.requestedAt.end() ? nextEvent() : requested->second);
}

std::uint32_t DeviceBuilder::takeAlloc(const RecordedEvent& event, PlaceId place)
{
    endBefore(lastAt(event.address));
    const std::uint32_t allocation = newAllocation(event, place);
    m.allocEvents[allocation] = nextEvent();
    m.stacks[allocation] = static_cast<std::uint32_t>(event.stack.index());
    m.live += event.bytes;
    ++m.allocCount;
    return allocation;
}

std::uint32_t DeviceBuilder::takeRequest(const RecordedEvent& event, PlaceId place)
{
    const std::uint32_t allocation = freedBy(event, place);
    if (allocation != kNone) {
        m.freeStacks[allocation] = static_cast<std::uint32_t>(event.stack.index());
        m.requestedAt.insert_or_assign(allocation, nextEvent());
    }
    return allocation;
}

std::uint32_t DeviceBuilder::takeCompletion(const RecordedEvent& event, PlaceId place)
{
    ++m.completedCount;
    const std::uint32_t allocation = freedBy(event, place);
    if (allocation != kNone) {
        end(allocation, nextEvent());
        if (m.freeStacks[allocation] == 0)
            m.freeStacks[allocation] = static_cast<std::uint32_t>(event.stack.index());
    }
    return allocation;
}

void DeviceBuilder::takeSegment(const RecordedEvent& event, PlaceId place)
{
    if (event.bytes == 0)
        return;
    if (event.action == Action::SegmentAlloc || event.action == Action::SegmentMap) {
        Segment segment;
        segment.address = event.address;
        segment.bytes = event.bytes;
        segment.stack = static_cast<std::uint32_t>(event.stack.index());
        segment.place = place;
        segment.isExpandable = event.action == Action::SegmentMap;
        m.segments.reserve(nextEvent(), segment);
        return;
    }
    const AddressRange range{event.address,
                             event.address + static_cast<std::uint64_t>(event.bytes)};
    if (!m.segments.release(nextEvent(), range, place))
        countFault(m.statistics, "releases_of_released_segments");
}

std::uint32_t DeviceBuilder::take(const RecordedEvent& event, PlaceId place)
{
    switch (event.action) {
    case Action::Alloc: return takeAlloc(event, place);
    case Action::FreeRequested: return takeRequest(event, place);
    case Action::FreeCompleted: return takeCompletion(event, place);
    case Action::SegmentAlloc:
    case Action::SegmentFree:
    case Action::SegmentMap:
    case Action::SegmentUnmap: takeSegment(event, place); return kNone;
    case Action::OutOfMemory:
        m.outOfMemory.push_back({nextEvent(), event.bytes, event.deviceFreeBytes,
                                 static_cast<std::uint32_t>(event.stack.index())});
        return static_cast<std::uint32_t>(m.outOfMemory.size() - 1);
    case Action::Annotate: return lastAt(event.address);
    case Action::Free:
    case Action::Snapshot:
    case Action::Other: break;
    }
    return kNone;
}

bool DeviceBuilder::completesLast(const RecordedEvent& event) const
{
    if (event.action != Action::FreeCompleted || m.actions.empty()
        || m.actions.back() != Action::FreeRequested)
        return false;
    const std::uint32_t allocation = m.subjects.back();
    return allocation != kNone && m.addresses[allocation] == event.address;
}

void DeviceBuilder::completeLast(const RecordedEvent& event)
{
    const std::uint32_t allocation = m.subjects.back();
    m.actions.back() = Action::Free;
    end(allocation, nextEvent() - 1);
    m.requestedAt.erase(allocation);
    ++m.completedCount;
    if (event.timeNs)
        m.times.back() = std::max(m.times.back(), *event.timeNs);
}

void DeviceBuilder::appendTime(const RecordedEvent& event)
{
    std::int64_t time = event.timeNs.value_or(0);
    m.hasTimes = m.hasTimes && event.timeNs.has_value();
    if (!m.times.empty() && m.hasTimes && time < m.times.back()) {
        countFault(m.statistics, "times_going_back");
        time = m.times.back();
    }
    if (m.times.empty())
        m.firstTime = time;
    m.times.push_back(time);
}

base::Result<void> DeviceBuilder::checkRoom(const RecordedEvent& event) const
{
    RETURN_IF_ERROR(checkRange(event.address, event.bytes));
    if (m.actions.size() >= kMostEvents || m.addresses.size() >= kMostEvents)
        return refused("more than 4 billion events are not supported");
    if (m.live + m.before > kMostLive)
        return refused("more than 4 EiB can't be live at once");
    return {};
}

base::Result<EventIndex> DeviceBuilder::add(const RecordedEvent& event)
{
    if (completesLast(event)) {
        RETURN_IF_ERROR(checkRange(event.address, event.bytes));
        completeLast(event);
        m_feed.add(liveSinceBegin());
        return nextEvent() - 1;
    }
    RETURN_IF_ERROR(checkRoom(event));
    ASSIGN_OR_RETURN(const PlaceId place,
                     placeOf({event.stream, event.pool.value_or(Place{}.pool)}));
    m.hasPools = m.hasPools && event.pool.has_value();
    const std::uint32_t subject = take(event, place);
    m.actions.push_back(event.action);
    m.subjects.push_back(subject);
    appendTime(event);
    m_feed.add(liveSinceBegin());
    return nextEvent() - 1;
}

void DeviceBuilder::setReserved(base::Bytes bytes)
{
    const auto step =
        m.reservedTotals.empty() ? 0 : nextEvent(); // the step behind event i is i + 1
    if (!m.reservedTotals.empty() && m.reservedTotals.back().bytes == bytes)
        return;
    if (!m.reservedTotals.empty() && m.reservedTotals.back().step == step)
        m.reservedTotals.back().bytes = bytes;
    else
        m.reservedTotals.push_back({step, bytes});
}

base::Result<void> DeviceBuilder::addBefore(const RecordedEvent& memory)
{
    RETURN_IF_ERROR(checkRoom(memory));
    ASSIGN_OR_RETURN(const PlaceId place,
                     placeOf({memory.stream, memory.pool.value_or(Place{}.pool)}));
    const std::uint32_t allocation = newAllocation(memory, place);
    m.stacks[allocation] = static_cast<std::uint32_t>(memory.stack.index());
    m.before += memory.bytes;
    return {};
}

base::Result<void> DeviceBuilder::addSegment(const RecordedSegment& segment)
{
    RETURN_IF_ERROR(checkRange(segment.address, segment.bytes));
    ASSIGN_OR_RETURN(const PlaceId place, placeOf({segment.stream, segment.pool}));
    m.hasEnd = true;
    Segment& added = m.endSegments.emplace_back();
    added.address = segment.address;
    added.bytes = segment.bytes;
    added.stack = static_cast<std::uint32_t>(segment.stack.index());
    added.place = place;
    added.isLarge = segment.isLarge;
    added.isExpandable = segment.isExpandable;
    return {};
}

base::Result<void> DeviceBuilder::addBlock(const RecordedBlock& block)
{
    RETURN_IF_ERROR(checkRange(block.address, block.bytes));
    RETURN_IF_ERROR(checkRange(block.address, block.requestedBytes));
    m.endBlocks.push_back(block);
    return {};
}

} // namespace plimsoll::memtrace
