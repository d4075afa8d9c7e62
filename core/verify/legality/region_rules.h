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
/// wrong, as the rest of a sentence. Nothing if the graph doesn't record how its calls were made.
[[nodiscard]] std::optional<std::string> passingFault(const graph::Program& program,
                                                      const Region& region, std::size_t index);

/// Sibling regions must follow each other, in plans of modules and of ops alike; calls `check` for
/// each of them, even if they don't.
template <typename Check>
void checkSiblings(const std::vector<Region>& regions, FaultList& faults, const Check& check)
{
    graph::OpIndex before = graph::kBeforeStep - 1; // for the message about a region before op 0
    for (const Region& region : regions) {
        if (region.first <= before)
            faults.add(region, "starts at op {}, inside or before its sibling that ends at op {}",
                       region.first, before);
        before = std::max(before, region.last);
        check(region);
    }
}

/// A nested region must lie strictly inside its parent. Returns whether it does.
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
