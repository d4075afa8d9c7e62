// SPDX-License-Identifier: Apache-2.0
#include "core/verify/faults.h"

namespace plimsoll::plan::verifying {

std::string nameOf(const graph::Program& program, graph::OpId op)
{
    const graph::Op& row = program.op(op);
    const std::string& path = program.modulePath(row);
    if (path.empty())
        return fmt::format("{} (op {})", program.targetOf(row), op.index());
    return fmt::format("{} of {} (op {})", program.targetOf(row), path, op.index());
}

std::string nameOf(const graph::Program& program, graph::StorageId storage)
{
    const graph::Storage& row = program.storage(storage);
    if (!row.names.empty())
        return fmt::format("{} '{}'", graph::className(row.storageClass), row.names.front());
    if (row.alloc < 0 || static_cast<std::size_t>(row.alloc) >= program.ops.size())
        return fmt::format("{} (storage {})", graph::className(row.storageClass), storage.index());
    return fmt::format("the result of {}", nameOf(program, graph::opAt(row.alloc)));
}

std::string nameOf(const graph::Program& program, graph::CallId call)
{
    if (call.index() >= program.calls.size())
        return fmt::format("call {}", call.index());
    const std::string& path = program.module(program.call(call).module).path;
    return path.empty() ? std::string{"the model"} : path;
}

std::string nameOf(const graph::Program& program, const Region& region)
{
    if (region.members.empty())
        return fmt::format("the region of ops {} to {}", region.first, region.last);
    const std::string first = nameOf(program, region.members.front());
    if (region.members.size() == 1)
        return fmt::format("the region {}", first);
    return fmt::format("the region {} to {}", first, nameOf(program, region.members.back()));
}

} // namespace plimsoll::plan::verifying
