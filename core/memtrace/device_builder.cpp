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
    const auto known = m_collected.placeIdOf.find(place);
    if (known != m_collected.placeIdOf.end())
        return known->second;
    if (m_collected.places.size() >= kMostPlaces)
        return refused("more than 65,536 different streams and pools are impossible");
    const auto id = static_cast<PlaceId>(m_collected.places.size());
    m_collected.places.push_back(place);
    m_collected.placeIdOf.emplace(place, id);
    return id;
}

std::uint32_t DeviceBuilder::lastAt(std::uint64_t address) const
{
    const auto at = m_collected.lastAt.find(address);
    return at == m_collected.lastAt.end() ? kNone : at->second;
}

std::uint32_t DeviceBuilder::newAllocation(const RecordedEvent& event, PlaceId place)
{
    const auto index = static_cast<std::uint32_t>(m_collected.addresses.size());
    m_collected.addresses.push_back(event.address);
    m_collected.bytes.push_back(event.bytes);
    m_collected.allocEvents.push_back(kNoEvent);
    m_collected.freeEvents.push_back(kNoEvent);
    m_collected.stacks.push_back(0);
    m_collected.freeStacks.push_back(0);
    m_collected.placeIds.push_back(place);
    m_collected.lastAt.insert_or_assign(event.address, index);
    return index;
}

void DeviceBuilder::end(std::uint32_t allocation, EventIndex event)
{
    m_collected.freeEvents[allocation] = event;
    if (m_collected.allocEvents[allocation] != kNoEvent)
        m_collected.live -= m_collected.bytes[allocation];
    else
        m_collected.freedBefore += m_collected.bytes[allocation];
}

std::uint32_t DeviceBuilder::freedBy(const RecordedEvent& event, PlaceId place)
{
    const std::uint32_t last = lastAt(event.address);
    if (last == kNone) {
        countFault(m_collected.statistics, "frees_without_allocation");
        m_collected.before += event.bytes;
        return newAllocation(event, place);
    }
    if (m_collected.freeEvents[last] == kNoEvent)
        return last;
    countFault(m_collected.statistics, "frees_of_freed_blocks");
    ++m_collected.secondFrees;
    return kNone;
}

void DeviceBuilder::endBefore(std::uint32_t allocation)
{
    if (allocation == kNone || m_collected.freeEvents[allocation] != kNoEvent)
        return;
    // Where completed frees weren't recorded, the request was the free.
    const auto requested = m_collected.requestedAt.find(allocation);
    if (requested == m_collected.requestedAt.end())
        countFault(m_collected.statistics, "allocations_of_live_blocks");
    end(allocation, requested == m_collected.requestedAt.end() ? nextEvent() : requested->second);
}

std::uint32_t DeviceBuilder::takeAlloc(const RecordedEvent& event, PlaceId place)
{
    endBefore(lastAt(event.address));
    const std::uint32_t allocation = newAllocation(event, place);
    m_collected.allocEvents[allocation] = nextEvent();
    m_collected.stacks[allocation] = static_cast<std::uint32_t>(event.stack.index());
    m_collected.live += event.bytes;
    ++m_collected.allocCount;
    return allocation;
}

std::uint32_t DeviceBuilder::takeRequest(const RecordedEvent& event, PlaceId place)
{
    const std::uint32_t allocation = freedBy(event, place);
    if (allocation != kNone) {
        m_collected.freeStacks[allocation] = static_cast<std::uint32_t>(event.stack.index());
        m_collected.requestedAt.insert_or_assign(allocation, nextEvent());
    }
    return allocation;
}

std::uint32_t DeviceBuilder::takeCompletion(const RecordedEvent& event, PlaceId place)
{
    ++m_collected.completedCount;
    const std::uint32_t allocation = freedBy(event, place);
    if (allocation != kNone) {
        end(allocation, nextEvent());
        if (m_collected.freeStacks[allocation] == 0)
            m_collected.freeStacks[allocation] = static_cast<std::uint32_t>(event.stack.index());
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
        m_collected.segments.reserve(nextEvent(), segment);
        return;
    }
    const AddressRange range{event.address,
                             event.address + static_cast<std::uint64_t>(event.bytes)};
    if (!m_collected.segments.release(nextEvent(), range, place))
        countFault(m_collected.statistics, "releases_of_released_segments");
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
        m_collected.outOfMemory.push_back({nextEvent(), event.bytes, event.deviceFreeBytes,
                                           static_cast<std::uint32_t>(event.stack.index())});
        return static_cast<std::uint32_t>(m_collected.outOfMemory.size() - 1);
    case Action::Annotate: return lastAt(event.address);
    case Action::Free:
    case Action::Snapshot:
    case Action::Other: break;
    }
    return kNone;
}

bool DeviceBuilder::completesLast(const RecordedEvent& event) const
{
    if (event.action != Action::FreeCompleted || m_collected.actions.empty()
        || m_collected.actions.back() != Action::FreeRequested)
        return false;
    const std::uint32_t allocation = m_collected.subjects.back();
    return allocation != kNone && m_collected.addresses[allocation] == event.address;
}

void DeviceBuilder::completeLast(const RecordedEvent& event)
{
    const std::uint32_t allocation = m_collected.subjects.back();
    m_collected.actions.back() = Action::Free;
    end(allocation, nextEvent() - 1);
    m_collected.requestedAt.erase(allocation);
    ++m_collected.completedCount;
    if (event.timeNs)
        m_collected.times.back() = std::max(m_collected.times.back(), *event.timeNs);
}

void DeviceBuilder::appendTime(const RecordedEvent& event)
{
    std::int64_t time = event.timeNs.value_or(0);
    m_collected.hasTimes = m_collected.hasTimes && event.timeNs.has_value();
    if (!m_collected.times.empty() && m_collected.hasTimes && time < m_collected.times.back()) {
        countFault(m_collected.statistics, "times_going_back");
        time = m_collected.times.back();
    }
    if (m_collected.times.empty())
        m_collected.firstTime = time;
    m_collected.times.push_back(time);
}

base::Result<void> DeviceBuilder::checkRoom(const RecordedEvent& event) const
{
    RETURN_IF_ERROR(checkRange(event.address, event.bytes));
    if (m_collected.actions.size() >= kMostEvents || m_collected.addresses.size() >= kMostEvents)
        return refused("more than 4 billion events are not supported");
    if (m_collected.live + m_collected.before > kMostLive)
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
    m_collected.hasPools = m_collected.hasPools && event.pool.has_value();
    const std::uint32_t subject = take(event, place);
    m_collected.actions.push_back(event.action);
    m_collected.subjects.push_back(subject);
    appendTime(event);
    m_feed.add(liveSinceBegin());
    return nextEvent() - 1;
}

void DeviceBuilder::setReserved(base::Bytes bytes)
{
    const auto step =
        m_collected.reservedTotals.empty() ? 0 : nextEvent(); // the step behind event i is i + 1
    if (!m_collected.reservedTotals.empty() && m_collected.reservedTotals.back().bytes == bytes)
        return;
    if (!m_collected.reservedTotals.empty() && m_collected.reservedTotals.back().step == step)
        m_collected.reservedTotals.back().bytes = bytes;
    else
        m_collected.reservedTotals.push_back({step, bytes});
}

base::Result<void> DeviceBuilder::addBefore(const RecordedEvent& memory)
{
    RETURN_IF_ERROR(checkRoom(memory));
    ASSIGN_OR_RETURN(const PlaceId place,
                     placeOf({memory.stream, memory.pool.value_or(Place{}.pool)}));
    const std::uint32_t allocation = newAllocation(memory, place);
    m_collected.stacks[allocation] = static_cast<std::uint32_t>(memory.stack.index());
    m_collected.before += memory.bytes;
    return {};
}

base::Result<void> DeviceBuilder::addSegment(const RecordedSegment& segment)
{
    RETURN_IF_ERROR(checkRange(segment.address, segment.bytes));
    ASSIGN_OR_RETURN(const PlaceId place, placeOf({segment.stream, segment.pool}));
    m_collected.hasEnd = true;
    Segment& added = m_collected.endSegments.emplace_back();
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
    m_collected.endBlocks.push_back(block);
    return {};
}

} // namespace plimsoll::memtrace
