// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/summary.h"

#include <algorithm>
#include <map>

namespace plimsoll::memtrace {

namespace {

/// Requested bytes that are live, by step of DeviceTrace::axisTimes().
std::vector<std::int64_t> liveBytes(const DeviceTrace& device)
{
    const Allocations& allocations = device.allocations();
    std::vector<std::int64_t> live(device.stepCount() + 1);
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        live[device.firstStep(i)] += allocations.bytes[i];
        live[device.lastStep(i) + 1] -= allocations.bytes[i];
    }
    live.pop_back();
    std::int64_t sum = 0;
    for (std::int64_t& bytes : live)
        bytes = sum += bytes;
    return live;
}

/// What is mapped into an expandable segment piece by piece is one segment of the snapshot.
std::size_t segmentsAtEnd(const DeviceTrace& device)
{
    std::vector<const Segment*> atEnd;
    for (const Segment& segment : device.segments())
        if (segment.end == kNoEvent)
            atEnd.push_back(&segment);
    std::sort(atEnd.begin(), atEnd.end(),
              [](const Segment* a, const Segment* b) { return a->address < b->address; });
    std::size_t joined = 0;
    for (std::size_t i = 1; i < atEnd.size(); ++i) {
        const Segment& before = *atEnd[i - 1];
        const Segment& segment = *atEnd[i];
        joined += segment.isExpandable && before.isExpandable && before.place == segment.place
                  && before.address + static_cast<std::uint64_t>(before.bytes) == segment.address;
    }
    return atEnd.size() - joined;
}

void addBlocks(DeviceSummary& summary, const DeviceTrace& device)
{
    for (const EndBlock& block : device.endBlocks()) {
        const base::Bytes bytes{block.bytes};
        if (block.allocation == kNone) {
            ++summary.endFreeBlocks;
            summary.endFree += bytes;
            summary.endLargestFree = std::max(summary.endLargestFree, bytes);
        } else if (!block.isPending) {
            summary.endAllocated += bytes;
        }
    }
}

/// The device with the highest of these peaks.
std::size_t highestOf(const std::vector<DeviceTrace>& devices,
                      const std::vector<base::Bytes>& peaks)
{
    std::size_t highest = 0;
    for (std::size_t i = 0; i < devices.size(); ++i)
        if (devices[i].ordinal() >= 0
            && (devices[highest].ordinal() < 0 || peaks[i] > peaks[highest]))
            highest = i;
    return highest;
}

bool isRingSize(std::uint64_t events)
{
    constexpr std::uint64_t kLeast = 100;
    if (events < kLeast)
        return false;
    const bool isPowerOfTwo = (events & (events - 1)) == 0;
    while (events % 10 == 0)
        events /= 10;
    return isPowerOfTwo || events < 10; // such as 100,000 or 20,000
}

} // namespace

DeviceSummary summaryOf(const DeviceTrace& device)
{
    DeviceSummary summary;
    summary.ordinal = device.ordinal();
    summary.events = device.recordedCount();
    summary.allocations = device.allocations().size();
    summary.segments = segmentsAtEnd(device);
    summary.outOfMemory = device.outOfMemory().size();
    const std::vector<std::int64_t> live = liveBytes(device);
    const auto peak = std::max_element(live.begin(), live.end());
    const auto step = static_cast<std::size_t>(peak - live.begin());
    summary.initial = base::Bytes{live.front()};
    summary.peak = base::Bytes{*peak};
    summary.end = base::Bytes{live.back()};
    summary.peakTime = base::Nanoseconds{device.axisTimes()[step]};
    if (step > 0)
        summary.peakEvent =
            static_cast<std::int64_t>(device.recordedIndex(static_cast<EventIndex>(step - 1)));
    summary.hasReserved = !device.reserved().points().empty();
    summary.hasEnd = device.hasEnd();
    summary.peakReserved = device.reserved().largest();
    summary.endReserved = device.reserved().at(device.stepCount() - 1);
    summary.hasForeign = !device.foreign().points().empty();
    summary.peakForeign = device.foreign().largest();
    summary.endForeign = device.foreign().at(device.stepCount() - 1);
    addBlocks(summary, device);
    const Allocations& allocations = device.allocations();
    for (std::size_t i = 0; i < allocations.size() && !summary.mayHaveOverflowed; ++i)
        summary.mayHaveOverflowed = allocations.allocEvent[i] == kNoEvent
                                    && allocations.freeEvent[i] != kNoEvent
                                    && isRingSize(summary.events);
    return summary;
}

TraceSummary summaryOf(const MemoryTrace& trace)
{
    TraceSummary summary;
    std::vector<base::Bytes> peaks;
    for (const DeviceTrace& device : trace.devices()) {
        summary.devices.push_back(summaryOf(device));
        peaks.push_back(summary.devices.back().peak);
    }
    summary.highest = highestOf(trace.devices(), peaks);
    return summary;
}

std::size_t highestDevice(const MemoryTrace& trace)
{
    const std::vector<DeviceTrace>& devices = trace.devices();
    const auto isGpu = [](const DeviceTrace& device) { return device.ordinal() >= 0; };
    // Of a single one, the peak isn't needed.
    std::vector<base::Bytes> peaks(devices.size());
    if (std::ranges::count_if(devices, isGpu) > 1)
        std::ranges::transform(devices, peaks.begin(), [](const DeviceTrace& device) {
            return base::Bytes{std::ranges::max(liveBytes(device))};
        });
    return highestOf(devices, peaks);
}

} // namespace plimsoll::memtrace
