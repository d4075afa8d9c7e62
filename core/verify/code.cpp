// SPDX-License-Identifier: Apache-2.0
#include "core/verify/code.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>

namespace plimsoll::plan::verifying {

using graph::OpIndex;
using graph::TensorId;

namespace {

constexpr std::array<std::string_view, 3> kUpdateStatistics{"aten.native_batch_norm.default",
                                                            "aten.cudnn_batch_norm.default",
                                                            "aten.miopen_batch_norm.default"};

bool contains(const std::vector<TensorId>& tensors, TensorId tensor)
{
    return std::ranges::find(tensors, tensor) != tensors.end();
}

} // namespace

const graph::Call* modelCall(const graph::Program& program)
{
    const auto isModel = [](const graph::Call& call) { return !call.parent && !call.isEmpty(); };
    const auto found = std::ranges::find_if(program.calls, isModel);
    if (found == program.calls.end() || std::any_of(std::next(found), program.calls.end(), isModel))
        return nullptr;
    return &*found;
}

bool sharesCallWithNext(const graph::Program& program, OpIndex line)
{
    const auto index = static_cast<std::size_t>(line);
    if (index + 1 >= program.ops.size()
        || program.targetOf(program.ops[index]) != "aten.clone.default")
        return false;
    const graph::Op& next = program.ops[index + 1];
    const bool overwrites = std::ranges::any_of(
        next.writes, [&](TensorId written) { return contains(program.ops[index].reads, written); });
    return overwrites && std::ranges::any_of(program.saved, [&](const graph::Saved& row) {
               return row.op.index() == index
                      && (row.sequence == next.sequence
                          || row.sequence < program.ops[index].sequence);
           });
}

std::vector<OpIndex> pythonHolds(const graph::Program& program)
{
    std::vector<OpIndex> held;
    for (const graph::Storage& storage : program.storages)
        held.push_back(storage.pythonFree);
    std::vector<OpIndex> latest = held;
    for (const graph::Saved& row : program.saved) {
        OpIndex& opIndex = latest[program.tensor(row.tensor).storage.index()];
        opIndex = std::max(opIndex, row.released);
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (program.storages[i].free > latest[i])
            held[i] = program.storages[i].free;
    }
    return held;
}

std::vector<OpIndex> codeHolds(const graph::Program& program, std::vector<OpIndex> recorded)
{
    const graph::Call* model = modelCall(program);
    if (model == nullptr)
        return recorded;
    std::vector<bool> isKnown(recorded.size(), false);
    for (const TensorId output : model->outputs)
        isKnown[program.tensor(output).storage.index()] = true; // held by its caller
    for (std::size_t storage = 0; storage < recorded.size(); ++storage)
        if (recorded[storage] > program.storages[storage].pythonFree)
            isKnown[storage] = true; // held elsewhere
    for (OpIndex at = model->last; at >= model->first; --at) {
        const graph::Op& line = program.ops[static_cast<std::size_t>(at)];
        const auto name = [&](TensorId tensor) {
            const std::size_t storage = program.tensor(tensor).storage.index();
            if (isKnown[storage] || program.storages[storage].alloc < model->first)
                return;
            isKnown[storage] = true;
            recorded[storage] = at;
        };
        std::ranges::for_each(line.reads, name);
        std::ranges::for_each(line.writes, name);
        std::ranges::for_each(line.outputs, name);
        if (at > model->first && sharesCallWithNext(program, at - 1))
            std::ranges::for_each(program.ops[static_cast<std::size_t>(at - 1)].outputs, name);
    }
    for (std::size_t storage = 0; storage < recorded.size(); ++storage) {
        const OpIndex alloc = program.storages[storage].alloc;
        if (alloc < 0 && program.storages[storage].storageClass == graph::StorageClass::Constant)
            recorded[storage] = graph::kNever; // part of the code
        if (!isKnown[storage] && alloc >= model->first && alloc <= model->last)
            recorded[storage] = alloc; // scratch memory that no line names
    }
    return recorded;
}

bool leavesStatistics(const graph::Program& program, const graph::Op& op)
{
    return std::ranges::find(kUpdateStatistics, program.targetOf(op)) != kUpdateStatistics.end();
}

bool isBatchCounter(const graph::Program& program, const graph::Op& op)
{
    const auto isCounter = [](const std::string& name) {
        return name.substr(name.rfind('.') + 1) == "num_batches_tracked"; // npos + 1 is 0
    };
    if (op.writes.empty())
        return false;
    const graph::Storage& target = program.storage(program.tensor(op.writes[0]).storage);
    return target.storageClass == graph::StorageClass::Buffer
           && std::ranges::any_of(target.names, isCounter);
}

CodeReader::CodeReader(const graph::Program& program)
    : m_program{program}, m_isVariable(program.tensors.size(), false)
{
    for (std::size_t i = 0; i < program.tensors.size(); ++i)
        m_isVariable[i] =
            program.storage(program.tensors[i].storage).storageClass == graph::StorageClass::Input;
    for (const graph::Op& line : program.ops) {
        if (line.phase != graph::Phase::Forward && line.phase != graph::Phase::Loss)
            break;
        for (const TensorId output : line.outputs) {
            if (!contains(line.writes, output)) // an in-place result keeps its value
                m_isVariable[output.index()] = true;
        }
    }
}

std::vector<TensorId> CodeReader::parameters(OpIndex first, OpIndex last) const
{
    std::vector<TensorId> found;
    std::unordered_set<std::size_t> known; // assigned inside, or already found
    for (OpIndex at = first; at <= last; ++at) {
        const graph::Op& line = m_program.ops[static_cast<std::size_t>(at)];
        const auto use = [&](TensorId tensor) {
            if (m_isVariable[tensor.index()] && known.insert(tensor.index()).second)
                found.push_back(tensor);
        };
        std::ranges::for_each(line.reads, use);
        std::ranges::for_each(line.writes, use);
        for (const TensorId output : line.outputs)
            known.insert(output.index());
    }
    return found;
}

} // namespace plimsoll::plan::verifying
