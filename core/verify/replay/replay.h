// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/replay/reads.h"
#include "core/verify/replay/recomputation.h"
#include "core/verify/replay/step_nodes.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// Runs a step with its regions as PyTorch does, one op after the other, with a count of holders
/// for each storage: Python's variables, saved tensors, frames of regions, their tables of
/// recomputed tensors, variables of a recomputation until it stops.
/// The regions must be legal.
class Replay
{
public:
    Replay(const Problem& problem, const CheckpointRegions& plan, Verification& seen);
    void run();

private:
    void begin();
    void recomputeBefore(graph::OpIndex place);
    void execute(graph::OpIndex opIndex);
    void prepare(graph::OpIndex next);
    void enter(int id);
    void pack(graph::OpIndex opIndex, bool after);
    void packRow(std::size_t index);
    void letGo(graph::OpIndex opIndex);
    void apply(const Event& event, graph::OpIndex opIndex);
    void releaseRow(std::size_t index, graph::OpIndex opIndex);

    ReplayState m_state;
    ReadCheck m_reads{m_state};
    StepNodes m_nodes{m_state};
    Recomputation m_recomputation{m_state, m_nodes};
    std::vector<std::vector<int>> m_wanted; ///< by op: regions unpacked before it
    std::vector<graph::OpIndex> m_held;     ///< by storage: as the plan changes m_state.python
};

} // namespace plimsoll::plan::verifying
