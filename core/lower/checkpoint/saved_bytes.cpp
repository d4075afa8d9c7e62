// SPDX-License-Identifier: Apache-2.0
#include "core/lower/checkpoint/saved_bytes.h"

#include "core/lower/checkpoint/region_table.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace plimsoll::plan {

base::Bytes savedForBackward(const graph::Program& program, const CheckpointRegions& plan)
{
    std::vector<bool> isCounted(program.storages.size(), false);
    base::Bytes sum;
    const auto count = [&](graph::StorageId storage) {
        if (!isCounted[storage.index()])
            sum += program.storage(storage).bytes;
        isCounted[storage.index()] = true;
    };
    std::vector<bool> isInside(program.ops.size(), false);
    std::optional<ModelCode> code;
    if (plan.granularity == Granularity::Op && !plan.regions.empty())
        code.emplace(program);
    for (const Region& region : plan.regions) {
        std::fill(isInside.begin() + region.first, isInside.begin() + region.last + 1, true);
        for (const graph::StorageId argument :
             argumentsOf(program, region, code ? &*code : nullptr))
            count(argument);
    }
    for (const graph::Saved& row : program.saved)
        if (!isInside[row.op.index()])
            count(program.tensor(row.tensor).storage);
    return sum;
}

} // namespace plimsoll::plan
