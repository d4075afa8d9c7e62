// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/replay/replay_state.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// Counts who refers to the step's own nodes of autograd that fall without having run, and to the
/// frames of its regions.
class StepNodes
{
public:
    explicit StepNodes(ReplayState& state)
        : m_state{state}, m_keptByRow(state.program.saved.size(), kNoInstance)
    {
    }

    void makeNode(graph::OpIndex opIndex);
    void forgetNode(int node, graph::OpIndex opIndex);
    /// What a row of a dead node in no region has saved.
    void keep(std::size_t row, InstanceId instance) { m_keptByRow[row] = instance; }
    void unreference(int id);

private:
    void releaseRows(int node);

    ReplayState& m_state;
    std::vector<InstanceId> m_keptByRow; ///< by row of a dead node in no region
};

} // namespace plimsoll::plan::verifying
