// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/timeline/timeline.h"

namespace plimsoll::timeline {

/// What happens to the memory between two steps: `difference` = `allocated` - `freed`.
struct Change
{
    base::Bytes difference; ///< bytes live during the last step less those during the first
    base::Bytes allocated;  ///< of blocks that become live after the first step
    base::Bytes freed;      ///< of blocks that are no longer live during the last step

    bool operator==(const Change&) const = default;
};

/// Requires first <= last < stepCount(). Blocks that live only in between are in both sums. Its
/// time depends on the number of blocks allocated in between.
[[nodiscard]] Change changeBetween(const Timeline& timeline, std::size_t first, std::size_t last);

} // namespace plimsoll::timeline
