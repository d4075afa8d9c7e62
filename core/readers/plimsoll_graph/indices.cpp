// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/indices.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

namespace plimsoll::readers::plimsoll_graph {

namespace {

using graph::OpIndex;

/// Checks the indices of one row; keeps the first that is out of range.
class RowCheck
{
public:
    RowCheck(Table table, std::size_t row) : m_table{table}, m_row{row} {}

    /// An index from `lowest` below `count`.
    RowCheck& index(const char* column, std::int64_t value, std::size_t count,
                    std::int64_t lowest = 0)
    {
        if (!m_fault && (value < lowest || value >= static_cast<std::int64_t>(count)))
            m_fault =
                fault(m_table, m_row,
                      fmt::format("has {} {}, but the file has {} of those", column, value, count));
        return *this;
    }
    template <typename Id>
    RowCheck& id(const char* column, Id value, std::size_t count)
    {
        return index(column, static_cast<std::int64_t>(value.index()), count);
    }
    template <typename Id>
    RowCheck& id(const char* column, const std::optional<Id>& value, std::size_t count)
    {
        return value ? id(column, *value, count) : *this;
    }
    template <typename Id>
    RowCheck& ids(const char* column, const std::vector<Id>& values, std::size_t count)
    {
        for (const Id value : values)
            id(column, value, count);
        return *this;
    }
    /// kBeforeStep, an op, or kNever.
    RowCheck& opIndex(const char* column, OpIndex value, std::size_t ops)
    {
        return value == graph::kNever ? *this : index(column, value, ops, graph::kBeforeStep);
    }

    [[nodiscard]] const MaybeFault& found() const { return m_fault; }

private:
    Table m_table;
    std::size_t m_row;
    MaybeFault m_fault;
};

MaybeFault findOpIndexFault(const graph::Program& program)
{
    const std::size_t tensors = program.tensors.size();
    for (std::size_t row = 0; row < program.ops.size(); ++row) {
        const graph::Op& op = program.ops[row];
        RowCheck check{Table::Ops, row};
        check.index("target", op.target, program.targets.size())
            .id("module", op.module, program.modules.size())
            .id("call", op.call, program.calls.size())
            .index("source", op.source, program.sources.size(), -1)
            .ids("reads: tensor", op.reads, tensors)
            .ids("writes: tensor", op.writes, tensors)
            .ids("outputs: tensor", op.outputs, tensors)
            .index("node", op.node, program.nodes.size(), -1)
            .id("forward_op", op.forwardOp, program.ops.size())
            .id("recompute_of", op.recomputeOf, program.ops.size());
        if (check.found())
            return check.found();
    }
    return std::nullopt;
}

MaybeFault findStorageIndexFault(const graph::Program& program)
{
    const std::size_t ops = program.ops.size();
    for (std::size_t row = 0; row < program.storages.size(); ++row) {
        const graph::Storage& storage = program.storages[row];
        RowCheck check{Table::Storages, row};
        check.index("alloc: op", storage.alloc, ops, graph::kBeforeStep)
            .opIndex("free: op", storage.free, ops)
            .index("last_use: op", storage.lastUse, ops, graph::kBeforeStep)
            .opIndex("python_free: op", storage.pythonFree, ops);
        if (check.found())
            return check.found();
    }
    for (std::size_t row = 0; row < program.tensors.size(); ++row) {
        const graph::Tensor& tensor = program.tensors[row];
        RowCheck check{Table::Tensors, row};
        check.id("storage", tensor.storage, program.storages.size())
            .index("dtype", tensor.dtype, program.dtypes.size());
        if (check.found())
            return check.found();
    }
    return std::nullopt;
}

MaybeFault findCallIndexFault(const graph::Program& program)
{
    const std::size_t ops = program.ops.size();
    for (std::size_t row = 0; row < program.modules.size(); ++row) {
        RowCheck check{Table::Modules, row};
        check.id("parent: module", program.modules[row].parent, program.modules.size());
        if (check.found())
            return check.found();
    }
    for (std::size_t row = 0; row < program.calls.size(); ++row) {
        const graph::Call& call = program.calls[row];
        RowCheck check{Table::Calls, row};
        check.id("module", call.module, program.modules.size())
            .id("parent: call", call.parent, program.calls.size())
            .index("first: op", call.first, ops + 1) // one past the end: an empty call there
            .index("last: op", call.last, ops, -1)
            .ids("inputs: tensor", call.inputs, program.tensors.size())
            .ids("outputs: tensor", call.outputs, program.tensors.size())
            .id("arguments: structure", call.arguments, program.structures.size())
            .id("result: structure", call.result, program.structures.size())
            .index("source", call.source, program.sources.size(), -1);
        if (check.found())
            return check.found();
    }
    return std::nullopt;
}

} // namespace

MaybeFault findIndexFault(const graph::Program& program)
{
    if (auto found = findCallIndexFault(program))
        return found;
    if (auto found = findStorageIndexFault(program))
        return found;
    if (auto found = findOpIndexFault(program))
        return found;
    const std::size_t ops = program.ops.size();
    const std::size_t storages = program.storages.size();
    for (std::size_t row = 0; row < program.saved.size(); ++row) {
        const graph::Saved& saved = program.saved[row];
        RowCheck check{Table::Saved, row};
        check.id("tensor", saved.tensor, program.tensors.size())
            .id("op", saved.op, ops)
            .index("unpack: op", saved.unpack.value_or(0), ops)
            .opIndex("dropped: op", saved.dropped, ops)
            .opIndex("released: op", saved.released, ops);
        if (check.found())
            return check.found();
    }
    for (std::size_t row = 0; row < program.parameters.size(); ++row) {
        const graph::Parameter& parameter = program.parameters[row];
        RowCheck check{Table::Params, row};
        check.id("storage", parameter.storage, storages)
            .id("gradient storage", parameter.gradient, storages)
            .ids("states: storage", parameter.states, storages);
        if (check.found())
            return check.found();
    }
    return std::nullopt;
}

} // namespace plimsoll::readers::plimsoll_graph
