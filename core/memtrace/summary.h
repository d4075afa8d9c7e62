// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/memory_trace.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::memtrace {

/// Figures of one device. Bytes are what was requested, unless said otherwise.
struct DeviceSummary
{
    int ordinal = 0;
    std::uint64_t events = 0;    ///< as recorded, DeviceTrace::recordedCount()
    std::size_t allocations = 0; ///< those from before the recording included
    std::size_t segments = 0;    ///< at the end
    std::size_t outOfMemory = 0; ///< allocations that failed

    base::Bytes initial; ///< live before the first event
    base::Bytes peak;
    std::int64_t peakEvent = -1; ///< as recorded: the first that reached it; -1: live before
    base::Nanoseconds peakTime;  ///< from the trace's begin
    base::Bytes end;             ///< live after the last event, pending frees included

    bool hasReserved = false; ///< otherwise the next two are 0
    base::Bytes peakReserved;
    base::Bytes endReserved;
    bool hasForeign = false; ///< DeviceTrace::foreign() is known; otherwise the next two are 0
    base::Bytes peakForeign;
    base::Bytes endForeign;
    bool hasEnd = false;      ///< whether the state at the end was recorded; else the next are 0
    base::Bytes endAllocated; ///< whole blocks, pending frees not included
    std::size_t endFreeBlocks = 0;
    base::Bytes endFree; ///< whole blocks
    base::Bytes endLargestFree;

    /// Blocks were freed that the recording doesn't allocate, and it has as many events as people
    /// give a ring buffer: then it probably ran over.
    bool mayHaveOverflowed = false;
};

struct TraceSummary
{
    std::vector<DeviceSummary> devices; ///< as MemoryTrace::devices()
    std::size_t highest = 0;            ///< highestDevice()
};

[[nodiscard]] DeviceSummary summaryOf(const DeviceTrace& device);
[[nodiscard]] TraceSummary summaryOf(const MemoryTrace& trace);
/// Index of the device with the highest peak; pinned host memory only if there is nothing else.
[[nodiscard]] std::size_t highestDevice(const MemoryTrace& trace);

} // namespace plimsoll::memtrace
