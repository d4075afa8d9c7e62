// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/verify/legality/shards.h"

#include <cstdint>
#include <vector>

namespace plimsoll::plan::verifying {

/// What fully_shard() holds besides a rank's shards while a planned step runs: simulates the state
/// changes of its hooks, one executed op after the other. Holds nothing in a problem without it.
class ShardMemory
{
public:
    explicit ShardMemory(const Problem& problem);

    /// Called once for each execution, in order; returns the bytes during it.
    [[nodiscard]] base::Bytes during(graph::OpIndex op, bool isRepetition);

private:
    enum class State : std::uint8_t {
        Away,  ///< each process has its rows
        Ahead, ///< gathered, not copied out yet
        Here,
    };

    [[nodiscard]] bool isIn(std::size_t group, graph::OpIndex op) const;
    void repeat(graph::OpIndex op);
    void beforeForward(graph::OpIndex op);
    void behind(graph::OpIndex op);
    void behindForward(graph::OpIndex op);
    void beginBackward(std::size_t place);
    [[nodiscard]] base::Bytes held() const;

    static constexpr std::size_t kNone = SIZE_MAX;

    graph::Rounding m_rounding;
    bool m_letsGo = false; ///< after forward (ZeRO-3)
    std::vector<Group> m_groups;
    std::vector<State> m_states;       ///< by group
    std::vector<std::size_t> m_begins; ///< groups in the order in which their backward begins
    std::vector<std::size_t> m_ends;   ///< … and ends
    graph::OpIndex m_forwardEnd = -1;  ///< last op of the model's calls
    graph::OpIndex m_backwardEnd = -1;
    graph::OpIndex m_forwardCount = 0;
    std::size_t m_result = kNone;   ///< whose all-gather's result still exists, in forward
    std::size_t m_again = kNone;    ///< the same for the group that is being recomputed
    std::size_t m_reducing = kNone; ///< whose gradients are in a reduce-scatter
};

} // namespace plimsoll::plan::verifying
