// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/device_levels.h"

#include "core/doctor/recorded_settings.h"
#include "core/doctor/trace_replay.h"

#include <algorithm>
#include <vector>

namespace plimsoll::waterfall {

namespace {

/// The most bytes of blocks in use if each is rounded up to 512 B.
base::Bytes roundedPeak(const MeasuredStep& measured)
{
    const memtrace::DeviceTrace& device = measured.device;
    const memtrace::Allocations& all = device.allocations();
    std::vector<std::int64_t> change(device.stepCount() + 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::int64_t bytes =
            graph::rounded(base::Bytes{all.bytes[i]}, graph::Rounding::Cuda512).count();
        change[device.firstStep(i)] += bytes;
        // From the request on a block isn't in use, even if a stream is still waited for.
        const memtrace::EventIndex freed = device.freeRequested(memtrace::AllocationId{i});
        change[(freed == memtrace::kNoEvent ? device.lastStep(i) : freed) + std::size_t{1}] -=
            bytes;
    }
    std::int64_t sum = 0;
    std::int64_t most = 0;
    for (std::size_t step = 0; step <= measured.window.end; ++step) {
        sum += change[step];
        if (step > measured.window.begin)
            most = std::max(most, sum);
    }
    return base::Bytes{most};
}

/// Of a segment that is reserved or released; the allocation that needs it follows, and a replay
/// does both at once.
bool isOfSegment(memtrace::Action action)
{
    return action == memtrace::Action::SegmentAlloc || action == memtrace::Action::SegmentFree
           || action == memtrace::Action::SegmentMap || action == memtrace::Action::SegmentUnmap;
}

} // namespace

base::Result<AllocatorLevels> allocatorLevels(const MeasuredStep& measured,
                                              const base::JobContext& job)
{
    AllocatorLevels levels;
    const memtrace::DeviceTrace& device = measured.device;
    if (device.ordinal() < 0)
        return levels;
    if (!device.reserved().points().empty())
        levels.reserved = device.reserved().largestIn(measured.window.begin + std::size_t{1},
                                                      measured.window.end + std::size_t{1});
    if (levels.reserved && !device.foreign().points().empty()) {
        levels.driver = base::Bytes{};
        for (std::size_t step = measured.window.begin + std::size_t{1}; step <= measured.window.end;
             ++step)
            levels.driver =
                std::max(*levels.driver, device.reserved().at(step) + device.foreign().at(step));
    }
    const doctor::RecordedSettings settings = doctor::recordedSettings(measured.trace);
    base::Bytes most;
    bool isEqual = true;
    const doctor::TraceReplay replay{device};
    const auto end =
        replay.run({.settings = settings.settings, .end = measured.window.end}, job,
                   [&](memtrace::EventIndex event, const allocator::AllocatorReplay& before) {
                       if (event <= measured.window.begin)
                           return;
                       most = std::max(most, before.counters().allocated);
                       isEqual = isEqual
                                 && (isOfSegment(device.action(event - 1))
                                     || before.counters().reserved == device.reserved().at(event));
                   });
    if (!end)
        return base::cancelled();
    if (levels.reserved && isEqual && !end->failedAt) {
        levels.allocated = std::max(most, end->allocator.counters().allocated);
        return levels;
    }
    levels.allocated = roundedPeak(measured);
    levels.doubt =
        levels.reserved
            ? "A replay of the recording doesn't reserve what was recorded in this step, so blocks "
              "are counted as rounded up to 512 B each; larger ones may be longer."
            : "The recording has no reserved bytes, so blocks are counted as rounded up "
              "to 512 B each; larger ones may be longer.";
    return levels;
}

} // namespace plimsoll::waterfall
