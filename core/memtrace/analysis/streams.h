// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/device_trace.h"

#include <cstddef>
#include <vector>

namespace plimsoll::memtrace {

/// Streams are pointers: they are numbered from 1 on in the order in which the recording has them;
/// 0 is the default stream. By place of DeviceTrace::places().
[[nodiscard]] std::vector<std::size_t> streamNumbers(const DeviceTrace& device);

/// Of one stream; 0 if the device doesn't have it.
[[nodiscard]] std::size_t streamNumber(const DeviceTrace& device, std::uint64_t stream);

} // namespace plimsoll::memtrace
