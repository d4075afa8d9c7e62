// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/step_nodes.h"

#include <algorithm>
#include <utility>

namespace plimsoll::plan::verifying {

using graph::OpIndex;

// An op of forward has run: variables, nodes that will read its result and frames that will be
// given it keep its node.
void StepNodes::makeNode(OpIndex opIndex)
{
    if (!m_state.hasCountedNode(opIndex))
        return;
    const DeadBranches::Branch& branch = m_state.branches[opIndex];
    m_state.nodeReferences[static_cast<std::size_t>(opIndex)] =
        1 + static_cast<int>(branch.readers.size() + branch.frames.size());
    m_state.schedule(std::max(m_state.tree.waited(opIndex, branch.variables, kNoRegion), opIndex),
                     {Event::Kind::Node, opIndex});
}

void StepNodes::forgetNode(int node, OpIndex opIndex)
{
    std::vector<int> open{node};
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        int& references = m_state.nodeReferences[static_cast<std::size_t>(at)];
        if (--references > 0)
            continue;
        const DeadBranches::Branch& branch = m_state.branches[at];
        const bool isReturned =
            m_state.branches.lastLine() >= 0 && opIndex >= m_state.branches.lastLine();
        if (branch.isFinal && isReturned && branch.fell > opIndex) {
            references = 1; // the model's caller
            m_state.schedule(branch.fell, {Event::Kind::Node, at});
            continue;
        }
        if (branch.isFinal)
            releaseRows(at);
        open.insert(open.end(), branch.givers.begin(), branch.givers.end());
    }
}

void StepNodes::releaseRows(int node)
{
    for (const std::size_t row : m_state.branches[node].rows) {
        const int frame =
            m_state.tree.innermost(static_cast<OpIndex>(m_state.program.saved[row].op.index()));
        if (const auto again = m_state.packedAgain.find(row); again != m_state.packedAgain.end())
            for (const InstanceId instance : std::exchange(again->second, {}))
                m_state.heap.release(instance);
        if (frame == kNoRegion)
            m_state.heap.release(m_keptByRow[row]);
        else
            unreference(frame);
    }
}

void StepNodes::unreference(int id)
{
    Frame& frame = m_state.tree[id];
    if (--frame.references > 0)
        return;
    for (const InstanceId instance : std::exchange(frame.packed, {}))
        m_state.heap.release(instance);
    for (const InstanceId instance : std::exchange(frame.copies, {}))
        m_state.heap.release(instance);
    if (!m_state.branches.isEmpty())
        for (const int node : m_state.branches.givenTo(id))
            forgetNode(node, m_state.now);
    if (m_state.tree[id].parent != kNoRegion)
        unreference(m_state.tree[id].parent);
}

} // namespace plimsoll::plan::verifying
