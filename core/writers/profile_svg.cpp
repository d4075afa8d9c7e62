// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/memtrace/analysis/classify.h"
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/summary.h"
#include "core/writers/profile_formats.h"
#include "core/writers/timeline_svg.h"

#include <fmt/format.h>

namespace plimsoll::writers {

base::Result<void> writeProfilePicture(const memtrace::MemoryTrace& trace, const io::Put& put,
                                       const base::JobContext& context)
{
    const memtrace::DeviceTrace& device = trace.devices()[memtrace::summaryOf(trace).highest];
    const memtrace::Classes classes = memtrace::classify(trace, device);
    const timeline::TimelinePtr timeline = memtrace::buildTimeline(
        trace, device, {memtrace::classLayers(), classes.classOf}, memtrace::Axis::Time);
    if (context.stopRequested())
        return base::cancelled();
    const memtrace::StepCurve& reserved = device.reserved();
    const bool hasReserved = !reserved.points().empty();
    TimelinePicture picture{
        .title =
            device.ordinal() < 0 ? "Pinned host memory" : fmt::format("GPU {}", device.ordinal()),
        .subject = "recorded memory",
        .facts =
            fmt::format("{} events{}", device.recordedCount(),
                        hasReserved ? " · reserved at most " + base::bytesText(reserved.largest())
                                    : std::string{}),
        .timeline = *timeline,
        .layers = *memtrace::classLayers(),
        .peakText = "peak " + base::bytesText(timeline->peak())};
    if (hasReserved)
        picture.outlines.push_back({"Reserved", [&](std::size_t begin, std::size_t end) {
                                        return reserved.largestIn(begin, end);
                                    }});
    const memtrace::StepCurve total = reserved + device.foreign();
    if (device.foreign().largest().count() > 0)
        picture.outlines.push_back(
            {"Outside PyTorch",
             [&](std::size_t begin, std::size_t end) { return total.largestIn(begin, end); },
             true});
    for (const memtrace::OutOfMemory& failure : device.outOfMemory())
        picture.marks.push_back({failure.event + std::size_t{1}, "out of memory"});
    static_cast<void>(put(timelineSvg(picture)));
    return {};
}

} // namespace plimsoll::writers
