// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/build_timeline.h"

#include "core/timeline/builder.h"

#include <algorithm>

namespace plimsoll::memtrace {

namespace {

timeline::Times eventTimes(const DeviceTrace& device)
{
    timeline::Times times;
    times.reserve(device.stepCount() + 1);
    times.append(0);
    std::int64_t over = 0;
    for (EventIndex event = 0; event < device.eventCount(); ++event)
        times.append(over += device.action(event) == Action::Free ? 2 : 1);
    times.append(over + 1);
    times.compress();
    return times;
}

/// Those that `keeps` selects; null: all.
void addAllocations(timeline::Builder& builder, const DeviceTrace& device, const Layering& layering,
                    const std::function<bool(std::uint32_t)>& keeps)
{
    const Allocations& allocations = device.allocations();
    builder.reserve(allocations.size());
    const auto add = [&](std::uint32_t index) {
        if (keeps && !keeps(index))
            return;
        timeline::Interval interval;
        interval.begin = device.firstStep(index);
        interval.end = device.lastStep(index);
        interval.bytes = base::Bytes{allocations.bytes[index]};
        interval.origin = index;
        interval.layer = layering.layerOf.empty() ? std::uint8_t{0} : layering.layerOf[index];
        builder.add(interval);
    };
    // In the order in which they begin: those from before the recording first.
    const auto count = static_cast<std::uint32_t>(allocations.size());
    for (std::uint32_t index = 0; index < count; ++index)
        if (allocations.allocEvent[index] == kNoEvent)
            add(index);
    for (std::uint32_t index = 0; index < count; ++index)
        if (allocations.allocEvent[index] != kNoEvent)
            add(index);
}

void addBands(timeline::Builder& builder, const MemoryTrace& trace, const DeviceTrace& device)
{
    for (const Annotation& annotation : trace.annotations()) {
        // Deeper ones have no room of their own.
        if (annotation.device != device.ordinal()
            || annotation.depth >= static_cast<int>(timeline::kBandRows))
            continue;
        timeline::Band band;
        band.begin = static_cast<std::uint32_t>(stepAtTime(device, annotation.begin));
        band.end = static_cast<std::uint32_t>(stepAtTime(device, annotation.end));
        band.label = annotation.name;
        band.row = static_cast<std::uint8_t>(annotation.depth);
        builder.addBand(std::move(band));
    }
}

void addMarks(timeline::Builder& builder, const DeviceTrace& device)
{
    for (const OutOfMemory& failed : device.outOfMemory())
        builder.addMark({failed.event + 1, "out of memory"});
    // Counted first, many at a time: most recordings have none.
    if (std::ranges::count(device.columns().actions, Action::Snapshot) == 0)
        return;
    for (EventIndex event = 0; event < device.eventCount(); ++event)
        if (device.action(event) == Action::Snapshot)
            builder.addMark({event + 1, "snapshot"});
}

} // namespace

std::size_t stepAtTime(const DeviceTrace& device, base::Nanoseconds time)
{
    const std::size_t begun = device.axisTimes().countUntil(time.count());
    return std::clamp<std::size_t>(begun, 1, device.stepCount()) - 1;
}

timeline::Times axisPositions(const DeviceTrace& device, Axis axis)
{
    return axis == Axis::Time ? device.axisTimes() : eventTimes(device);
}

timeline::TimelinePtr buildTimeline(const MemoryTrace& trace, const DeviceTrace& device,
                                    const Layering& layering, Axis axis,
                                    const std::function<bool(std::uint32_t)>& keeps)
{
    timeline::Builder builder{axisPositions(device, axis), layering.layers};
    addAllocations(builder, device, layering, keeps);
    addBands(builder, trace, device);
    addMarks(builder, device);
    return std::move(builder).build();
}

timeline::TimelinePtr buildTimeline(const DeviceTrace& device, timeline::Times positions,
                                    const Layering& layering)
{
    timeline::Builder builder{std::move(positions), layering.layers};
    addAllocations(builder, device, layering, {});
    return std::move(builder).build();
}

} // namespace plimsoll::memtrace
