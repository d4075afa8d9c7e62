// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/device_trace.h"
#include "core/timeline/timeline.h"

namespace plimsoll::memtrace {

/// Reserved memory that no allocation has, at one step.
struct GapFigures
{
    base::Bytes reserved;
    base::Bytes idle;
    base::Bytes largest; ///< of the gaps between allocations, in one segment
    std::size_t gaps = 0;

    /// 1 − largest gap / idle bytes: 0 if all idle memory is in one piece, or there is none.
    [[nodiscard]] double fragmentation() const
    {
        return idle.count() > 0
                   ? 1.0 - static_cast<double>(largest.count()) / static_cast<double>(idle.count())
                   : 0.0;
    }
    bool operator==(const GapFigures&) const = default;
};

/// A recording has no blocks but those at its end: an allocation is taken to have what it asked
/// for, rounded up to 512 bytes. Segments that touch are one piece only if they are of one
/// expandable segment. `timeline`: buildTimeline() of the device.
[[nodiscard]] GapFigures gapsAt(const DeviceTrace& device, const timeline::Timeline& timeline,
                                std::size_t step);

} // namespace plimsoll::memtrace
