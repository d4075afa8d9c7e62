// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/savable.h"

#include <algorithm>

namespace plimsoll::solve {

using graph::TensorId;

std::vector<bool> keepableOps(const plan::Problem& problem)
{
    const graph::Program& program = *problem.step();
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
    for (const plan::Pin& pin : problem.pins)
        if (pin.kind == plan::PinKind::Recompute)
            for (const graph::StorageId storage : pin.storages)
                if (const graph::OpIndex alloc = program.storage(storage).alloc; alloc >= 0)
                    savable[static_cast<std::size_t>(alloc)] = false;
    return savable;
}

std::vector<graph::OpIndex> lastForwardUses(const graph::Program& program)
{
    std::vector<graph::OpIndex> last(program.storages.size(), graph::kBeforeStep);
    const std::size_t forward = program.forwardCount();
    for (std::size_t op = 0; op < forward; ++op)
        for (const std::vector<TensorId>* tensors :
             {&program.ops[op].reads, &program.ops[op].writes, &program.ops[op].outputs})
            for (const TensorId tensor : *tensors)
                last[program.tensor(tensor).storage.index()] = static_cast<graph::OpIndex>(op);
    return last;
}

} // namespace plimsoll::solve
