// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/savable.h"

#include <algorithm>

namespace plimsoll::solve {

using graph::TensorId;

std::vector<bool> keepableOps(const graph::Program& program)
{
    const std::size_t forward = program.forwardCount();
    std::vector<bool> isOverwritten(program.storages.size(), false);
    for (std::size_t op = 0; op < forward; ++op)
        for (const TensorId tensor : program.ops[op].writes)
            isOverwritten[program.tensor(tensor).storage.index()] = true;
    const auto isBuffer = [&](TensorId tensor) {
        return program.storageOf(tensor).storageClass == graph::StorageClass::Buffer;
    };
    std::vector<bool> savable(program.ops.size(), false);
    for (std::size_t op = 0; op < forward; ++op) {
        const graph::Op& row = program.ops[op];
        const auto isOwn = [&](TensorId tensor) {
            return program.storageOf(tensor).alloc == static_cast<graph::OpIndex>(op)
                   && !isOverwritten[program.tensor(tensor).storage.index()];
        };
        savable[op] = !row.outputs.empty()
                      && std::all_of(row.outputs.begin(), row.outputs.end(), isOwn)
                      && std::all_of(row.writes.begin(), row.writes.end(), isBuffer);
    }
    return savable;
}

} // namespace plimsoll::solve
