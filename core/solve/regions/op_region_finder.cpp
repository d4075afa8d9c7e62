// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/op_region_finder.h"

#include "core/lower/checkpoint/model_code.h"
#include "core/solve/regions/unwritten.h"

#include <algorithm>
#include <set>

namespace plimsoll::solve {

namespace {

using graph::OpIndex;
using graph::TensorId;

/// Where storages that are still to be overwritten are used next, seen from an op on the way from
/// the last one to the first. A region that begins after such a storage was made can't hold a use.
class PendingWrites
{
public:
    explicit PendingWrites(const graph::Program& program)
        : m_program{program}
        , m_lastWrite(program.storages.size(), graph::kBeforeStep)
        , m_nextUse(program.storages.size(), graph::kNever)
        , m_nextRead(program.storages.size(), graph::kNever)
        , m_allocated(program.forwardCount())
    {
        const auto count = static_cast<OpIndex>(program.forwardCount());
        for (OpIndex at = 0; at < count; ++at)
            for (const TensorId tensor : program.ops[static_cast<std::size_t>(at)].writes)
                m_lastWrite[program.tensor(tensor).storage.index()] = at;
        for (std::size_t storage = 0; storage < program.storages.size(); ++storage)
            if (const OpIndex alloc = program.storages[storage].alloc; alloc >= 0 && alloc < count)
                m_allocated[static_cast<std::size_t>(alloc)].push_back(storage);
    }

    void stepBackTo(OpIndex at)
    {
        for (const std::size_t storage : m_allocated[static_cast<std::size_t>(at)])
            setNextUse(storage, graph::kNever); // who begins here makes it
        const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
        for (const TensorId tensor : op.writes) {
            const std::size_t storage = m_program.tensor(tensor).storage.index();
            if (!isBuffer(storage))
                meet(storage, at);
            else if (m_nextRead[storage] != graph::kNever) // would read what this writes twice
                setNextUse(storage, m_nextRead[storage]);
        }
        for (const TensorId tensor : op.reads) {
            const std::size_t storage = m_program.tensor(tensor).storage.index();
            if (isBuffer(storage) && writes(op, storage))
                continue; // running statistics: updated twice, which is allowed
            m_nextRead[storage] = at;
            meet(storage, at);
        }
    }

    [[nodiscard]] OpIndex nearest() const
    {
        return m_uses.empty() ? graph::kNever : *m_uses.begin();
    }

private:
    [[nodiscard]] bool isBuffer(std::size_t storage) const
    {
        return m_program.storages[storage].storageClass == graph::StorageClass::Buffer;
    }
    [[nodiscard]] bool writes(const graph::Op& op, std::size_t storage) const
    {
        return std::any_of(op.writes.begin(), op.writes.end(), [&](TensorId tensor) {
            return m_program.tensor(tensor).storage.index() == storage;
        });
    }
    void meet(std::size_t storage, OpIndex at)
    {
        if (m_program.storages[storage].alloc < at && m_lastWrite[storage] >= at)
            setNextUse(storage, at);
    }
    void setNextUse(std::size_t storage, OpIndex use)
    {
        if (m_nextUse[storage] != graph::kNever)
            m_uses.erase(m_uses.find(m_nextUse[storage]));
        m_nextUse[storage] = use;
        if (use != graph::kNever)
            m_uses.insert(use);
    }

    const graph::Program& m_program;
    std::vector<OpIndex> m_lastWrite; ///< by storage, in forward and loss
    std::vector<OpIndex> m_nextUse;   ///< by storage
    std::vector<OpIndex> m_nextRead;  ///< by storage: by an op that doesn't write it
    std::multiset<OpIndex> m_uses;
    std::vector<std::vector<std::size_t>> m_allocated; ///< by forward or loss op
};

} // namespace

OpRegionFinder::OpRegionFinder(const graph::Program& program)
{
    const plan::ModelCode code{program};
    m_unwritten = newestUnwritten(program);
    m_first = code.first();
    for (OpIndex at = code.first(); at <= code.last(); ++at)
        m_isEnd.push_back(!code.isCopyForNext(at));
    m_barrier.assign(static_cast<std::size_t>(code.last() - code.first() + 1), 0);
    std::vector<bool> isOnce(program.ops.size(), false); // can't run again
    const auto forward = static_cast<OpIndex>(program.forwardCount());
    for (const graph::Saved& row : program.saved)
        if (row.unpack && *row.unpack < forward)
            isOnce[row.op.index()] = true;
    // No plan between ops is laid over a model that checkpoints itself.
    if (std::ranges::any_of(program.ops,
                            [](const graph::Op& op) { return op.recomputeOf.has_value(); }))
        isOnce.assign(program.ops.size(), true);
    PendingWrites writes{program};
    for (OpIndex at = forward - 1; at > code.last(); --at)
        writes.stepBackTo(at);
    OpIndex end = code.last() + 1;
    for (OpIndex at = code.last(); at >= code.first(); --at) {
        const auto op = static_cast<std::size_t>(at);
        if (program.ops[op].isCollective || isOnce[op])
            end = at;
        writes.stepBackTo(at);
        m_barrier[static_cast<std::size_t>(at - m_first)] = std::min(end, writes.nearest());
    }
}

std::vector<OpIndex> OpRegionFinder::endsFrom(OpIndex first) const
{
    if (first < m_first || static_cast<std::size_t>(first - m_first) >= m_barrier.size())
        return {};
    const OpIndex barrier = m_barrier[static_cast<std::size_t>(first - m_first)];
    std::vector<OpIndex> ends;
    ends.reserve(static_cast<std::size_t>(barrier - first));
    for (OpIndex end = first; end < barrier; ++end)
        if (m_isEnd[static_cast<std::size_t>(end - m_first)]
            && m_unwritten[static_cast<std::size_t>(end)] < first)
            ends.push_back(end);
    return ends;
}

} // namespace plimsoll::solve
