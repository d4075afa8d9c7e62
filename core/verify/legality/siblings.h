// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/faults.h"

#include <algorithm>
#include <vector>

namespace plimsoll::plan::verifying {

/// Regions beside each other come one after the other, in plans of modules and of ops alike;
/// `check` takes each of them, whether that holds or not.
template <typename Check>
void checkSiblings(const std::vector<Region>& regions, FaultList& faults, const Check& check)
{
    graph::OpIndex before = graph::kBeforeStep - 1; // so that a region before op 0 is told so
    for (const Region& region : regions) {
        if (region.first <= before)
            faults.add(region, fmt::format("starts at op {}, inside or before its sibling that "
                                           "ends at op {}",
                                           region.first, before));
        before = std::max(before, region.last);
        check(region);
    }
}

} // namespace plimsoll::plan::verifying
