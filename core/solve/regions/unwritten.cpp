// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/unwritten.h"

#include <algorithm>
#include <set>
#include <utility>

namespace plimsoll::solve {

using graph::OpIndex;
using graph::TensorId;

namespace {

/// By forward or loss op: how far a region that holds it must reach at least.
std::vector<OpIndex> leastEnds(const graph::Program& program)
{
    const auto count = static_cast<OpIndex>(program.forwardCount());
    std::vector<std::vector<OpIndex>> writes(program.storages.size());
    for (OpIndex at = 0; at < count; ++at)
        for (const TensorId tensor : program.ops[static_cast<std::size_t>(at)].writes)
            if (program.storageOf(tensor).alloc >= 0)
                writes[program.tensor(tensor).storage.index()].push_back(at);
    std::set<std::pair<OpIndex, OpIndex>> stops; // op that has run by then, op that saves
    for (const graph::Saved& row : program.saved) {
        const auto saver = static_cast<OpIndex>(row.op.index());
        stops.emplace(row.afterKernel ? saver : saver - 1, saver);
    }
    std::vector<OpIndex> least(program.forwardCount(), graph::kBeforeStep);
    for (const graph::Saved& row : program.saved) {
        const std::vector<OpIndex>& those = writes[program.tensor(row.tensor).storage.index()];
        const auto at = static_cast<OpIndex>(row.op.index());
        if (!row.unpack || at >= count || those.empty() || those.back() <= at)
            continue;
        const auto stop = stops.lower_bound({those.back(), those.back()});
        OpIndex& end = least[row.op.index()];
        end = std::max(end, stop == stops.end() ? count : stop->second);
    }
    return least;
}

} // namespace

std::vector<OpIndex> newestUnwritten(const graph::Program& program)
{
    const std::vector<OpIndex> least = leastEnds(program);
    std::vector<OpIndex> newest(least.size(), graph::kBeforeStep);
    std::vector<std::size_t> open; // ops that reach further, rising
    for (std::size_t at = 0; at < least.size(); ++at) {
        open.push_back(at);
        while (!open.empty() && least[open.back()] <= static_cast<OpIndex>(at))
            open.pop_back();
        if (!open.empty())
            newest[at] = static_cast<OpIndex>(open.back());
    }
    return newest;
}

} // namespace plimsoll::solve
