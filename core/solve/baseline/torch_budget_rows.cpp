// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/torch_budget_rows.h"

#include "core/solve/baseline/joint_recording.h"

#include <memory>

namespace plimsoll::solve {

namespace {

constexpr std::int64_t kWhole = 1000; ///< permille

std::int64_t partOf(std::int64_t range, std::int64_t permille)
{
    // Whole thousands apart, so that nothing overflows.
    return range / kWhole * permille + range % kWhole * permille / kWhole;
}

} // namespace

TorchPartition::Knapsack budgetKnapsack(bool isGreedy)
{
    if (isGreedy)
        return [](const std::vector<KnapsackItem>& items,
                  std::int64_t range) -> TorchPartition::Chooser {
            return [items, range](std::int64_t permille) {
                return greedilyChosen(items, partOf(range, permille));
            };
        };
    return
        [](const std::vector<KnapsackItem>& items, std::int64_t range) -> TorchPartition::Chooser {
            const auto exact = std::make_shared<const ExactKnapsack>(items);
            return [exact, range](std::int64_t permille) {
                return exact->chosen(partOf(range, permille));
            };
        };
}

TorchBudgetRows::TorchBudgetRows(const plan::Problem& problem, bool isGreedy)
    : m_program{*problem.step()}
    , m_graph{jointGraph(m_program)}
    , m_partition{m_graph, budgetKnapsack(isGreedy)}
    , m_boundary{problem}
{
}

/// The compiler keeps values inside of ops, too (half a norm, a mask of signs). Eager ops don't
/// hand those out, so that what the op reads is kept instead.
std::vector<bool> TorchBudgetRows::storagesOf(const TorchPartition::Nodes& nodes) const
{
    std::vector<bool> isKept(m_program.storages.size(), false);
    std::vector<bool> seen(m_graph.nodes.size(), false);
    TorchPartition::Nodes open = nodes;
    while (!open.empty()) {
        const std::size_t index = open.back();
        open.pop_back();
        if (seen[index])
            continue;
        seen[index] = true;
        const JointNode& node = m_graph.nodes[index];
        if (node.tensor)
            isKept[m_program.tensor(*node.tensor).storage.index()] = true;
        else
            open.insert(open.end(), node.inputs.begin(), node.inputs.end());
    }
    return isKept;
}

std::optional<std::vector<plan::RecomputeStep>> TorchBudgetRows::at(std::int64_t permille,
                                                                    const base::JobContext& job)
{
    const auto kept = m_partition.kept(permille, job);
    return kept ? std::optional{m_boundary.rows(storagesOf(*kept))} : std::nullopt;
}

std::vector<plan::RecomputeStep> TorchBudgetRows::keepingAll() const
{
    return m_boundary.rows(std::vector<bool>(m_program.storages.size(), true));
}

} // namespace plimsoll::solve
