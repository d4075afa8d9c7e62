// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/trace_diff.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace plimsoll::memtrace {

namespace {

using BlockSizes = std::map<std::int64_t, std::size_t>; ///< how many blocks have a size
using DiffName = std::pair<std::string, std::vector<std::string>>;

struct DiffSides
{
    BlockSum a;
    BlockSum b;
    BlockSizes sizesOfA;
    BlockSizes sizesOfB;
};

using DiffGroups = std::map<DiffName, DiffSides>;

void addSide(DiffGroups& groups, const DiffSide& side, LiveBy by, BlockSum DiffSides::*sum,
             BlockSizes DiffSides::*sizes)
{
    const Classes classes = classify(side.trace, side.device);
    const LiveGroups live = liveGroups(side.trace, side.device, classes, side.step, by);
    std::vector<DiffSides*> byIndex;
    byIndex.reserve(live.groups.size());
    for (const LiveGroup& group : live.groups)
        byIndex.push_back(&groups[{group.name, group.frames}]);
    for (const LiveBlock& block :
         liveBlocks(side.trace, side.device, classes, side.step, by, live)) {
        const std::int64_t bytes = side.device.allocations().bytes[block.allocation];
        DiffSides& sides = *byIndex[block.group];
        sides.*sum += {base::Bytes{bytes}, 1};
        ++(sides.*sizes)[bytes];
    }
}

BlockSum blocksOfBoth(const DiffSides& sides)
{
    BlockSum common;
    for (const auto& [bytes, count] : sides.sizesOfA) {
        const auto other = sides.sizesOfB.find(bytes);
        if (other == sides.sizesOfB.end())
            continue;
        const std::size_t both = std::min(count, other->second);
        common += {base::Bytes{bytes} * static_cast<std::int64_t>(both), both};
    }
    return common;
}

} // namespace

TraceDiff diffTraces(const DiffSide& a, const DiffSide& b, LiveBy by)
{
    DiffGroups groups;
    addSide(groups, a, by, &DiffSides::a, &DiffSides::sizesOfA);
    addSide(groups, b, by, &DiffSides::b, &DiffSides::sizesOfB);
    TraceDiff diff;
    for (const auto& [name, sides] : groups) {
        diff.groups.push_back({name.first, name.second, sides.a, sides.b, blocksOfBoth(sides)});
        diff.a += sides.a;
        diff.b += sides.b;
        diff.common += diff.groups.back().common;
    }
    diff.onlyA = diff.a - diff.common;
    diff.onlyB = diff.b - diff.common;
    // The map has them by name already.
    std::stable_sort(diff.groups.begin(), diff.groups.end(),
                     [](const DiffGroup& first, const DiffGroup& second) {
                         return std::abs(first.delta().count()) > std::abs(second.delta().count());
                     });
    return diff;
}

} // namespace plimsoll::memtrace
