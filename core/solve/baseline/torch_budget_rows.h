// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/baseline/boundary.h"
#include "core/solve/baseline/torch_partition.h"

namespace plimsoll::solve {

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
