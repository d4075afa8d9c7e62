// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/device_trace.h"
#include "core/memtrace/hashes.h"
#include "core/memtrace/segment_history.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tsl/robin_map.h>
#include <vector>

namespace plimsoll::memtrace {

/// A block of a segment at the end of the recording.
struct RecordedBlock
{
    enum class State : std::uint8_t { Active, PendingFree, Idle };
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t requestedBytes = 0;
    State state = State::Idle;
    StackId stack;
};

using Statistics = std::map<std::string, std::size_t, std::less<>>;
/// Counts a tolerated oddity.
void countFault(Statistics& statistics, std::string_view fault, std::size_t occurrences = 1);

/// What a DeviceBuilder has collected.
struct CollectedDevice
{
    int ordinal = 0;
    std::vector<Action> actions;
    std::vector<std::uint32_t> subjects;
    std::vector<std::int64_t> times; ///< since 1970
    std::int64_t firstTime = 0;      ///< of the first recorded event, even if it is part of a Free
    bool hasTimes = true;

    std::vector<std::uint64_t> addresses; ///< by allocation, as the following
    std::vector<std::int64_t> bytes;
    std::vector<EventIndex> allocEvents;
    std::vector<EventIndex> freeEvents;
    std::vector<std::uint32_t> stacks;
    std::vector<std::uint32_t> freeStacks;
    std::vector<PlaceId> placeIds;
    tsl::robin_map<std::uint64_t, std::uint32_t, AddressHash>
        lastAt;                                            ///< by address: the last allocation
    tsl::robin_map<std::uint32_t, EventIndex> requestedAt; ///< by allocation, of pending frees
    std::int64_t live = 0;        ///< bytes of allocations that began in the recording
    std::int64_t before = 0;      ///< bytes of allocations from before it
    std::int64_t freedBefore = 0; ///< of these, what was freed

    std::vector<Place> places;
    tsl::robin_map<Place, PlaceId, PlaceHash> placeIdOf;
    bool hasPools = true;
    SegmentHistory segments;
    std::vector<Segment> endSegments;
    std::vector<RecordedBlock> endBlocks;
    bool hasEnd = false;
    std::vector<StepCurve::Point> reservedTotals; ///< see DeviceColumns
    std::vector<OutOfMemory> outOfMemory;
    std::vector<EventText> texts;
    std::size_t allocCount = 0;     ///< events
    std::size_t completedCount = 0; ///< events
    std::size_t secondFrees = 0;    ///< events that free what was freed
    Statistics statistics;
};

/// Completes the state before the recording and at its end. `origin` and `end`: the trace's first
/// and last time. Adds to `gaps` what the recording can't show.
[[nodiscard]] DeviceTrace completeDevice(CollectedDevice&& device, std::int64_t origin,
                                         std::int64_t end, Statistics& statistics,
                                         std::vector<std::string>& gaps);

} // namespace plimsoll::memtrace
