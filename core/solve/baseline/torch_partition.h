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

/// All of a range of bytes, in permille.
inline constexpr std::int64_t kWhole = 1000;

/// What PyTorch's min-cut partitioner with a budget (torch/_functorch/partitioners.py) keeps
/// between forward and backward: nodes of a joint graph.
class TorchPartition
{
public:
    using Nodes = std::vector<std::size_t>;
    /// Which of the items to keep, by permille of a range of bytes.
    using Chooser = std::function<std::vector<bool>(std::int64_t permille)>;
    /// Makes a Chooser from items, those with most bytes first, for a range of `range` bytes.
    using Knapsack =
        std::function<Chooser(const std::vector<KnapsackItem>& items, std::int64_t range)>;

    /// `graph` must outlive it.
    TorchPartition(const JointGraph& graph, Knapsack knapsack);

    /// Kept values, including inputs, at a budget of 0..1000 permille of what the cut without a
    /// budget keeps beyond the inputs. Nothing if the job was stopped, or the graph can't be cut.
    /// Consecutive calls share intermediate results.
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
    std::int64_t m_range = 0; ///< bytes between keeping inputs only and the cut without a budget
    std::optional<Cut> m_fastest;  ///< with all bans
    std::optional<Cut> m_unfused;  ///< without those that serve fusion
    std::optional<Cut> m_smallest; ///< also without the list of cheap ops
    Nodes m_items;                 ///< the items of the knapsack
    Chooser m_chooser;             ///< empty: not filled yet
};

} // namespace plimsoll::solve
