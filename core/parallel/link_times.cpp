// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/link_times.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::plan {

namespace {

using base::Nanoseconds;

constexpr double kMost = 1e15; ///< eleven days: sums of many stay in range

Nanoseconds nanoseconds(double time)
{
    return Nanoseconds{std::llround(std::min(time, kMost))};
}

/// So many times around the ring.
Nanoseconds ringTime(const DataParallel& setting, base::Bytes bytes, double rounds)
{
    const auto others = static_cast<double>(setting.world - 1);
    return nanoseconds(rounds * 1e9 * others / static_cast<double>(setting.world)
                           * static_cast<double>(bytes.count()) / setting.busBandwidth
                       + rounds * others * static_cast<double>(setting.latency.count()));
}

} // namespace

Nanoseconds allReduceTime(const DataParallel& setting, base::Bytes bytes)
{
    return ringTime(setting, bytes, 2);
}

Nanoseconds halfRingTime(const DataParallel& setting, base::Bytes bytes)
{
    return ringTime(setting, bytes, 1);
}

Nanoseconds broadcastTime(const DataParallel& setting, base::Bytes bytes)
{
    return nanoseconds(static_cast<double>(bytes.count()) / setting.busBandwidth * 1e9
                       + static_cast<double>((setting.world - 1) * setting.latency.count()));
}

Nanoseconds copyTime(const Device& device, base::Bytes bytes)
{
    return nanoseconds(2e9 * static_cast<double>(bytes.count()) / device.bandwidth)
           + device.launchLatency;
}

} // namespace plimsoll::plan
