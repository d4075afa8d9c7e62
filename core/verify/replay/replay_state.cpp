// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/replay_state.h"

#include <algorithm>
#include <utility>

namespace plimsoll::plan::verifying {

using graph::kNever;
using graph::OpIndex;

ReplayState::ReplayState(const Problem& given, const CheckpointRegions& plan,
                         Verification& verification)
    : program{*given.step()}
    , faults{program, verification.faults}
    , heap{program, given.rounding}
    , watch{given, verification}
    , shards{given}
    , tree{program, plan}
    , branches{program, plan, tree}
    , freezesStats{plan.freezeStats}
    , isCode{plan.granularity == Granularity::Op}
    , end{static_cast<OpIndex>(program.ops.size())}
    , forward{static_cast<OpIndex>(program.forwardCount())}
    , allocates(program.ops.size())
    , rows(program.ops.size())
    , events(program.ops.size() + 1)
    , nodeReferences(program.forwardCount(), 0)
    , keptByRow(program.saved.size(), kNoInstance)
    , slots(program.saved.size(), kNoInstance)
    , python{isCode ? codeHolds(program, pythonHolds(program)) : pythonHolds(program)}
    , writes(program.storages.size(), 0)
    , readVersions(program.ops.size())
{
    for (std::size_t i = 0; i < program.storages.size(); ++i) {
        const OpIndex alloc = program.storages[i].alloc;
        if (alloc >= 0 && alloc < end)
            allocates[static_cast<std::size_t>(alloc)].emplace_back(i);
    }
    for (std::size_t i = 0; i < program.saved.size(); ++i)
        rows[program.saved[i].op.index()].push_back(i);
}

void ReplayState::schedule(OpIndex opIndex, Event event)
{
    if (opIndex == kNever || opIndex >= end)
        return; // outlives the step
    opIndex = std::max(opIndex, now);
    events[static_cast<std::size_t>(opIndex) + 1].push_back(event);
}

// An op of forward has run: its node is held by variables, by the nodes that will read its result
// and by the frames that will receive it.
void ReplayState::makeNode(OpIndex opIndex)
{
    if (!hasCountedNode(opIndex))
        return;
    const DeadBranches::Branch& branch = branches[opIndex];
    nodeReferences[static_cast<std::size_t>(opIndex)] =
        1 + static_cast<int>(branch.readers.size() + branch.frames.size());
    schedule(std::max(tree.waited(opIndex, branch.variables, kNoRegion), opIndex),
             {Event::Kind::Node, opIndex});
}

void ReplayState::forgetNode(int node, OpIndex opIndex)
{
    std::vector<int> open{node};
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        int& references = nodeReferences[static_cast<std::size_t>(at)];
        if (--references > 0)
            continue;
        const DeadBranches::Branch& branch = branches[at];
        const bool isReturned = branches.lastLine() >= 0 && opIndex >= branches.lastLine();
        if (branch.isFinal && isReturned && branch.fell > opIndex) {
            references = 1; // held by the model's caller
            schedule(branch.fell, {Event::Kind::Node, at});
            continue;
        }
        if (branch.isFinal)
            releaseRows(at);
        open.insert(open.end(), branch.givers.begin(), branch.givers.end());
    }
}

void ReplayState::releaseRows(int node)
{
    for (const std::size_t row : branches[node].rows) {
        const int frame = tree.innermost(program.saved[row].op);
        if (const auto again = packedAgain.find(row); again != packedAgain.end())
            for (const InstanceId instance : std::exchange(again->second, {}))
                heap.release(instance);
        if (frame == kNoRegion)
            heap.release(keptByRow[row]);
        else
            unreference(frame);
    }
}

void ReplayState::unreference(int id)
{
    Frame& frame = tree[id];
    if (--frame.references > 0)
        return;
    for (const InstanceId instance : std::exchange(frame.packed, {}))
        heap.release(instance);
    for (const InstanceId instance : std::exchange(frame.copies, {}))
        heap.release(instance);
    if (!branches.isEmpty())
        for (const int node : branches.givenTo(id))
            forgetNode(node, now);
    if (tree[id].parent != kNoRegion)
        unreference(tree[id].parent);
}

} // namespace plimsoll::plan::verifying
