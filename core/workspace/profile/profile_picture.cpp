// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile/profile_picture.h"

#include "core/memtrace/summary.h"

#include <algorithm>
#include <utility>

namespace plimsoll::workspace {

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
                               : memtrace::summaryOf(*trace).highest;
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
