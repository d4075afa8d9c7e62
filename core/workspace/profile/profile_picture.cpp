// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile/profile_picture.h"

#include "core/base/try.h"
#include "core/memtrace/summary.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::workspace {

namespace {

/// At the peak: bytes in all layers but that of what the filter leaves out.
base::Bytes matchingBytes(const ProfilePicture& picture)
{
    const timeline::Timeline& timeline = *picture.timeline;
    if (timeline.stepCount() == 0 || timeline.layers().empty())
        return {};
    const std::size_t last = timeline.layers().size() - 1;
    const bool hasLeftOut = timeline.layers()[last].ink == timeline::kPaleInk;
    return hasLeftOut ? timeline.peak() - timeline.stackAt(timeline.peakStep())[last]
                      : timeline.peak();
}

constexpr std::array<const char*, kLowerPlotCount> kLowerPlots = {"addresses", "blocks"};

/// Finds what the graph knows of the picture's device; `last` as in profilePicture().
base::Result<void> name(ProfilePicture& picture, const base::JobContext& job,
                        const ProfilePicture* last)
{
    if (!picture.settings.graph)
        return {};
    if (last != nullptr && last->settings.graph == picture.settings.graph) {
        picture.trace = last->trace;
        picture.names = last->names;
        picture.graphFault = last->graphFault;
        return {};
    }
    auto names = namesFrom(*picture.settings.graph, *picture.recorded, picture.deviceIndex, job);
    if (names) {
        picture.trace = waterfall::withNames(*picture.recorded, picture.deviceIndex, **names);
        picture.names = *std::move(names);
    } else if (names.error().kind == base::ErrorKind::Cancelled) {
        return tl::unexpected{std::move(names.error())};
    } else {
        picture.graphFault = std::move(names.error().message);
    }
    return {};
}

} // namespace

const char* lowerPlotName(LowerPlot plot)
{
    return kLowerPlots.at(static_cast<std::size_t>(plot));
}

std::optional<LowerPlot> findLowerPlot(std::string_view name)
{
    const auto at = std::ranges::find(kLowerPlots, name);
    return at == kLowerPlots.end()
               ? std::nullopt
               : std::optional{static_cast<LowerPlot>(at - kLowerPlots.begin())};
}

base::Result<ProfilePicturePtr> profilePicture(memtrace::MemoryTracePtr trace,
                                               ProfileSettings settings,
                                               const base::JobContext& job,
                                               const ProfilePicturePtr& last)
{
    const std::vector<memtrace::DeviceTrace>& devices = trace->devices();
    const auto chosen = std::ranges::find_if(devices, [&](const memtrace::DeviceTrace& device) {
        return device.ordinal() == settings.device;
    });
    auto picture = std::make_shared<ProfilePicture>();
    picture->deviceIndex = chosen != devices.end()
                               ? static_cast<std::size_t>(chosen - devices.begin())
                               : memtrace::highestDevice(*trace);
    settings.device = devices[picture->deviceIndex].ordinal();
    if (!trace->hasTimes())
        settings.axis = memtrace::Axis::Events;
    picture->settings = settings;
    picture->recorded = std::move(trace);
    picture->trace = picture->recorded;
    const bool isSameDevice =
        last && last->recorded == picture->recorded && last->deviceIndex == picture->deviceIndex;
    RETURN_IF_ERROR(name(*picture, job.piece(0, 5), isSameDevice ? last.get() : nullptr));
    const memtrace::DeviceTrace& device = picture->device();
    job.report(1, 5);
    if (isSameDevice) {
        picture->facts = last->facts;
        picture->layout = last->layout;
        picture->segmentChanges = last->segmentChanges;
    } else {
        const std::vector<memtrace::StepPhase> steps =
            memtrace::stepPhases(*picture->trace, device);
        picture->facts.classes = memtrace::classify(*picture->trace, device, steps);
        picture->facts.phases = memtrace::phasesOf(*picture->trace, device, steps);
        picture->layout = memtrace::AddressLayout{device};
        picture->segmentChanges = memtrace::SegmentChanges{device};
    }
    if (job.stopRequested())
        return base::cancelled();
    job.report(2, 5);
    if (!isSameDevice || last->settings.filter != settings.filter
        || last->settings.graph != settings.graph) {
        ASSIGN_OR_RETURN(picture->facts.matches,
                         memtrace::matchesOf(settings.filter, *picture->trace, device,
                                             picture->facts.classes, picture->facts.phases));
    }
    if (job.stopRequested())
        return base::cancelled();
    job.report(3, 5);
    picture->layering =
        memtrace::layeringOf(*picture->trace, device, picture->facts, settings.grouping);
    picture->timeline =
        memtrace::buildTimeline(*picture->trace, device, picture->layering, settings.axis);
    picture->matchingAtPeak = matchingBytes(*picture);
    job.report(5, 5);
    return picture;
}

} // namespace plimsoll::workspace
