// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/solve/baseline/torch_partition.h"
#include "core/solve/regions/recompute_closure.h"

#include <optional>
#include <vector>

namespace plimsoll::solve {

/// What is kept between forward and backward, as a compiler that splits a step into two graphs
/// decides it: what backward reads is either kept, or recomputed in backward right before its first
/// use there, together with everything needed for that and not kept. Recomputed values stay as long
/// as backward needs them, so no op runs more than twice.
class Boundary
{
public:
    explicit Boundary(const plan::Problem& problem);

    /// Rows of Plan::recomputeSteps if these storages (by storage) of forward and loss are kept,
    /// except pinned ones. More are kept if their ops need something that can't be recomputed; what
    /// can't be recomputed and the loss are always kept.
    [[nodiscard]] std::vector<plan::RecomputeStep> rows(std::vector<bool> isKept) const;

private:
    /// A storage that backward reads and that may be recomputed.
    struct Value
    {
        graph::StorageId storage;
        graph::OpIndex firstUse = 0; ///< in backward
    };
    struct Attempt
    {
        std::vector<plan::RecomputeStep> rows;
        std::optional<graph::StorageId> failed; ///< one that can't be recomputed
    };

    [[nodiscard]] Attempt attempt(const std::vector<bool>& isKept) const;

    const graph::Program& m_program;
    graph::OpIndex m_forward; ///< first op of backward
    RecomputeClosure m_closure;
    std::vector<Value> m_values;                        ///< by rising first use
    std::vector<bool> m_mayGo;                          ///< by storage
    std::vector<std::optional<plan::PinKind>> m_pinned; ///< by storage: its pin
};

/// The plans that the min-cut partitioner with a budget makes of a step.
class TorchBudgetRows
{
public:
    TorchBudgetRows(const plan::Problem& problem, bool isGreedy);

    /// Rows of Plan::recomputeSteps at a budget of 0..1000 permille (TorchPartition). Nothing if
    /// the job was stopped.
    [[nodiscard]] std::optional<std::vector<plan::RecomputeStep>> at(std::int64_t permille,
                                                                     const base::JobContext& job);
    /// Those of the recorded step, with what pins require.
    [[nodiscard]] std::vector<plan::RecomputeStep> keepingAll() const;

private:
    [[nodiscard]] std::vector<bool> storagesOf(const TorchPartition::Nodes& nodes) const;

    const graph::Program& m_program;
    JointGraph m_graph;
    TorchPartition m_partition;
    Boundary m_boundary;
};

/// The exact knapsack, or PyTorch's greedy one: choices never exceed their part of the range.
[[nodiscard]] TorchPartition::Knapsack budgetKnapsack(bool isGreedy);

} // namespace plimsoll::solve
