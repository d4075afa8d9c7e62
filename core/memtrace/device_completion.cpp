// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/device_builder.h"

#include <algorithm>
#include <utility>

namespace plimsoll::memtrace {

namespace {

using timeline::Times;

/// Sorted by address, without blocks or segments that overlap the one before.
template <typename Range>
void sortByAddress(std::vector<Range>& ranges, Statistics& statistics)
{
    std::stable_sort(ranges.begin(), ranges.end(),
                     [](const Range& a, const Range& b) { return a.address < b.address; });
    std::uint64_t end = 0;
    const auto overlaps = [&](const Range& range) {
        if (range.bytes == 0 || range.address < end)
            return true;
        end = range.address + static_cast<std::uint64_t>(range.bytes);
        return false;
    };
    const auto kept = std::remove_if(ranges.begin(), ranges.end(), overlaps);
    countFault(statistics, "overlapping_ranges_at_end",
               static_cast<std::size_t>(ranges.end() - kept));
    ranges.erase(kept, ranges.end());
}

const Segment* segmentAt(const std::vector<Segment>& segments, std::uint64_t address)
{
    const auto after =
        std::upper_bound(segments.begin(), segments.end(), address,
                         [](std::uint64_t at, const Segment& s) { return at < s.address; });
    if (after == segments.begin())
        return nullptr;
    const Segment& segment = *std::prev(after);
    return address - segment.address < static_cast<std::uint64_t>(segment.bytes) ? &segment
                                                                                 : nullptr;
}

/// Without allocations, all that is known of most frees is that something was there.
void dropUnknownBegins(CollectedDevice& device, std::vector<std::string>& gaps)
{
    if (device.allocCount > 0 || device.secondFrees == 0)
        return;
    gaps.push_back("The recording has no allocations (skip_actions): only its state at the end is "
                   "known; the curve, the blocks and the address map show that state alone.");
    device.addresses.clear();
    device.bytes.clear();
    device.allocEvents.clear();
    device.freeEvents.clear();
    device.stacks.clear();
    device.freeStacks.clear();
    device.placeIds.clear();
    device.lastAt.clear();
    device.requestedAt.clear();
    device.statistics.erase("frees_without_allocation");
    device.statistics.erase("frees_of_freed_blocks");
    const auto hasAllocation = [](Action action) { return action != Action::OutOfMemory; };
    for (std::size_t i = 0; i < device.actions.size(); ++i)
        if (hasAllocation(device.actions[i]))
            device.subjects[i] = kNone;
}

std::uint32_t addLiveAtEnd(CollectedDevice& device, const RecordedBlock& block, PlaceId place)
{
    device.addresses.push_back(block.address);
    device.bytes.push_back(block.requestedBytes);
    device.allocEvents.push_back(kNoEvent);
    device.freeEvents.push_back(kNoEvent);
    device.stacks.push_back(static_cast<std::uint32_t>(block.stack.index()));
    device.freeStacks.push_back(0);
    device.placeIds.push_back(place);
    countFault(device.statistics, "active_without_event");
    return static_cast<std::uint32_t>(device.addresses.size() - 1);
}

void forgetNames(std::vector<std::uint64_t>& addresses)
{
    for (std::uint64_t& address : addresses)
        if (address >= kNamesInsteadOfAddresses)
            address = kNoAddress;
}

/// Finds the allocation of each block that is live at the end; one that no event names has been
/// live since before the recording.
std::vector<EndBlock> matchEndBlocks(CollectedDevice& device)
{
    std::vector<EndBlock> blocks;
    blocks.reserve(device.endBlocks.size());
    for (const RecordedBlock& block : device.endBlocks) {
        EndBlock& matched = blocks.emplace_back();
        matched.address = block.address;
        matched.bytes = block.bytes;
        if (block.state == RecordedBlock::State::Idle)
            continue;
        matched.isPending = block.state == RecordedBlock::State::PendingFree;
        const auto last = device.lastAt.find(block.address);
        if (last != device.lastAt.end() && device.freeEvents[last->second] == kNoEvent) {
            matched.allocation = last->second;
            if (device.bytes[last->second] != block.requestedBytes)
                countFault(device.statistics, "sizes_that_differ_at_end");
            if (device.stacks[last->second] == 0)
                device.stacks[last->second] = static_cast<std::uint32_t>(block.stack.index());
            continue;
        }
        const Segment* segment = segmentAt(device.endSegments, block.address);
        matched.allocation = addLiveAtEnd(device, block, segment != nullptr ? segment->place : 0);
    }
    return blocks;
}

/// Where completed frees weren't recorded (skip_actions), a request is the free, unless the block
/// is there at the end.
void endRequestedFrees(CollectedDevice& device, const std::vector<EndBlock>& atEnd)
{
    if (device.completedCount > 0)
        return;
    for (const EndBlock& block : atEnd)
        if (block.allocation != kNone)
            device.requestedAt.erase(block.allocation);
    for (const auto& [allocation, event] : device.requestedAt)
        if (device.freeEvents[allocation] == kNoEvent)
            device.freeEvents[allocation] = event;
    device.requestedAt.clear();
}

/// Older recordings don't say to which pool a block belongs, but that of its segment.
void resolvePools(CollectedDevice& device, const std::vector<Segment>& segments)
{
    if (device.hasPools || device.places.empty())
        return;
    std::vector<Segment> sorted = segments;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Segment& a, const Segment& b) { return a.address < b.address; });
    for (std::size_t i = 0; i < device.addresses.size(); ++i)
        if (const Segment* segment = segmentAt(sorted, device.addresses[i]);
            segment != nullptr && device.places[segment->place].isPrivate())
            device.placeIds[i] = segment->place;
}

Times axisTimes(const CollectedDevice& device, std::int64_t origin, std::int64_t end)
{
    Times times;
    times.reserve(device.times.size() + 2);
    times.append(0);
    for (std::size_t i = 0; i < device.times.size(); ++i)
        times.append(device.hasTimes ? device.times[i] - origin : static_cast<std::int64_t>(i));
    times.append(device.hasTimes ? std::max(end, origin) - origin
                                 : static_cast<std::int64_t>(device.times.size()));
    times.compress();
    return times;
}

std::vector<std::uint32_t> foldedBefore(const std::vector<Action>& actions)
{
    std::vector<std::uint32_t> folded;
    folded.reserve(actions.size() / DeviceColumns::kRankBlock + 1);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        if (i % DeviceColumns::kRankBlock == 0)
            folded.push_back(count);
        count += actions[i] == Action::Free ? 1U : 0U;
    }
    return folded;
}

std::vector<PendingFree> pendingFrees(const CollectedDevice& device)
{
    std::vector<PendingFree> pending;
    pending.reserve(device.requestedAt.size());
    for (const auto& [allocation, event] : device.requestedAt)
        pending.push_back({allocation, event});
    std::sort(pending.begin(), pending.end(), [](const PendingFree& a, const PendingFree& b) {
        return a.allocation < b.allocation;
    });
    return pending;
}

Allocations allocationColumns(CollectedDevice&& device)
{
    Allocations columns;
    columns.address = base::Column{std::move(device.addresses)};
    columns.bytes = base::Column{std::move(device.bytes)};
    columns.allocEvent = base::Column{std::move(device.allocEvents)};
    columns.freeEvent = base::Column{std::move(device.freeEvents)};
    columns.stack = base::Column{std::move(device.stacks)};
    if (std::any_of(device.freeStacks.begin(), device.freeStacks.end(),
                    [](std::uint32_t stack) { return stack != 0; }))
        columns.freeStack = base::Column{std::move(device.freeStacks)};
    columns.place = base::Column{std::move(device.placeIds)};
    return columns;
}

void addStatistics(Statistics& all, const Statistics& more)
{
    for (const auto& [fault, count] : more)
        countFault(all, fault, count);
}

} // namespace

void countFault(Statistics& statistics, std::string_view fault, std::size_t occurrences)
{
    if (occurrences == 0)
        return;
    const auto at = statistics.find(fault);
    if (at == statistics.end())
        statistics.emplace(fault, occurrences);
    else
        at->second += occurrences;
}

DeviceTrace completeDevice(CollectedDevice&& device, std::int64_t origin, std::int64_t end,
                           Statistics& statistics, std::vector<std::string>& gaps)
{
    DeviceColumns columns;
    columns.ordinal = device.ordinal;
    columns.hasEnd = device.hasEnd;
    dropUnknownBegins(device, gaps);
    sortByAddress(device.endSegments, device.statistics);
    sortByAddress(device.endBlocks, device.statistics);
    columns.endBlocks = matchEndBlocks(device);
    device.lastAt = {};
    forgetNames(device.addresses);
    endRequestedFrees(device, columns.endBlocks);
    if (device.hasEnd)
        countFault(device.statistics, "segments_missing_at_end",
                   device.segments.finish(device.endSegments,
                                          static_cast<EventIndex>(device.actions.size())));
    columns.segments = std::move(device.segments).take();
    resolvePools(device, columns.segments);
    columns.times = axisTimes(device, origin, end);
    device.times = {};
    columns.foldedBefore = base::Column{foldedBefore(device.actions)};
    columns.pendingFrees = pendingFrees(device);
    columns.places = std::move(device.places);
    columns.reservedTotals = std::move(device.reservedTotals);
    columns.outOfMemory = std::move(device.outOfMemory);
    columns.texts = std::move(device.texts);
    columns.texts.shrink_to_fit();
    columns.actions = base::Column{std::move(device.actions)};
    columns.subjects = base::Column{std::move(device.subjects)};
    addStatistics(statistics, device.statistics);
    columns.allocations = allocationColumns(std::move(device));
    return DeviceTrace{std::move(columns)};
}

} // namespace plimsoll::memtrace
