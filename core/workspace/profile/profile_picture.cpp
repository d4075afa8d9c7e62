// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile/profile_picture.h"

#include <algorithm>
#include <utility>

namespace plimsoll::workspace {

namespace {

/// The most bytes that are live at once.
base::Bytes peakBytes(const memtrace::DeviceTrace& device)
{
    const memtrace::Allocations& allocations = device.allocations();
    std::int64_t live = 0;
    for (std::size_t i = 0; i < allocations.size(); ++i)
        live += allocations.allocEvent[i] == memtrace::kNoEvent ? allocations.bytes[i] : 0;
    std::int64_t peak = live;
    for (memtrace::EventIndex event = 0; event < device.eventCount(); ++event) {
        const std::uint32_t subject = device.subject(event);
        if (device.action(event) == memtrace::Action::Alloc)
            live += allocations.bytes[subject];
        else if (subject != memtrace::kNone && device.action(event) != memtrace::Action::OutOfMemory
                 && allocations.freeEvent[subject] == event)
            live -= allocations.bytes[subject];
        peak = std::max(peak, live);
    }
    return base::Bytes{peak};
}

std::size_t highestDevice(const std::vector<memtrace::DeviceTrace>& devices)
{
    std::size_t highest = 0;
    base::Bytes most;
    for (std::size_t i = 0; i < devices.size(); ++i)
        if (const base::Bytes peak = peakBytes(devices[i]); peak > most) {
            highest = i;
            most = peak;
        }
    return highest;
}

} // namespace

base::Result<ProfilePicturePtr> profilePicture(memtrace::MemoryTracePtr trace,
                                               ProfileSettings settings,
                                               const base::JobContext& job)
{
    const std::vector<memtrace::DeviceTrace>& devices = trace->devices();
    const auto chosen = std::ranges::find_if(devices, [&](const memtrace::DeviceTrace& device) {
        return device.ordinal() == settings.device;
    });
    auto picture = std::make_shared<ProfilePicture>();
    picture->deviceIndex = chosen != devices.end()
                               ? static_cast<std::size_t>(chosen - devices.begin())
                               : highestDevice(devices);
    settings.device = devices[picture->deviceIndex].ordinal();
    if (!trace->hasTimes())
        settings.axis = memtrace::Axis::Events;
    picture->settings = settings;
    picture->trace = std::move(trace);
    job.report(1, 4);
    picture->classes = memtrace::classify(*picture->trace, picture->device());
    const memtrace::Layering layering =
        settings.grouping == memtrace::Grouping::Class
            ? memtrace::Layering{memtrace::classLayers(), picture->classes.classOf}
            : memtrace::layeringOf(*picture->trace, picture->device(), settings.grouping);
    if (job.stopRequested())
        return base::cancelled();
    job.report(2, 4);
    picture->timeline =
        memtrace::buildTimeline(*picture->trace, picture->device(), layering, settings.axis);
    picture->layout = memtrace::AddressLayout{picture->device()};
    job.report(4, 4);
    return picture;
}

} // namespace plimsoll::workspace
