// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/faults.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::plan::verifying {

/// REGIONS AT OP GRANULARITY of LIFETIMES.md.
void checkOpRegions(const graph::Program& program, const CheckpointRegions& plan,
                    std::vector<Fault>& faults);

/// SAVED SETS of LIFETIMES.md. The regions themselves must be legal.
void checkSaves(const graph::Program& program, const CheckpointRegions& plan,
                std::vector<Fault>& faults);

/// Rule 2 of LIFETIMES.md beyond tensors, for the member at `index` (from 1) of a region: what is
/// wrong, as the rest of a sentence. Nothing where the graph doesn't tell how its calls were made.
[[nodiscard]] std::optional<std::string> passingFault(const graph::Program& program,
                                                      const Region& region, std::size_t index);

/// Regions beside each other come one after the other, in plans of modules and of ops alike;
/// `check` takes each of them, whether that holds or not.
template <typename Check>
void checkSiblings(const std::vector<Region>& regions, FaultList& faults, const Check& check)
{
    graph::OpIndex before = graph::kBeforeStep - 1; // so that a region before op 0 is told so
    for (const Region& region : regions) {
        if (region.first <= before)
            faults.add(region, "starts at op {}, inside or before its sibling that ends at op {}",
                       region.first, before);
        before = std::max(before, region.last);
        check(region);
    }
}

/// A nested region lies strictly inside of its parent. Returns whether it does.
inline bool checkInside(const Region& region, const Region& parent, FaultList& faults)
{
    if (region.first < parent.first || region.last > parent.last)
        faults.add(region, "extends beyond {}", parent);
    else if (region.first == parent.first && region.last == parent.last)
        faults.add(region, "runs the same ops as {} around it", parent);
    else
        return true;
    return false;
}

} // namespace plimsoll::plan::verifying
