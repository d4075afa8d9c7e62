// SPDX-License-Identifier: Apache-2.0
// What the stand-in GPU tells of its work. Plain data and a C function, since its CUPTI is a
// library of its own.
#pragma once

#include <cstdint>

extern "C" {

enum StandInGpuEventKind : int {
    StandInContextMade,
    StandInAllocated,
    StandInFreed,
    StandInHostAllocated,
    StandInHostFreed,
    StandInRangeReserved,
    StandInRangeFreed,
    StandInMemoryCreated,
    StandInMemoryReleased,
    StandInMapped,
    StandInUnmapped,
    StandInLaunched,
    StandInCopied,
    StandInFilled,
};

/// One call, after it has ended. Fields that a kind has no use for are 0.
struct StandInGpuEvent
{
    StandInGpuEventKind kind = StandInContextMade;
    int device = 0; ///< ordinal
    int status = 0; ///< of the call: 0 is success
    const void* stream = nullptr;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t handle = 0;    ///< of physical memory
    std::uint64_t begin = 0;     ///< nanoseconds since 1970 at which the call began
    const char* name = nullptr;  ///< of a kernel; its library keeps it
    std::uint32_t grid[3] = {};  ///< of a kernel
    std::uint32_t block[3] = {}; ///< of a kernel
    bool copiesFromDevice = false;
    bool copiesToDevice = false;
    std::uint64_t pool = 0;     ///< of memory that a stream allocates or frees; 0: none
    bool throughDriver = false; ///< the driver's function was called, not the runtime's
};

using StandInGpuListener = void (*)(const StandInGpuEvent* event);

/// Exported by the stand-in GPU. The listener is called by the thread that called the GPU, once
/// each call has been done; null ends that.
void standInGpuListen(StandInGpuListener listener);

} // extern "C"
