// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"

#include <cstdint>
#include <vector>

namespace plimsoll::plan {

/// What must be in memory while each op of the recorded step runs, whatever a plan of checkpoint
/// regions keeps or drops: the op's operands; what its autograd node has unpacked and not yet
/// dropped; and what is older than the step or allocated by backward and optimizer, whose lifetimes
/// no plan changes (LIFETIMES.md). Reserve included, sizes rounded. For runtime Step only operands
/// and what is older than the step or the optimizer's (STEP_RUNTIME.md).
class WorkingSets
{
public:
    explicit WorkingSets(const Problem& problem, Runtime runtime = Runtime::CheckpointedModule);

    [[nodiscard]] base::Bytes bytesAt(std::size_t op) const { return base::Bytes{m_bytes[op]}; }
    [[nodiscard]] std::size_t size() const { return m_bytes.size(); }
    /// Members of an op's set that a plan may drop and recompute, ascending: allocated by forward
    /// or loss, for runtime Step also by backward. The others are alwaysAsRecorded().
    [[nodiscard]] std::vector<graph::StorageId> movableAt(std::size_t op) const;
    /// Whether every plan leaves the storage's lifetime as recorded.
    [[nodiscard]] bool alwaysAsRecorded(graph::StorageId id) const;

private:
    const Problem& m_problem;
    const graph::Program& m_program;
    graph::OpIndex m_movableOps = 0;                       ///< ops whose results a plan may drop
    std::vector<std::vector<graph::StorageId>> m_unpacked; ///< by op: in use by the op's node
    std::vector<std::int64_t> m_bytes;
};

/// The largest working set that no recomputation removes.
struct PeakBound
{
    base::Bytes bytes;                      ///< reserve included, rounded as the problem says
    graph::OpId op;                         ///< while it runs
    std::vector<graph::StorageId> storages; ///< members of the set, largest first
};

/// The lower bound on the peak of every plan for the runtime: the largest working set of an op,
/// that is its reads, writes and outputs, what lives through the whole step, and what backward and
/// optimizer hold regardless of what forward kept (WorkingSets).
[[nodiscard]] PeakBound peakLowerBound(const Problem& problem,
                                       Runtime runtime = Runtime::CheckpointedModule);

} // namespace plimsoll::plan
