// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/device_columns.h"
#include "core/memtrace/step_curve.h"

namespace plimsoll::memtrace {

/// What happened on one device, or in pinned host memory. Immutable.
class DeviceTrace
{
public:
    explicit DeviceTrace(DeviceColumns columns);

    /// -1: pinned host memory.
    [[nodiscard]] int ordinal() const { return m_columns.ordinal; }

    [[nodiscard]] std::size_t eventCount() const { return m_columns.actions.size(); }
    [[nodiscard]] Action action(EventIndex event) const { return m_columns.actions[event]; }
    /// Alloc, frees, Annotate: an index into allocations(). OutOfMemory: into outOfMemory().
    /// kNone: nothing that is known.
    [[nodiscard]] std::uint32_t subject(EventIndex event) const
    {
        return m_columns.subjects[event];
    }
    /// From the trace's begin; never falls.
    [[nodiscard]] base::Nanoseconds timeOf(EventIndex event) const
    {
        return base::Nanoseconds{m_columns.times[event + std::size_t{1}]};
    }
    /// The times of an axis whose step 0 is the state before the first event and whose step i + 1
    /// is the state after event i: eventCount() + 1 steps, and the end.
    [[nodiscard]] const timeline::Times& axisTimes() const { return m_columns.times; }
    [[nodiscard]] std::size_t stepCount() const { return eventCount() + 1; }

    /// Position in the recording, where a Free is two events: that of the first.
    [[nodiscard]] std::uint64_t recordedIndex(EventIndex event) const;
    /// That of the last, at which the event has happened: what is shown of it.
    [[nodiscard]] std::uint64_t shownIndex(EventIndex event) const
    {
        return recordedIndex(event) + (action(event) == Action::Free ? 1U : 0U);
    }
    /// The event that contains this one of the recording. Requires index < recordedCount().
    [[nodiscard]] EventIndex eventAtRecorded(std::uint64_t index) const;
    [[nodiscard]] std::uint64_t recordedCount() const { return m_recordedCount; }

    [[nodiscard]] const Allocations& allocations() const { return m_columns.allocations; }
    /// When the free was requested; kNoEvent: never, or not recorded.
    [[nodiscard]] EventIndex freeRequested(AllocationId allocation) const;
    /// Frees requested before they were completed, sorted by allocation.
    [[nodiscard]] const std::vector<PendingFree>& pendingFrees() const
    {
        return m_columns.pendingFrees;
    }
    [[nodiscard]] const std::vector<Place>& places() const { return m_columns.places; }
    [[nodiscard]] const Place& placeOf(AllocationId allocation) const
    {
        return m_columns.places[m_columns.allocations.place[allocation.index()]];
    }
    /// Steps of axisTimes() during which an allocation is live, both included.
    [[nodiscard]] std::uint32_t firstStep(std::size_t allocation) const
    {
        return m_columns.allocations.allocEvent[allocation] + 1; // kNoEvent + 1 is 0
    }
    [[nodiscard]] std::uint32_t lastStep(std::size_t allocation) const
    {
        const EventIndex freed = m_columns.allocations.freeEvent[allocation];
        return freed == kNoEvent ? static_cast<std::uint32_t>(eventCount()) : freed;
    }

    /// Sorted by begin, those from before the recording first.
    [[nodiscard]] const std::vector<Segment>& segments() const { return m_columns.segments; }
    /// Reserved bytes by step of axisTimes().
    [[nodiscard]] const StepCurve& reserved() const { return m_reserved; }
    /// Memory of the device that others in the process than the recorded allocator hold, such as
    /// libraries, by step of axisTimes(); without points if the recording doesn't tell.
    [[nodiscard]] const StepCurve& foreign() const { return m_foreign; }
    /// Whether the recording has the state at its end.
    [[nodiscard]] bool hasEnd() const { return m_columns.hasEnd; }
    /// Sorted by address.
    [[nodiscard]] const std::vector<EndBlock>& endBlocks() const { return m_columns.endBlocks; }
    [[nodiscard]] const std::vector<OutOfMemory>& outOfMemory() const
    {
        return m_columns.outOfMemory;
    }
    /// Sorted by event.
    [[nodiscard]] const std::vector<EventText>& texts() const { return m_columns.texts; }

    /// All of it, to be stored.
    [[nodiscard]] const DeviceColumns& columns() const { return m_columns; }

private:
    [[nodiscard]] std::uint64_t foldedBefore(EventIndex event) const;

    DeviceColumns m_columns;
    std::uint64_t m_recordedCount = 0;
    StepCurve m_reserved;
    StepCurve m_foreign;
};

} // namespace plimsoll::memtrace
