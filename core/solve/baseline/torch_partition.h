// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/baseline/exact_knapsack.h"
#include "core/solve/baseline/joint_graph.h"
#include "core/solve/baseline/recompute_bans.h"

#include <functional>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// What is kept over the boundary between forward and backward by PyTorch's min-cut partitioner
/// with a budget (torch/_functorch/partitioners.py): nodes of a joint graph.
class TorchPartition
{
public:
    using Nodes = std::vector<std::size_t>;
    /// Which of the items to keep, by permille of a range of bytes.
    using Chooser = std::function<std::vector<bool>(std::int64_t permille)>;
    /// A chooser of items, those with most bytes first, out of `range` bytes.
    using Knapsack =
        std::function<Chooser(const std::vector<KnapsackItem>& items, std::int64_t range)>;

    /// `graph` must outlive it.
    TorchPartition(const JointGraph& graph, Knapsack knapsack);

    /// Kept values, inputs among them, at a budget of 0..1000 permille of what the cut that is made
    /// without one keeps beyond the inputs. Nothing when the job is to stop, and for graphs that
    /// can't be cut. Answers for one budget after the other share what they can.
    [[nodiscard]] std::optional<Nodes> kept(std::int64_t permille, const base::JobContext& job);

private:
    struct Cut
    {
        Nodes kept;
        Nodes banned;
    };

    [[nodiscard]] std::optional<Cut> cut(const BanRules& rules, const std::vector<bool>& allowed,
                                         const base::JobContext& job) const;
    [[nodiscard]] std::int64_t weightOf(const JointNode& node) const;
    [[nodiscard]] std::int64_t bytesOf(const Nodes& nodes) const;
    [[nodiscard]] bool cutOnce(std::optional<Cut>& cache, const BanRules& rules,
                               const base::JobContext& job) const;
    [[nodiscard]] bool isBelow(const Cut& cut, std::int64_t permille) const;
    void fillKnapsack();

    const JointGraph& m_graph;
    Knapsack m_knapsack;
    Nodes m_inputs;
    std::vector<bool> m_noneAllowed;
    std::int64_t m_range = 0;      ///< bytes between keeping inputs only and the cut without budget
    std::optional<Cut> m_fastest;  ///< with all bans
    std::optional<Cut> m_unfused;  ///< without those for the sake of fusion
    std::optional<Cut> m_smallest; ///< without the list of cheap ops, too
    Nodes m_items;                 ///< that the knapsack chooses from
    Chooser m_chooser;             ///< empty: not filled yet
};

} // namespace plimsoll::solve
