// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <optional>
#include <vector>

namespace plimsoll::solve {

/// What the runtime Step must execute to recompute values (STEP_RUNTIME.md): all writers so far of
/// a storage, and before them all writers of what they read that wasn't kept.
class RecomputeClosure
{
public:
    explicit RecomputeClosure(const graph::Program& program);

    /// Ops, rising, that recompute `wanted` right before op `before`, each written as often as it
    /// is by then. Storages with `isGone` (by storage) are recomputed too when read; others are
    /// read as they are. Nothing if an op among them can't be recomputed or something they read was
    /// overwritten since. All `wanted` must have been allocated before `before`.
    [[nodiscard]] std::optional<std::vector<graph::OpId>>
    before(graph::OpIndex before, const std::vector<graph::StorageId>& wanted,
           const std::vector<bool>& isGone) const;

    /// Whether the runner can recompute the op, whatever is in memory.
    [[nodiscard]] bool isRepeatable(graph::OpId op) const { return m_isRepeatable[op.index()]; }
    /// Whether the runner controls the storage's lifetime: allocated by forward, loss or backward.
    [[nodiscard]] bool isManaged(graph::StorageId storage) const
    {
        const graph::OpIndex alloc = m_program.storage(storage).alloc;
        return alloc >= 0 && alloc < m_runnerOps;
    }
    /// Storages that a recomputation of the op uses, each once.
    [[nodiscard]] const std::vector<graph::StorageId>& touchedBy(graph::OpId op) const
    {
        return m_touched[op.index()];
    }
    /// Ops that read, write or return a tensor of the storage, rising.
    [[nodiscard]] const std::vector<graph::OpIndex>& usesOf(graph::StorageId storage) const
    {
        return m_uses[storage.index()];
    }
    /// Ops that make or write the storage, rising.
    [[nodiscard]] const std::vector<graph::OpIndex>& writersOf(graph::StorageId storage) const
    {
        return m_writers[storage.index()];
    }

private:
    [[nodiscard]] bool isWrittenBetween(graph::StorageId storage, graph::OpIndex first,
                                        graph::OpIndex end) const;
    [[nodiscard]] bool makesOrWrites(graph::OpIndex op, graph::StorageId storage) const;

    const graph::Program& m_program;
    graph::OpIndex m_runnerOps; ///< ops of forward, loss and backward
    std::vector<bool> m_isRepeatable;
    std::vector<std::vector<graph::StorageId>> m_touched; ///< by op, each once, for recomputations
    std::vector<std::vector<graph::OpIndex>> m_uses;      ///< by storage
    std::vector<std::vector<graph::OpIndex>> m_writers;   ///< by storage, its maker included
};

} // namespace plimsoll::solve
