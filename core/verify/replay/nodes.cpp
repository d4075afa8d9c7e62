// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/nodes.h"

#include <algorithm>
#include <set>

namespace plimsoll::plan::verifying {

using graph::OpIndex;
using graph::TensorId;

namespace {

/// By tensor: the ops after which it refers to their nodes. An in-place write changes the node of
/// all tensors that view the same memory.
std::vector<std::vector<int>> makersOf(const graph::Program& program, std::size_t ops)
{
    std::vector<std::vector<int>> changers(program.storages.size());
    std::vector<std::vector<int>> makers(program.tensors.size());
    for (std::size_t op = 0; op < ops; ++op) {
        for (const TensorId output : program.ops[op].outputs)
            makers[output.index()].push_back(static_cast<int>(op));
        for (const TensorId written : program.ops[op].writes)
            if (program.storageOf(written).alloc >= 0)
                changers[program.tensor(written).storage.index()].push_back(static_cast<int>(op));
    }
    for (std::size_t tensor = 0; tensor < makers.size(); ++tensor) {
        const std::vector<int>& more = changers[program.tensors[tensor].storage.index()];
        std::vector<int>& all = makers[tensor];
        all.insert(all.end(), more.begin(), more.end());
        std::ranges::sort(all);
        all.erase(std::unique(all.begin(), all.end()), all.end());
    }
    return makers;
}

} // namespace

DeadBranches::DeadBranches(const graph::Program& program, const CheckpointRegions& plan,
                           const FrameTree& tree)
    : m_nodeOfRow(program.saved.size())
{
    const auto forward = static_cast<OpIndex>(program.forwardCount());
    if (std::ranges::none_of(program.saved, [forward](const graph::Saved& row) {
            return !row.unpack && row.released < forward;
        }))
        return;
    if (plan.granularity == Granularity::Op)
        m_code = modelCall(program);
    if (m_code != nullptr)
        m_lastLine = m_code->last;
    m_branches.resize(program.forwardCount());
    m_given.resize(tree.size());
    classify(program);
    const Makers makers = makersOf(program, m_branches.size());
    connect(program, tree, makers);
    holdVariables(program, makers);
}

void DeadBranches::classify(const graph::Program& program)
{
    const auto forward = static_cast<OpIndex>(m_branches.size());
    std::set<std::int64_t> alive; // nodes that backward runs
    for (const graph::Op& op : program.ops)
        if (op.phase != graph::Phase::Forward && op.phase != graph::Phase::Loss)
            alive.insert(op.sequence);
    std::vector<bool> isHeld(m_branches.size(), false); // a saved tensor outlives forward
    for (std::size_t i = 0; i < program.saved.size(); ++i) {
        const graph::Saved& row = program.saved[i];
        const auto op = static_cast<OpIndex>(row.op.index());
        const bool isCopy =
            m_code != nullptr && op < m_code->last && sharesCallWithNext(program, op);
        m_nodeOfRow[i] = isCopy ? op + 1 : op;
        if (op >= forward)
            continue;
        const auto node = static_cast<std::size_t>(m_nodeOfRow[i]);
        Branch& branch = m_branches[node];
        isHeld[node] = isHeld[node] || row.unpack || row.released >= forward;
        branch.fell = branch.rows.empty() ? row.released : std::max(branch.fell, row.released);
        branch.rows.push_back(i);
    }
    for (std::size_t node = 0; node < m_branches.size(); ++node) {
        const std::int64_t sequence = program.ops[node].sequence;
        Branch& branch = m_branches[node];
        branch.isCounted = sequence >= 0 && !alive.contains(sequence) && !isHeld[node];
        branch.isFinal = branch.isCounted && !branch.rows.empty();
    }
}

void DeadBranches::connect(const graph::Program& program, const FrameTree& tree,
                           const Makers& makers)
{
    for (std::size_t op = 0; op < m_branches.size(); ++op) {
        if (!m_branches[op].isCounted)
            continue;
        const auto reader = static_cast<int>(op);
        std::set<int> givers;
        for (const TensorId tensor : program.ops[op].reads)
            for (const int maker : makers[tensor.index()])
                if (maker < reader && m_branches[static_cast<std::size_t>(maker)].isCounted
                    && stood(maker, reader)) // else a detached tensor was read
                    givers.insert(maker);
        m_branches[op].givers.assign(givers.begin(), givers.end());
        for (const int giver : givers)
            m_branches[static_cast<std::size_t>(giver)].readers.push_back(reader);
    }
    for (int frame = 0; frame < static_cast<int>(tree.size()); ++frame)
        connectFrame(program, tree, frame, makers);
}

/// An argument keeps its node, unless it is detached: only nodes that backward runs read it.
void DeadBranches::connectFrame(const graph::Program& program, const FrameTree& tree, int frame,
                                const Makers& makers)
{
    const Region& region = *tree[frame].region;
    std::vector<TensorId> arguments;
    if (region.members.empty())
        arguments = CodeReader{program}.parameters(region.first, region.last);
    else
        arguments = program.call(region.members.front()).inputs;
    std::set<int> given;
    for (const TensorId argument : arguments) {
        std::vector<OpIndex> readers;
        for (OpIndex op = region.first; op <= region.last; ++op)
            if (std::ranges::find(program.ops[static_cast<std::size_t>(op)].reads, argument)
                != program.ops[static_cast<std::size_t>(op)].reads.end())
                readers.push_back(op);
        for (const int node : makers[argument.index()]) {
            if (node >= region.first || !m_branches[static_cast<std::size_t>(node)].isCounted)
                continue;
            const bool isKept =
                readers.empty()
                    ? stood(node, region.first)
                    : std::ranges::any_of(readers, [&](OpIndex reader) {
                          const auto op = static_cast<std::size_t>(reader);
                          return stood(node, reader)
                                 && (m_branches[op].isCounted || program.ops[op].sequence < 0);
                      });
            if (isKept)
                given.insert(node);
        }
    }
    m_given[static_cast<std::size_t>(frame)].assign(given.begin(), given.end());
    for (const int node : given)
        m_branches[static_cast<std::size_t>(node)].frames.push_back(frame);
}

void DeadBranches::holdVariables(const graph::Program& program, const Makers& makers)
{
    for (std::size_t node = 0; node < m_branches.size(); ++node) {
        Branch& branch = m_branches[node];
        const auto made = static_cast<OpIndex>(node);
        const bool isLine = m_code != nullptr && made >= m_code->first && made <= m_code->last;
        branch.variables = branch.isFinal && !isLine ? branch.fell : made;
    }
    if (m_code == nullptr)
        return;
    const auto name = [&](TensorId tensor, OpIndex at) {
        for (const int maker : makers[tensor.index()])
            if (maker >= m_code->first && maker <= m_code->last) {
                Branch& branch = m_branches[static_cast<std::size_t>(maker)];
                branch.variables = std::max(branch.variables, at);
            }
    };
    for (OpIndex at = m_code->first; at <= m_code->last; ++at) {
        const graph::Op& line = program.ops[static_cast<std::size_t>(at)];
        for (const std::vector<TensorId>* tensors : {&line.reads, &line.writes, &line.outputs})
            for (const TensorId tensor : *tensors)
                name(tensor, at);
    }
    for (const TensorId output : m_code->outputs)
        name(output, m_code->last);
    for (std::size_t node = 0; node < m_branches.size(); ++node) {
        Branch& branch = m_branches[node];
        if (branch.isFinal) // detached before its last use
            branch.variables =
                std::min(branch.variables, std::max(branch.fell, static_cast<OpIndex>(node)));
    }
}

} // namespace plimsoll::plan::verifying
