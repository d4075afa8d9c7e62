// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/stand_in_gpu/gpu_events.h"

#include <cstdint>

namespace plimsoll::stand_in {

/// Nanoseconds since 1970 if somebody listens; else 0, which costs nothing.
[[nodiscard]] std::uint64_t eventBegin();
/// While it lives, what this thread tells of was a call of the driver's.
class ThroughDriver
{
public:
    ThroughDriver();
    ~ThroughDriver();
    ThroughDriver(const ThroughDriver&) = delete;
    ThroughDriver& operator=(const ThroughDriver&) = delete;
    ThroughDriver(ThroughDriver&&) = delete;
    ThroughDriver& operator=(ThroughDriver&&) = delete;
};
/// Tells the listener, if there is one.
void tell(const StandInGpuEvent& event);
/// Of a kernel by its address on the host, as its library has registered it; null if it has not.
[[nodiscard]] const char* kernelName(const void* function);

} // namespace plimsoll::stand_in
