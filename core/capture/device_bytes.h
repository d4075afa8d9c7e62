// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/capture.h"

#include <cstdint>
#include <vector>

namespace plimsoll::capture {

/// What a process held of a device by calls of the driver: with PyTorch's caching allocator its
/// reserved bytes and those of other libraries.
struct DeviceBytes
{
    std::uint32_t device = 0;
    std::uint64_t peak = 0;
    std::uint64_t last = 0; ///< at the end of the recording
    std::uint64_t allocations = 0;
    std::uint64_t releases = 0;
    std::uint64_t unmatched = 0; ///< releases of what isn't in the recording
};

/// Of each device with memory, in order. Counts device memory and arrays that were allocated, and
/// physical memory until it is released and no longer mapped.
[[nodiscard]] std::vector<DeviceBytes> deviceBytes(const Capture& capture);

} // namespace plimsoll::capture
