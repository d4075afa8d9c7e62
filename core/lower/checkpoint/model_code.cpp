// SPDX-License-Identifier: Apache-2.0
#include "core/lower/checkpoint/model_code.h"

#include <algorithm>
#include <unordered_set>

namespace plimsoll::plan {

using graph::OpIndex;
using graph::TensorId;

std::vector<OpIndex> recordedPythonHolds(const graph::Program& program)
{
    std::vector<OpIndex> explained;
    for (const graph::Storage& storage : program.storages)
        explained.push_back(storage.pythonFree);
    for (const graph::Saved& saved : program.saved) {
        OpIndex& until = explained[program.tensor(saved.tensor).storage.index()];
        until = std::max(until, saved.released);
    }
    // A storage with any other holder counts as held by Python.
    std::vector<OpIndex> holds;
    for (std::size_t index = 0; index < program.storages.size(); ++index) {
        const graph::Storage& storage = program.storages[index];
        holds.push_back(storage.free > explained[index] ? storage.free : storage.pythonFree);
    }
    return holds;
}

ModelCode::ModelCode(const graph::Program& program)
    : m_program{program}, m_holds{recordedPythonHolds(program)}
{
    findCall();
    findCopies();
    findHolds();
    findVariables();
}

void ModelCode::findCall()
{
    const graph::Call* only = nullptr;
    for (const graph::Call& call : m_program.calls) {
        if (call.parent || call.isEmpty())
            continue;
        if (only != nullptr)
            return;
        only = &call;
    }
    if (only != nullptr) {
        m_first = only->first;
        m_last = only->last;
    }
}

/// The node of an in-place op may need the value that the op overwrites. It then saves a copy, made
/// by a separate op before the node's own. A copy with a node has a higher sequence number than the
/// node that saves it; for a copy made by the user, the saving node comes later.
void ModelCode::findCopies()
{
    m_isCopy.assign(m_program.ops.size(), false);
    for (const graph::Saved& row : m_program.saved) {
        const std::size_t next = row.op.index() + 1;
        if (static_cast<OpIndex>(next) > m_last)
            continue;
        const graph::Op& copy = m_program.op(row.op);
        const graph::Op& inPlace = m_program.ops[next];
        if (m_program.targetOf(copy) == "aten.clone.default"
            && (row.sequence == inPlace.sequence || row.sequence < copy.sequence)
            && std::find_first_of(copy.reads.begin(), copy.reads.end(), inPlace.writes.begin(),
                                  inPlace.writes.end())
                   != copy.reads.end())
            m_isCopy[row.op.index()] = true;
    }
}

/// A variable is deleted after the last line that names it; the caller keeps the model's results.
void ModelCode::findHolds()
{
    std::vector<OpIndex> lastUse(m_program.storages.size(), graph::kBeforeStep);
    for (OpIndex at = m_first; at <= m_last; ++at) {
        const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
        for (const std::vector<TensorId>* tensors : {&op.reads, &op.writes, &op.outputs})
            for (const TensorId tensor : *tensors)
                lastUse[m_program.tensor(tensor).storage.index()] = at;
        if (at > m_first && isCopyForNext(at - 1)) // the call holds it while it runs
            for (const TensorId copy : m_program.ops[static_cast<std::size_t>(at - 1)].outputs)
                lastUse[m_program.tensor(copy).storage.index()] = at;
    }
    std::vector<bool> isReturned(m_program.storages.size(), false);
    for (const graph::Call& call : m_program.calls)
        if (!call.parent)
            for (const TensorId output : call.outputs)
                isReturned[m_program.tensor(output).storage.index()] = true;
    for (std::size_t index = 0; index < m_holds.size(); ++index) {
        const graph::Storage& storage = m_program.storages[index];
        const OpIndex alloc = storage.alloc;
        if (alloc < 0 && storage.storageClass == graph::StorageClass::Constant && m_last >= m_first)
            m_holds[index] = graph::kNever; // part of the code
        if (alloc < std::max(m_first, 0) || alloc > m_last)
            continue;
        const OpIndex used = std::max(alloc, lastUse[index]);
        const bool isHeldElsewhere = m_holds[index] != storage.pythonFree; // its holder is unknown
        m_holds[index] =
            isReturned[index] || isHeldElsewhere ? std::max(used, m_holds[index]) : used;
    }
}

/// Variables are inputs and results of ops; parameters, buffers and constants are the model's.
void ModelCode::findVariables()
{
    m_named.assign(m_program.tensors.size(), graph::kNever);
    for (std::size_t tensor = 0; tensor < m_named.size(); ++tensor)
        if (m_program.storage(m_program.tensors[tensor].storage).storageClass
            == graph::StorageClass::Input)
            m_named[tensor] = graph::kBeforeStep;
    const std::size_t forward = m_program.forwardCount();
    for (std::size_t at = 0; at < forward; ++at) {
        const graph::Op& op = m_program.ops[at];
        for (const TensorId output : op.outputs) {
            const bool isWritten = std::ranges::find(op.writes, output) != op.writes.end();
            OpIndex& named = m_named[output.index()];
            if (named == graph::kNever && !isWritten)
                named = static_cast<OpIndex>(at);
        }
    }
}

std::vector<TensorId> ModelCode::parameters(OpIndex first, OpIndex last) const
{
    std::vector<TensorId> given;
    std::unordered_set<std::size_t> made; // a value may be made twice, such as a rebuilt view
    for (OpIndex at = first; at <= last; ++at) {
        const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
        for (const std::vector<TensorId>* tensors : {&op.reads, &op.writes})
            for (const TensorId tensor : *tensors)
                if (m_named[tensor.index()] < first && !made.contains(tensor.index()))
                    given.push_back(tensor);
        for (const TensorId output : op.outputs)
            made.insert(output.index());
    }
    return given;
}

} // namespace plimsoll::plan
