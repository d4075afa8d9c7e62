// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/fault.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

namespace plimsoll::readers::plimsoll_graph {

namespace {

using graph::OpIndex;

/// Checks the indices of one row; keeps the first one out of range.
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

/// The first fault that `check(RowCheck&, row)` finds in the rows of a table.
template <typename Row, typename Check>
MaybeFault findIn(Table table, const std::vector<Row>& rows, Check check)
{
    for (std::size_t row = 0; row < rows.size(); ++row) {
        RowCheck found{table, row};
        check(found, rows[row]);
        if (found.found())
            return found.found();
    }
    return std::nullopt;
}

MaybeFault findModuleFault(const graph::Program& program)
{
    return findIn(Table::Modules, program.modules,
                  [&](RowCheck& check, const graph::Module& module) {
                      check.id("parent: module", module.parent, program.modules.size());
                  });
}

MaybeFault findCallFault(const graph::Program& program)
{
    const std::size_t ops = program.ops.size();
    return findIn(Table::Calls, program.calls, [&](RowCheck& check, const graph::Call& call) {
        check.id("module", call.module, program.modules.size())
            .id("parent: call", call.parent, program.calls.size())
            .index("first: op", call.first, ops + 1) // one past the end: an empty call there
            .index("last: op", call.last, ops, -1)
            .ids("inputs: tensor", call.inputs, program.tensors.size())
            .ids("outputs: tensor", call.outputs, program.tensors.size())
            .id("arguments: structure", call.arguments, program.structures.size())
            .id("result: structure", call.result, program.structures.size())
            .index("source", call.source, program.sources.size(), -1);
    });
}

MaybeFault findStorageFault(const graph::Program& program)
{
    const std::size_t ops = program.ops.size();
    return findIn(Table::Storages, program.storages,
                  [&](RowCheck& check, const graph::Storage& storage) {
                      check.index("alloc: op", storage.alloc, ops, graph::kBeforeStep)
                          .opIndex("free: op", storage.free, ops)
                          .index("last_use: op", storage.lastUse, ops, graph::kBeforeStep)
                          .opIndex("python_free: op", storage.pythonFree, ops);
                  });
}

MaybeFault findTensorFault(const graph::Program& program)
{
    return findIn(Table::Tensors, program.tensors,
                  [&](RowCheck& check, const graph::Tensor& tensor) {
                      check.id("storage", tensor.storage, program.storages.size())
                          .index("dtype", tensor.dtype, program.dtypes.size());
                  });
}

MaybeFault findOpFault(const graph::Program& program)
{
    const std::size_t tensors = program.tensors.size();
    return findIn(Table::Ops, program.ops, [&](RowCheck& check, const graph::Op& op) {
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
    });
}

MaybeFault findSavedIndexFault(const graph::Program& program)
{
    const std::size_t ops = program.ops.size();
    return findIn(Table::Saved, program.saved, [&](RowCheck& check, const graph::Saved& saved) {
        check.id("tensor", saved.tensor, program.tensors.size())
            .id("op", saved.op, ops)
            .index("unpack: op", saved.unpack.value_or(0), ops)
            .opIndex("dropped: op", saved.dropped, ops)
            .opIndex("released: op", saved.released, ops);
    });
}

MaybeFault findParameterFault(const graph::Program& program)
{
    const std::size_t storages = program.storages.size();
    return findIn(Table::Params, program.parameters,
                  [&](RowCheck& check, const graph::Parameter& parameter) {
                      check.id("storage", parameter.storage, storages)
                          .id("gradient storage", parameter.gradient, storages)
                          .ids("states: storage", parameter.states, storages);
                  });
}

} // namespace

MaybeFault findIndexFault(const graph::Program& program)
{
    return findFirst(program, {findModuleFault, findCallFault, findStorageFault, findTensorFault,
                               findOpFault, findSavedIndexFault, findParameterFault});
}

} // namespace plimsoll::readers::plimsoll_graph
