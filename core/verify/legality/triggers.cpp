// SPDX-License-Identifier: Apache-2.0
#include "core/verify/legality/triggers.h"

#include "core/verify/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace plimsoll::plan::verifying {

std::vector<Fault> triggerFaults(const graph::Program& program, const CheckpointRegions& plan)
{
    std::vector<Fault> faults;
    std::vector<bool> isTold(plan.regions.size(), false);
    const auto forward = static_cast<graph::OpIndex>(program.forwardCount());
    for (const graph::Saved& row : program.saved) {
        if (!row.unpack || *row.unpack >= forward)
            continue;
        // An op of a nested region lies in the outermost one, too.
        const auto op = static_cast<graph::OpIndex>(row.op.index());
        const auto region = std::ranges::find_if(plan.regions, [op](const Region& candidate) {
            return candidate.first <= op && op <= candidate.last;
        });
        if (region == plan.regions.end())
            continue;
        const auto told = isTold.begin() + (region - plan.regions.begin());
        if (*told)
            continue;
        *told = true;
        faults.push_back(
            {FaultKind::IllegalRegion,
             fmt::format("In forward {} would be recomputed: what {} saves is unpacked before {}.",
                         nameOf(program, *region), nameOf(program, row.op),
                         nameOf(program, graph::opAt(*row.unpack)))});
    }
    return faults;
}

} // namespace plimsoll::plan::verifying
