// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/bound.h"

#include <algorithm>
#include <functional>

namespace plimsoll::plan {

using graph::OpIndex;
using graph::StorageId;

WorkingSets::WorkingSets(const Problem& problem, Runtime runtime)
    : m_problem{problem}
    , m_program{*problem.step()}
    , m_movableOps{static_cast<OpIndex>(runtime == Runtime::CompiledStep
                                            ? m_program.countBeforeOptimizer()
                                            : m_program.forwardCount())}
    , m_unpacked(m_program.ops.size())
    , m_bytes(m_program.ops.size(), problem.reserve.count())
{
    const auto ops = static_cast<OpIndex>(m_program.ops.size());
    for (const graph::Saved& saved : m_program.saved) {
        const StorageId storage = m_program.tensor(saved.tensor).storage;
        if (runtime == Runtime::CompiledStep || !saved.unpack || alwaysAsRecorded(storage))
            continue;
        for (OpIndex op = *saved.unpack; op <= std::min(saved.dropped, ops - 1); ++op)
            m_unpacked[static_cast<std::size_t>(op)].push_back(storage);
    }
    std::vector<std::int64_t> delta(m_bytes.size() + 1, 0);
    for (std::size_t index = 0; index < m_program.storages.size() && ops > 0; ++index) {
        const graph::Storage& storage = m_program.storages[index];
        if (!alwaysAsRecorded(StorageId{index}))
            continue;
        const std::int64_t bytes = graph::rounded(storage.bytes, problem.rounding).count();
        delta[static_cast<std::size_t>(std::max(storage.alloc, 0))] += bytes;
        if (storage.free < ops)
            delta[static_cast<std::size_t>(storage.free) + 1] -= bytes;
    }
    std::int64_t recorded = 0;
    for (std::size_t op = 0; op < m_bytes.size(); ++op) {
        recorded += delta[op];
        m_bytes[op] += recorded;
        for (const StorageId storage : movableAt(op))
            m_bytes[op] +=
                graph::rounded(m_program.storage(storage).bytes, problem.rounding).count();
    }
}

bool WorkingSets::alwaysAsRecorded(StorageId id) const
{
    const graph::Storage& storage = m_program.storage(id);
    return storage.alloc >= m_movableOps || (storage.alloc < 0 && storage.free == graph::kNever);
}

std::vector<StorageId> WorkingSets::movableAt(std::size_t op) const
{
    std::vector<StorageId> members = m_unpacked[op];
    const graph::Op& row = m_program.ops[op];
    for (const std::vector<graph::TensorId>* tensors : {&row.reads, &row.writes, &row.outputs})
        for (const graph::TensorId tensor : *tensors)
            if (const StorageId storage = m_program.tensor(tensor).storage;
                !alwaysAsRecorded(storage))
                members.push_back(storage);
    std::ranges::sort(members);
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
}

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
