// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/replay.h"

#include <algorithm>
#include <utility>

namespace plimsoll::plan::verifying {

using graph::OpIndex;

namespace {

bool isCounted(const DeadBranches& branches, OpIndex moment, OpIndex forward)
{
    return !branches.isEmpty() && moment < forward && branches[moment].isCounted;
}

} // namespace

// An op of forward has run: variables, nodes that will read its result and frames that will be
// given it keep its node.
void Replay::makeNode(OpIndex moment)
{
    if (!isCounted(m_branches, moment, m_forward))
        return;
    const DeadBranches::Branch& branch = m_branches[moment];
    m_nodeReferences[static_cast<std::size_t>(moment)] =
        1 + static_cast<int>(branch.readers.size() + branch.frames.size());
    schedule(std::max(m_tree.waited(moment, branch.variables, kNoRegion), moment),
             {Event::Kind::Node, moment});
}

void Replay::forgetNode(int node, OpIndex moment)
{
    std::vector<int> open{node};
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        int& references = m_nodeReferences[static_cast<std::size_t>(at)];
        if (--references > 0)
            continue;
        const DeadBranches::Branch& branch = m_branches[at];
        const bool isReturned = m_branches.lastLine() >= 0 && moment >= m_branches.lastLine();
        if (branch.isFinal && isReturned && branch.fell > moment) {
            references = 1; // the model's caller
            schedule(branch.fell, {Event::Kind::Node, at});
            continue;
        }
        if (branch.isFinal)
            releaseRows(at);
        open.insert(open.end(), branch.givers.begin(), branch.givers.end());
    }
}

void Replay::releaseRows(int node)
{
    for (const std::size_t row : m_branches[node].rows) {
        const int frame = m_tree.innermost(static_cast<OpIndex>(m_program.saved[row].op.index()));
        if (const auto again = m_packedAgain.find(row); again != m_packedAgain.end())
            for (const InstanceId instance : std::exchange(again->second, {}))
                m_heap.release(instance);
        if (frame == kNoRegion)
            m_heap.release(m_keptByRow[row]);
        else
            unreference(frame);
    }
}

// The same inside of a recomputation, whose graph ends with it at the latest.
void Replay::makeNode(Execution& run, OpIndex moment)
{
    if (!isCounted(m_branches, moment, m_forward))
        return;
    const DeadBranches::Branch& branch = m_branches[moment];
    const auto readers = std::ranges::count_if(
        branch.readers, [&](int reader) { return reader <= m_tree[run.frame].last; });
    const auto frames = std::ranges::count_if(branch.frames, [&](int frame) {
        return frame != run.frame && m_tree.isInside(frame, run.frame);
    });
    run.nodes[moment].references = 1 + static_cast<int>(readers + frames);
    schedule(run, std::max(m_tree.waited(moment, branch.variables, run.frame), moment),
             {Event::Kind::Node, moment});
}

void Replay::makeFrame(Execution& run, int nested)
{
    const Frame& frame = m_tree[nested];
    run.frames[nested].references = 1 + static_cast<int>(frame.children.size());
    schedule(run, frame.last, {Event::Kind::Frame, nested});
    for (OpIndex op = frame.first; op <= frame.last; ++op) {
        if (m_tree.innermost(op) != nested)
            continue;
        for (const std::size_t row : m_rows[static_cast<std::size_t>(op)]) {
            ++run.frames[nested].references;
            if (!m_branches.owns(row))
                schedule(run, m_program.saved[row].released, {Event::Kind::Frame, nested});
        }
    }
}

void Replay::forgetNode(Execution& run, int node)
{
    std::vector<int> open{node};
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        Execution::Holder& holder = run.nodes[at];
        if (--holder.references > 0)
            continue;
        for (const InstanceId instance : std::exchange(holder.held, {}))
            m_heap.release(instance);
        const DeadBranches::Branch& branch = m_branches[at];
        if (branch.isFinal)
            for (const std::size_t row : branch.rows)
                if (const int frame =
                        m_tree.innermost(static_cast<OpIndex>(m_program.saved[row].op.index()));
                    frame != run.frame)
                    unreference(run, frame);
        for (const int giver : branch.givers)
            if (giver >= m_tree[run.frame].first)
                open.push_back(giver);
    }
}

void Replay::unreference(Execution& run, int nested)
{
    Execution::Holder& holder = run.frames[nested];
    if (--holder.references > 0)
        return;
    for (const InstanceId instance : std::exchange(holder.held, {}))
        m_heap.release(instance);
    if (!m_branches.isEmpty())
        for (const int node : m_branches.givenTo(nested))
            if (node >= m_tree[run.frame].first)
                forgetNode(run, node);
    if (m_tree[nested].parent != run.frame)
        unreference(run, m_tree[nested].parent);
}

} // namespace plimsoll::plan::verifying
