// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/diagnose.h"

#include "core/doctor/remedies.h"
#include "core/memtrace/summary.h"

#include <algorithm>
#include <utility>

namespace plimsoll::doctor {

namespace {

using base::Bytes;
using memtrace::DeviceTrace;
using memtrace::EventIndex;

ToldBytes exactly(Bytes bytes)
{
    return {bytes, {}};
}

Moment momentOf(const DeviceTrace& device)
{
    Moment moment;
    if (!device.outOfMemory().empty()) {
        moment.failure = device.outOfMemory().back();
        moment.step = moment.failure->event;
        return moment;
    }
    const std::int64_t event = memtrace::summaryOf(device).peakEvent;
    if (event >= 0)
        moment.step = device.eventAtRecorded(static_cast<std::uint64_t>(event)) + std::size_t{1};
    return moment;
}

/// What was missing: what the request needs in a new segment, without what the driver had left.
void addMissing(Diagnosis& diagnosis)
{
    if (!diagnosis.asked || !diagnosis.free)
        return;
    if (diagnosis.replay && diagnosis.replay->refusal.empty() && diagnosis.replay->limit) {
        diagnosis.missing = exactly(diagnosis.replay->needed - *diagnosis.replay->limit);
        return;
    }
    diagnosis.missing = exactly(std::max(Bytes{}, diagnosis.asked->value - diagnosis.free->value));
}

void addFigures(Diagnosis& diagnosis, const DeviceTrace& device, const TraceReplay& replay)
{
    const Moment& moment = *diagnosis.moment;
    if (moment.failure) {
        if (moment.failure->askedBytes > 0)
            diagnosis.asked = exactly(Bytes{moment.failure->askedBytes});
        if (moment.failure->deviceFreeBytes >= 0)
            diagnosis.free = exactly(Bytes{moment.failure->deviceFreeBytes});
    }
    if (!device.foreign().points().empty())
        diagnosis.foreign = exactly(device.foreign().at(moment.step));
    diagnosis.live = exactly(diagnosis.byClass->bytes);
    if (diagnosis.isOfDriver)
        return;
    if (!device.segments().empty() || device.reserved().largest().count() > 0)
        diagnosis.reserved = exactly(device.reserved().at(moment.step));
    IdleQuery query{moment.step, {}, {}};
    if (diagnosis.asked) {
        query.asked = diagnosis.asked->value;
        query.place = replay.placeBefore(moment.failure->event);
    }
    std::optional<IdleMemory> idle = idleMemory(device, replay, query);
    if (diagnosis.replay->idle && (!idle || idle->known == IdleKnown::Layout))
        idle = diagnosis.replay->idle;
    if (idle)
        diagnosis.idle = exactly(idle->bytes);
    diagnosis.idleBlocks = idle;
    if (!diagnosis.reserved || !diagnosis.idle)
        return;
    const Bytes beyond = diagnosis.reserved->value - diagnosis.live->value - diagnosis.idle->value;
    if (beyond.count() > 0)
        diagnosis.beyond = exactly(beyond);
}

} // namespace

base::Result<Diagnosis> diagnose(const memtrace::MemoryTrace& trace, const DeviceTrace& device,
                                 const base::JobContext& context)
{
    Diagnosis diagnosis;
    diagnosis.isOfDriver = trace.isOfDriver();
    diagnosis.hasWholeBlocks = trace.hasWholeBlocks();
    diagnosis.device = device.ordinal();
    diagnosis.moment = momentOf(device);
    const Moment& moment = *diagnosis.moment;
    diagnosis.isFailure = moment.failure.has_value();
    TraceReplay replay{device};
    diagnosis.replay = replaySettings(trace, device, replay, moment, context);
    if (!diagnosis.replay)
        return base::cancelled();
    const memtrace::Classes classes = memtrace::classify(trace, device);
    diagnosis.byClass =
        memtrace::liveGroups(trace, device, classes, moment.step, memtrace::LiveBy::Class);
    diagnosis.byFrame =
        memtrace::liveGroups(trace, device, classes, moment.step, memtrace::LiveBy::Frame);
    addFigures(diagnosis, device, replay);
    addMissing(diagnosis);
    addSettings(diagnosis);
    addClasses(diagnosis, device, classes);
    addIdle(diagnosis);
    if (diagnosis.isOfDriver)
        addSnapshot(diagnosis);
    sortRemedies(diagnosis.remedies);
    return diagnosis;
}

} // namespace plimsoll::doctor
