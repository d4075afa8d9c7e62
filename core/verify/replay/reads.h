// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/replay/replay_state.h"

#include <cstdint>
#include <map>
#include <vector>

namespace plimsoll::plan::verifying {

/// Checks that what the step's own executions read is there.
class ReadCheck
{
public:
    explicit ReadCheck(ReplayState& state) : m_state{state} {}

    /// A row of a region, which a recomputation will pack.
    void addRow(std::size_t index)
    {
        m_rowsOfNode[m_state.program.saved[index].sequence].push_back(index);
    }
    void check(graph::OpIndex opIndex);

private:
    void checkBackwardRead(graph::OpIndex opIndex, graph::StorageId storage);
    void checkSlots(graph::OpIndex opIndex, graph::StorageId storage);

    ReplayState& m_state;
    std::map<std::int64_t, std::vector<std::size_t>>
        m_rowsOfNode; ///< by sequence number: live rows of regions
};

} // namespace plimsoll::plan::verifying
