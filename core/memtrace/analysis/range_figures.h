// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/device_trace.h"

namespace plimsoll::memtrace {

/// What happens between two steps of DeviceTrace::axisTimes().
struct RangeFigures
{
    std::size_t allocations = 0; ///< that begin after the first step
    std::size_t frees = 0;       ///< completed after it
};

/// Requires first <= last < stepCount().
[[nodiscard]] RangeFigures rangeFigures(const DeviceTrace& device, std::size_t first,
                                        std::size_t last);

} // namespace plimsoll::memtrace
