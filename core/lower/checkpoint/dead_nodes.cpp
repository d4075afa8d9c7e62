// SPDX-License-Identifier: Apache-2.0
#include "core/lower/checkpoint/dead_nodes.h"

#include <algorithm>
#include <unordered_set>

namespace plimsoll::plan {

using graph::OpId;
using graph::OpIndex;
using graph::TensorId;

DeadNodes::DeadNodes(const graph::Program& program, const RegionTable& table)
    : m_program{program}, m_table{table}, m_code{table.code()}
{
    const auto forward = static_cast<OpIndex>(program.forwardCount());
    m_isAny = std::ranges::any_of(program.saved, [&](const graph::Saved& row) {
        return !row.unpack && row.released < forward;
    });
    if (!m_isAny)
        return;
    classify();
    collectResults();
    findReaders();
    findTakers();
    findVariables();
}

/// A node is run by backward if it has an op there, or something unpacked or held until then.
void DeadNodes::classify()
{
    const std::size_t count = m_program.forwardCount();
    const auto forward = static_cast<OpIndex>(count);
    std::unordered_set<std::int64_t> ran;
    for (std::size_t op = count; op < m_program.ops.size(); ++op)
        ran.insert(m_program.ops[op].sequence);
    m_kind.assign(count, Kind::None);
    m_recorded.assign(count, graph::kNever);
    m_rows.resize(count);
    for (std::size_t op = 0; op < count; ++op)
        if (const std::int64_t node = m_program.ops[op].sequence; node >= 0 && !ran.contains(node))
            m_kind[op] = Kind::Unknown;
    for (std::size_t row = 0; row < m_program.saved.size(); ++row) {
        const graph::Saved& saved = m_program.saved[row];
        if (saved.op.index() >= count)
            continue;
        m_rows[saved.op.index()].push_back(static_cast<std::uint32_t>(row));
        const std::size_t node = nodeOf(saved.op);
        if (m_kind[node] == Kind::None)
            continue;
        const bool isDead = !saved.unpack && saved.released < forward;
        m_recorded[node] = m_kind[node] == Kind::Unknown
                               ? saved.released
                               : std::max(m_recorded[node], saved.released);
        m_kind[node] = isDead ? Kind::Dead : Kind::None;
    }
}

/// The results of an op. After an in-place change, all views of that storage refer to its node.
void DeadNodes::collectResults()
{
    std::vector<std::vector<TensorId>> lookingAt(m_program.storages.size());
    for (std::size_t tensor = 0; tensor < m_program.tensors.size(); ++tensor)
        lookingAt[m_program.tensors[tensor].storage.index()].emplace_back(tensor);
    m_results.resize(m_kind.size());
    for (std::size_t node = 0; node < m_kind.size(); ++node) {
        if (m_kind[node] == Kind::None)
            continue;
        const graph::Op& op = m_program.ops[node];
        m_results[node] = op.outputs;
        for (const TensorId written : op.writes)
            if (m_program.storageOf(written).alloc >= 0) {
                const auto& all = lookingAt[m_program.tensor(written).storage.index()];
                m_results[node].insert(m_results[node].end(), all.begin(), all.end());
            }
    }
}

/// Whether `reader` reads the node's own result. If the node was freed earlier, the tensor that was
/// read had been detached from it.
bool DeadNodes::isReading(std::size_t node, OpIndex reader) const
{
    return m_kind[node] != Kind::Dead || m_recorded[node] >= reader;
}

void DeadNodes::findReaders()
{
    m_readOf.resize(m_program.tensors.size());
    for (std::size_t op = 0; op < m_kind.size(); ++op)
        for (const TensorId tensor : m_program.ops[op].reads)
            m_readOf[tensor.index()].push_back(op);
    m_readers.resize(m_kind.size());
    for (std::size_t node = 0; node < m_kind.size(); ++node)
        for (const TensorId result : m_results[node])
            for (const std::size_t reader : m_readOf[result.index()])
                if (reader > node && m_kind[reader] != Kind::None
                    && isReading(node, static_cast<OpIndex>(reader)))
                    m_readers[node].push_back(reader);
}

/// Whether a region's frame refers to a node: it does through an argument, unless only nodes that
/// backward runs read the argument, since these read a detached tensor.
bool DeadNodes::isTaking(std::size_t node, TensorId tensor, const RegionInfo& region) const
{
    bool isRead = false;
    for (const std::size_t op : m_readOf[tensor.index()]) {
        const auto reader = static_cast<OpIndex>(op);
        if (reader < region.first || reader > region.last)
            continue;
        isRead = true;
        const bool isLive = m_kind[op] == Kind::None && m_program.ops[op].sequence >= 0;
        if (!isLive && isReading(node, reader))
            return true;
    }
    return !isRead && isReading(node, region.first);
}

void DeadNodes::findTakers()
{
    std::vector<std::vector<std::size_t>> makers(m_program.tensors.size());
    for (std::size_t node = 0; node < m_kind.size(); ++node)
        for (const TensorId result : m_results[node])
            makers[result.index()].push_back(node);
    m_takers.resize(m_kind.size());
    for (std::int32_t index = 0; index < m_table.size(); ++index) {
        const RegionInfo& region = m_table[index];
        for (const TensorId tensor : m_table.given(*region.region))
            for (const std::size_t node : makers[tensor.index()])
                if (static_cast<OpIndex>(node) < region.first && isTaking(node, tensor, region))
                    m_takers[node].push_back(index);
    }
}

/// Variables of generated code are deleted after their last use, others as recorded.
void DeadNodes::findVariables()
{
    std::vector<OpIndex> named(m_program.tensors.size(), graph::kBeforeStep);
    if (m_code != nullptr) {
        for (OpIndex at = m_code->first(); at <= m_code->last(); ++at) {
            const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
            for (const std::vector<TensorId>* tensors : {&op.reads, &op.writes, &op.outputs})
                for (const TensorId tensor : *tensors)
                    named[tensor.index()] = at;
        }
        for (const graph::Call& call : m_program.calls)
            if (!call.parent)
                for (const TensorId output : call.outputs)
                    named[output.index()] = m_code->last();
    }
    m_variables.resize(m_kind.size());
    for (std::size_t node = 0; node < m_kind.size(); ++node) {
        const auto made = static_cast<OpIndex>(node);
        const bool isCode = m_code != nullptr && made >= m_code->first() && made <= m_code->last();
        OpIndex held = m_kind[node] == Kind::Dead && !isCode ? m_recorded[node] : made;
        if (isCode)
            for (const TensorId result : m_results[node])
                held = std::max(held, named[result.index()]);
        if (m_kind[node] == Kind::Dead)
            held = std::min(held, std::max(m_recorded[node], made)); // detached before its last use
        m_variables[node] = held;
    }
}

/// Callers wait: while a region runs, they release nothing that they held when it began.
OpIndex DeadNodes::waited(std::size_t node, std::int32_t region) const
{
    OpIndex opIndex = m_variables[node];
    if (m_code != nullptr || opIndex < 0 || opIndex >= static_cast<OpIndex>(m_kind.size()))
        return opIndex;
    std::int32_t around = m_table.innermost(graph::opAt(opIndex));
    for (; around > region && static_cast<OpIndex>(node) < m_table[around].first;
         around = m_table[around].parent)
        opIndex = std::max(opIndex, m_table[around].last);
    return opIndex;
}

std::int32_t DeadNodes::endOf(std::size_t node, const Run& run, const Ends& ends) const
{
    std::int32_t end =
        std::max(run.place(static_cast<OpIndex>(node)), run.place(waited(node, run.region)));
    const OpIndex last = run.region < 0 ? graph::kNever : m_table[run.region].last;
    for (const std::size_t reader : m_readers[node])
        if (static_cast<OpIndex>(reader) <= last)
            end = std::max(end, ends.node(reader));
    for (const std::int32_t region : m_takers[node])
        if (region >= ends.firstRegion
            && region < ends.firstRegion + static_cast<std::int32_t>(ends.frames.size()))
            end = std::max(end, ends.frame(region));
    // The model's caller holds its results, as recorded.
    if (m_code != nullptr && run.region < 0 && m_kind[node] == Kind::Dead
        && end >= run.place(m_code->last()))
        end = std::max(end, run.place(m_recorded[node]));
    return end;
}

/// The rows of an op hold the frames of all enclosing regions.
void DeadNodes::followRows(std::size_t op, const Run& run, Ends& ends) const
{
    for (const std::uint32_t row : m_rows[op]) {
        const std::int32_t held =
            owns(row) ? ends.node(nodeOf(OpId{op})) : run.place(m_program.saved[row].released);
        for (std::int32_t region = m_table.innermost(OpId{op}); region > run.region;
             region = m_table[region].parent) {
            std::int32_t& frame = ends.frames[static_cast<std::size_t>(region - ends.firstRegion)];
            frame = std::max(frame, held);
        }
    }
}

DeadNodes::Ends DeadNodes::follow(const Run& run) const
{
    Ends ends;
    ends.firstRegion = run.region + 1; // nested regions follow their parent
    for (std::int32_t region = ends.firstRegion;
         region < m_table.size() && m_table[region].parent >= run.region; ++region) {
        std::int32_t frame = run.frame(region);
        if (!m_isAny && m_table[region].hasRows)
            frame = std::max(frame, run.place(m_table[region].release));
        ends.frames.push_back(frame);
    }
    if (!m_isAny)
        return ends;
    std::size_t end = m_kind.size();
    if (run.region >= 0) {
        ends.firstOp = static_cast<std::size_t>(m_table[run.region].first);
        end = static_cast<std::size_t>(m_table[run.region].last) + 1;
    }
    ends.nodes.resize(end - ends.firstOp, -1);
    for (std::size_t op = end; op-- > ends.firstOp;) { // readers and regions come later
        if (m_kind[op] != Kind::None)
            ends.nodes[op - ends.firstOp] = endOf(op, run, ends);
        followRows(op, run, ends);
    }
    return ends;
}

} // namespace plimsoll::plan
