// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/solve/baseline/torch_partition.h"
#include "core/solve/regions/recompute_closure.h"

#include <optional>
#include <vector>

namespace plimsoll::solve {

/// What is kept over the boundary between forward and backward, as a compiler that splits a step
/// into two graphs decides it: what backward reads is either kept, or recomputed in backward
/// right before its first use there, with all that this takes and that was not kept. What was
/// recomputed stays as long as backward needs it, so no op runs more than twice.
class Boundary
{
public:
    explicit Boundary(const plan::Problem& problem);

    /// Rows of Plan::recomputeSteps when of what forward and loss make these storages are kept (by
    /// storage), pinned ones aside. More of them are where a value's ops need something that can't
    /// be recomputed; what can't be is always kept, and so is the loss.
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
        std::optional<graph::StorageId> failed; ///< that can't be recomputed
    };

    [[nodiscard]] Attempt attempt(const std::vector<bool>& isKept) const;

    const graph::Program& m_program;
    graph::OpIndex m_forward; ///< first op of backward
    RecomputeClosure m_closure;
    std::vector<Value> m_values;                        ///< by rising first use
    std::vector<bool> m_mayGo;                          ///< by storage
    std::vector<std::optional<plan::PinKind>> m_pinned; ///< by storage: what the pins say
};

/// Plans as the min-cut partitioner with a budget would make them of a step.
class TorchBudgetRows
{
public:
    TorchBudgetRows(const plan::Problem& problem, bool isGreedy);

    /// Rows of Plan::recomputeSteps at a budget of 0..1000 permille (TorchPartition). Nothing when
    /// the job is to stop.
    [[nodiscard]] std::optional<std::vector<plan::RecomputeStep>> at(std::int64_t permille,
                                                                     const base::JobContext& job);
    /// Those of the step as it was recorded, and what pins ask for.
    [[nodiscard]] std::vector<plan::RecomputeStep> keepingAll() const;

private:
    [[nodiscard]] std::vector<bool> storagesOf(const TorchPartition::Nodes& nodes) const;

    const graph::Program& m_program;
    JointGraph m_graph;
    TorchPartition m_partition;
    Boundary m_boundary;
};

/// The exact knapsack, or PyTorch's greedy one: choices never exceed the range's part.
[[nodiscard]] TorchPartition::Knapsack budgetKnapsack(bool isGreedy);

} // namespace plimsoll::solve
