// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/timeline/layers.h"

#include <cstdint>

namespace plimsoll::timeline {

/// One block of memory, live during the steps begin..end, both included.
struct Interval
{
    Interval() = default;
    Interval(std::uint32_t first, std::uint32_t last, base::Bytes size, Category category,
             std::uint32_t source)
        : begin{first}
        , end{last}
        , bytes{size}
        , origin{source}
        , layer{static_cast<std::uint8_t>(category)}
    {
    }

    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    base::Bytes bytes;
    std::uint32_t origin = 0; ///< index into the producer's table (a Schedule's instances), which
                              ///< leads to tensor and source line
    std::uint16_t lane = 0;
    std::uint8_t layer = 0;
};

} // namespace plimsoll::timeline
