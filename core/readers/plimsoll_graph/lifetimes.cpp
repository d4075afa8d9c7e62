// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::readers::plimsoll_graph {

namespace {

using graph::OpIndex;

std::string opIndexText(OpIndex opIndex)
{
    if (opIndex == graph::kNever)
        return "after the step";
    return opIndex == graph::kBeforeStep ? "before the step" : fmt::format("op {}", opIndex);
}

MaybeFault findSpanFault(const graph::Program& program)
{
    for (std::size_t row = 0; row < program.storages.size(); ++row) {
        const graph::Storage& storage = program.storages[row];
        if (storage.free < storage.alloc)
            return fault(Table::Storages, row,
                         fmt::format("is freed at {} but allocated later, at {}",
                                     opIndexText(storage.free), opIndexText(storage.alloc)));
        if (storage.pythonFree > storage.free)
            return fault(Table::Storages, row,
                         fmt::format("has a python_free ({}) later than its free ({})",
                                     opIndexText(storage.pythonFree), opIndexText(storage.free)));
        if (storage.pythonFree < storage.alloc)
            return fault(Table::Storages, row,
                         fmt::format("has a python_free ({}) earlier than its alloc ({})",
                                     opIndexText(storage.pythonFree), opIndexText(storage.alloc)));
        if (storage.isScratch() && (storage.alloc < 0 || storage.free != storage.alloc))
            return fault(Table::Storages, row,
                         "is scratch, so its `alloc` and `free` must be the op that takes it");
    }
    return std::nullopt;
}

/// Scratch is no value: nothing refers to it.
MaybeFault findScratchFault(const graph::Program& program)
{
    const auto isScratch = [&](graph::StorageId id) { return program.storage(id).isScratch(); };
    for (std::size_t row = 0; row < program.tensors.size(); ++row)
        if (isScratch(program.tensors[row].storage))
            return fault(Table::Tensors, row, "is a tensor of scratch, which has none");
    for (std::size_t row = 0; row < program.parameters.size(); ++row)
        if (const graph::Parameter& parameter = program.parameters[row];
            isScratch(parameter.storage) || (parameter.gradient && isScratch(*parameter.gradient))
            || std::ranges::any_of(parameter.states, isScratch))
            return fault(Table::Params, row, "names scratch, which is no value of the step");
    return std::nullopt;
}

/// Checks one use and records it as the storage's last one so far.
MaybeFault use(const graph::Program& program, std::size_t op, graph::TensorId tensor,
               const char* verb, std::vector<OpIndex>& lastUse)
{
    const graph::StorageId id = program.tensor(tensor).storage;
    const graph::Storage& storage = program.storage(id);
    const auto now = static_cast<OpIndex>(op);
    if (now < storage.alloc)
        return fault(Table::Ops, op,
                     fmt::format("{} storage {} before its alloc at {}", verb, id.index(),
                                 opIndexText(storage.alloc)));
    if (now > storage.free)
        return fault(Table::Ops, op,
                     fmt::format("{} storage {} after its free at {}", verb, id.index(),
                                 opIndexText(storage.free)));
    lastUse[id.index()] = now;
    return std::nullopt;
}

MaybeFault findUseFault(const graph::Program& program, std::vector<OpIndex>& lastUse)
{
    for (std::size_t row = 0; row < program.ops.size(); ++row) {
        const graph::Op& op = program.ops[row];
        for (const auto& [tensors, verb] :
             {std::pair{&op.reads, "reads"}, std::pair{&op.writes, "writes"},
              std::pair{&op.outputs, "returns"}})
            for (const graph::TensorId tensor : *tensors)
                if (auto found = use(program, row, tensor, verb, lastUse))
                    return found;
    }
    return std::nullopt;
}

} // namespace

MaybeFault findLifetimeFault(const graph::Program& program)
{
    if (auto found = findSpanFault(program))
        return found;
    if (auto found = findScratchFault(program))
        return found;
    std::vector<OpIndex> lastUse(program.storages.size(), graph::kBeforeStep);
    if (auto found = findUseFault(program, lastUse))
        return found;
    for (std::size_t row = 0; row < program.storages.size(); ++row)
        if (program.storages[row].lastUse != lastUse[row])
            return fault(Table::Storages, row,
                         fmt::format("has last_use {}, but the ops use it last at {}",
                                     program.storages[row].lastUse, lastUse[row]));
    return std::nullopt;
}

} // namespace plimsoll::readers::plimsoll_graph
