// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/tree.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace plimsoll::plan::verifying {

using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

FrameTree::FrameTree(const graph::Program& program, const CheckpointRegions& plan)
    : m_program{program}
    , m_innermost(program.ops.size(), kNoRegion)
    , m_isSaved(program.ops.size(), false)
    , m_beginning(program.ops.size() + 1)
{
    if (plan.granularity == Granularity::Op)
        m_code.emplace(program);
    for (const Region& region : plan.regions)
        add(region, kNoRegion);
    m_rank.resize(m_frames.size());
    int next = 0;
    rankSiblings(m_outermost, next);
}

void FrameTree::add(const Region& region, int parent)
{
    const auto id = static_cast<int>(m_frames.size());
    Frame frame;
    frame.region = &region;
    frame.parent = parent;
    frame.first = region.first;
    frame.last = region.last;
    if (m_code) {
        for (const TensorId tensor : m_code->parameters(region.first, region.last))
            frame.arguments.push_back(m_program.tensor(tensor).storage);
    } else {
        collectMembers(frame);
    }
    m_frames.push_back(std::move(frame));
    for (OpIndex op = region.first; op <= region.last; ++op)
        m_innermost[static_cast<std::size_t>(op)] = id;
    for (const graph::OpId op : region.save)
        m_isSaved[op.index()] = true;
    m_beginning[static_cast<std::size_t>(region.first)].push_back(id);
    (parent == kNoRegion ? m_outermost : (*this)[parent].children).push_back(id);
    for (const Region& nested : region.nested)
        add(nested, id);
}

void FrameTree::rankSiblings(std::vector<int> siblings, int& next)
{
    std::ranges::sort(siblings, std::greater{}, [this](int id) { return (*this)[id].first; });
    for (const int id : siblings) {
        m_rank[static_cast<std::size_t>(id)] = next++;
        rankSiblings((*this)[id].children, next);
    }
}

bool FrameTree::isInside(int frame, int ancestor) const
{
    if (ancestor == kNoRegion)
        return true;
    while (frame > ancestor) // parents come first
        frame = (*this)[frame].parent;
    return frame == ancestor;
}

void FrameTree::passVariables(int root, std::vector<OpIndex>& held) const
{
    if (root != kNoRegion)
        passOn(root, false, held);
    for (const int child : root == kNoRegion ? m_outermost : (*this)[root].children) {
        std::vector<int> open{child};
        while (!open.empty()) {
            const int frame = open.back();
            open.pop_back();
            passOn(frame, true, held);
            const std::vector<int>& children = (*this)[frame].children;
            open.insert(open.end(), children.begin(), children.end());
        }
    }
}

void FrameTree::collectMembers(Frame& frame) const
{
    for (const TensorId tensor : m_program.call(frame.region->members.front()).inputs)
        frame.arguments.push_back(m_program.tensor(tensor).storage);
    for (const TensorId tensor : m_program.call(frame.region->members.back()).outputs)
        frame.results.push_back(m_program.tensor(tensor).storage);
    collectPassed(frame);
}

void FrameTree::collectPassed(Frame& frame) const
{
    const std::vector<graph::CallId>& members = frame.region->members;
    std::unordered_map<std::size_t, std::size_t> place; // index of a storage in `passed`
    for (std::size_t i = 0; i + 1 < members.size(); ++i) {
        const StorageId storage =
            m_program.tensor(m_program.call(members[i]).outputs.front()).storage;
        const OpIndex until = m_program.call(members[i + 1]).last;
        const bool isResult = std::ranges::find(frame.results, storage) != frame.results.end();
        const auto [known, isNew] = place.try_emplace(storage.index(), frame.passed.size());
        if (isNew)
            frame.passed.push_back({storage, until, isResult});
        else
            frame.passed[known->second].until = until;
    }
}

// The function's single variable holds a value until the next member has returned; the callers'
// variables that held the value in the recorded step receive the result instead.
void FrameTree::passOn(int id, bool hasCallers, std::vector<OpIndex>& held) const
{
    const Frame& frame = (*this)[id];
    if (frame.passed.empty())
        return;
    OpIndex callers = graph::kBeforeStep;
    for (const Frame::Passed& passed : frame.passed)
        callers = std::max(callers, held[passed.storage.index()]);
    for (const Frame::Passed& passed : frame.passed) {
        OpIndex& opIndex = held[passed.storage.index()];
        opIndex = passed.isResult ? std::max(opIndex, passed.until) : passed.until;
    }
    if (!hasCallers)
        return;
    for (const StorageId result : frame.results)
        held[result.index()] = std::max(held[result.index()], callers);
}

OpIndex FrameTree::waited(OpIndex alloc, OpIndex opIndex, int root) const
{
    if (m_code || opIndex < 0 || opIndex >= static_cast<OpIndex>(m_innermost.size()))
        return opIndex; // generated code passes held values as arguments
    for (int id = innermost(opIndex); id != root && id != kNoRegion; id = (*this)[id].parent) {
        const Frame& frame = (*this)[id];
        if (alloc >= frame.first)
            break; // made inside this frame and all enclosing ones
        opIndex = std::max(opIndex, frame.last);
    }
    return opIndex;
}

} // namespace plimsoll::plan::verifying
