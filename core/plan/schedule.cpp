// SPDX-License-Identifier: Apache-2.0
#include "core/plan/schedule.h"

#include <algorithm>

namespace plimsoll::plan {

namespace {

void flattenInto(const std::vector<Region>& regions, std::int32_t parent,
                 std::vector<FlatRegion>& flat)
{
    for (const Region& region : regions) {
        const auto index = static_cast<std::int32_t>(flat.size());
        flat.push_back({&region, parent});
        flattenInto(region.nested, index, flat);
    }
}

} // namespace

std::vector<bool> Schedule::opsIn(std::size_t begin, std::size_t end) const
{
    std::vector<bool> runs(stepOfOp.size());
    for (std::size_t step = begin; step < std::min(end, steps.size()); ++step)
        runs[steps[step].op.index()] = true;
    return runs;
}

std::size_t Schedule::stepOf(graph::OpId op, bool recomputed) const
{
    if (recomputed) {
        const auto again = std::ranges::find_if(
            steps, [op](const Step& step) { return step.op == op && step.region >= 0; });
        if (again != steps.end())
            return static_cast<std::size_t>(again - steps.begin());
    }
    return static_cast<std::size_t>(stepOfOp[op.index()]);
}

graph::Phase Schedule::phaseAt(const graph::Program& program, std::size_t step) const
{
    if (steps[step].region < 0)
        return program.op(steps[step].op).phase;
    while (step < steps.size() && steps[step].region >= 0)
        ++step;
    return step == steps.size()
               ? graph::Phase::Backward
               : std::min(program.op(steps[step].op).phase, graph::Phase::Backward);
}

std::size_t depthOf(const Region& region)
{
    std::size_t deepest = 0;
    for (const Region& nested : region.nested)
        deepest = std::max(deepest, depthOf(nested));
    return deepest + 1;
}

std::vector<FlatRegion> flatten(const std::vector<Region>& regions)
{
    std::vector<FlatRegion> flat;
    flattenInto(regions, -1, flat);
    return flat;
}

} // namespace plimsoll::plan
