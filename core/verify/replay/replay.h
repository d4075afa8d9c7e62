// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/replay/recomputation.h"

#include <cstdint>
#include <map>
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
    /// Checks that what the step's own execution reads is there.
    void checkReads(graph::OpIndex opIndex);
    void checkBackwardRead(graph::OpIndex opIndex, graph::StorageId storage);
    void checkSlots(graph::OpIndex opIndex, graph::StorageId storage);
    void prepare(graph::OpIndex next);
    void enter(int id);
    void pack(graph::OpIndex opIndex, bool after);
    void packRow(std::size_t index);
    void letGo(graph::OpIndex opIndex);
    void apply(const Event& event, graph::OpIndex opIndex);
    void releaseRow(std::size_t index, graph::OpIndex opIndex);

    ReplayState m_state;
    Recomputation m_recomputation{m_state};
    std::vector<std::vector<int>> m_wanted; ///< by op: regions unpacked before it
    std::map<std::int64_t, std::vector<std::size_t>>
        m_rowsOfNode; ///< by sequence number: live rows of regions, which recomputations pack
    std::vector<graph::OpIndex> m_held; ///< by storage: as the plan changes m_state.python
};

} // namespace plimsoll::plan::verifying
