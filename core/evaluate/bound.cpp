// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/bound.h"

#include "core/evaluate/working_sets.h"

#include <algorithm>
#include <functional>

namespace plimsoll::plan {

using graph::OpIndex;
using graph::StorageId;

PeakBound peakLowerBound(const Problem& problem, Runtime runtime)
{
    const graph::Program& program = *problem.step();
    const WorkingSets sets{problem, runtime};
    PeakBound bound{problem.reserve, graph::OpId{}, {}};
    for (std::size_t op = 0; op < sets.size(); ++op)
        if (sets.bytesAt(op) > bound.bytes) {
            bound.bytes = sets.bytesAt(op);
            bound.op = graph::OpId{op};
        }
    if (sets.size() == 0)
        return bound;
    const auto at = static_cast<OpIndex>(bound.op.index());
    bound.storages = sets.movableAt(bound.op.index());
    for (std::size_t storage = 0; storage < program.storages.size(); ++storage)
        if (sets.alwaysAsRecorded(StorageId{storage}) && program.storages[storage].alloc <= at
            && program.storages[storage].free >= at)
            bound.storages.emplace_back(storage);
    std::ranges::stable_sort(bound.storages, std::greater{},
                             [&](StorageId storage) { return program.storage(storage).bytes; });
    return bound;
}

} // namespace plimsoll::plan
