// SPDX-License-Identifier: Apache-2.0
#include "tests/support/programs/programs.h"

#include <algorithm>
#include <string>
#include <utility>

namespace plimsoll::tests {

namespace {

std::uint32_t indexIn(std::vector<std::string>& table, const std::string& name)
{
    const auto at = std::ranges::find(table, name);
    const auto index = static_cast<std::uint32_t>(at - table.begin());
    if (at == table.end())
        table.push_back(name);
    return index;
}

bool leadsTo(const std::string& ancestor, const std::string& path)
{
    if (ancestor.empty())
        return !path.empty();
    return path.size() > ancestor.size() && path.starts_with(ancestor)
           && path[ancestor.size()] == '.';
}

graph::Tensor wholeOf(std::size_t storage, std::int64_t bytes)
{
    graph::Tensor tensor;
    tensor.storage = graph::StorageId{storage};
    tensor.shape = {bytes};
    tensor.strides = {1};
    return tensor;
}

} // namespace

ProgramBuilder& ProgramBuilder::storage(const std::string& name, std::int64_t bytes,
                                        graph::StorageClass storageClass, Life life)
{
    graph::Storage row;
    row.bytes = base::Bytes{bytes};
    row.storageClass = storageClass;
    row.alloc = life.alloc;
    row.pythonFree = life.python;
    row.free = life.free.value_or(life.python);
    if (life.alloc == graph::kBeforeStep)
        row.names.push_back(name);
    m_tensors.emplace(name, m_program.tensors.size());
    m_program.tensors.push_back(wholeOf(m_program.storages.size(), bytes));
    m_program.storages.push_back(std::move(row));
    return *this;
}

ProgramBuilder& ProgramBuilder::view(const std::string& name, const std::string& storage)
{
    const graph::StorageId viewed = m_program.tensor(m_tensors.at(storage)).storage;
    m_tensors.emplace(name, m_program.tensors.size());
    m_program.tensors.push_back(wholeOf(viewed.index(), m_program.storage(viewed).bytes.count()));
    return *this;
}

std::vector<graph::TensorId> ProgramBuilder::ids(const std::vector<std::string>& names) const
{
    std::vector<graph::TensorId> result;
    result.reserve(names.size());
    for (const std::string& name : names)
        result.push_back(m_tensors.at(name));
    return result;
}

ProgramBuilder& ProgramBuilder::op(const std::string& target, const OpSpec& spec)
{
    graph::Op row;
    row.target = indexIn(m_program.targets, target);
    row.phase = spec.phase;
    row.isView = spec.isView;
    row.isCollective = spec.isCollective;
    row.reads = ids(spec.reads);
    row.writes = ids(spec.writes);
    row.outputs = ids(spec.outputs);
    m_program.ops.push_back(std::move(row));
    return *this;
}

ProgramBuilder& ProgramBuilder::call(const std::string& path, graph::OpIndex first,
                                     graph::OpIndex last, const std::vector<std::string>& inputs,
                                     const std::vector<std::string>& outputs)
{
    graph::Call row;
    row.first = first;
    row.last = last;
    row.inputs = ids(inputs);
    row.outputs = ids(outputs);
    std::size_t longest = 0;
    for (std::size_t i = 0; i < m_program.calls.size(); ++i) {
        const std::string& other = m_program.module(m_program.calls[i].module).path;
        if (leadsTo(other, path) && other.size() >= longest) {
            row.parent = graph::CallId{i};
            longest = other.size();
        }
    }
    const auto module = std::ranges::find(m_program.modules, path, &graph::Module::path);
    row.module = graph::ModuleId{static_cast<std::size_t>(module - m_program.modules.begin())};
    if (module == m_program.modules.end()) {
        graph::Module added;
        added.path = path;
        added.className = "Module";
        if (row.parent)
            added.parent = m_program.call(*row.parent).module;
        m_program.modules.push_back(std::move(added));
    }
    m_program.calls.push_back(std::move(row));
    return *this;
}

ProgramBuilder& ProgramBuilder::saved(const std::string& tensor, graph::OpIndex op, SavedSpec spec)
{
    graph::Saved row;
    row.tensor = m_tensors.at(tensor);
    row.op = graph::opAt(op);
    row.afterKernel = spec.after;
    row.sequence = op;
    row.unpack = spec.unpack;
    row.dropped = spec.dropped;
    row.released = spec.released;
    m_program.saved.push_back(row);
    return *this;
}

graph::ProgramPtr ProgramBuilder::build() const
{
    auto program = std::make_shared<graph::Program>(m_program);
    for (std::size_t i = 0; i < program->calls.size(); ++i) {
        const graph::Call& call = program->calls[i];
        for (graph::OpIndex op = call.first; op <= call.last; ++op) {
            graph::Op& row = program->ops.at(static_cast<std::size_t>(op));
            row.call = graph::CallId{i};
            row.module = call.module;
        }
    }
    if (program->modules.empty())
        program->modules.push_back({std::nullopt, "", "Model"});
    std::ranges::stable_sort(program->saved, [](const graph::Saved& a, const graph::Saved& b) {
        return std::pair{a.op, a.afterKernel} < std::pair{b.op, b.afterKernel};
    });
    // A backward op belongs to the node whose saved value it reads.
    for (const graph::Saved& row : program->saved)
        for (graph::OpIndex at = row.unpack.value_or(graph::kNever);
             at <= row.dropped && at < static_cast<graph::OpIndex>(program->ops.size()); ++at) {
            graph::Op& op = program->ops[static_cast<std::size_t>(at)];
            const bool reads = std::ranges::any_of(op.reads, [&](graph::TensorId tensor) {
                return program->tensor(tensor).storage == program->tensor(row.tensor).storage;
            });
            if (reads && op.sequence < 0)
                op.sequence = row.sequence;
        }
    complete(*program);
    return program;
}

graph::ProgramPtr longChain(int calls)
{
    ProgramBuilder program;
    program.storage("v0", 100, graph::StorageClass::Input);
    const int forward = 2 * calls;
    const auto value = [](int op) { return "v" + std::to_string(op + 1); };
    const auto gradient = [](int op) { return "g" + std::to_string(op); };
    for (int op = 0; op < forward; ++op) {
        const bool isSaved = op % 2 == 0; // by the op after it
        program.storage(
            value(op), 100, graph::StorageClass::Activation,
            {.alloc = op, .python = op + 1, .free = isSaved ? 2 * forward - 2 - op : op + 1});
        program.op("aten.mul", {.reads = {value(op - 1)}, .outputs = {value(op)}});
    }
    for (int op = 0; op < forward; ++op) {
        const int of = forward - 1 - op;
        program.storage(
            gradient(op), 100, graph::StorageClass::Temporary,
            {.alloc = forward + op, .python = std::min(forward + op + 1, 2 * forward - 1)});
        OpSpec spec{.outputs = {gradient(op)}, .phase = graph::Phase::Backward};
        if (op > 0)
            spec.reads.push_back(gradient(op - 1));
        if (of % 2 == 1) {
            spec.reads.push_back(value(of - 1));
            program.saved(
                value(of - 1), of,
                {.unpack = forward + op, .dropped = forward + op, .released = forward + op});
        }
        program.op("aten.mul", spec);
    }
    for (int call = 0; call < calls; ++call)
        program.call("m" + std::to_string(call), 2 * call, 2 * call + 1, {value(2 * call - 1)},
                     {value(2 * call + 1)});
    return program.build();
}

graph::ProgramPtr oneModule(graph::Program program)
{
    graph::Call whole = program.calls.front();
    whole.last = program.calls.back().last;
    whole.outputs = program.calls.back().outputs;
    program.calls = {whole};
    for (graph::Op& op : program.ops)
        op.call = op.call ? std::optional{graph::CallId{0}} : std::nullopt;
    return std::make_shared<const graph::Program>(std::move(program));
}

plan::Region regionOf(const graph::Program& program, const std::vector<std::size_t>& calls,
                      std::vector<plan::Region> nested)
{
    plan::Region region;
    for (const std::size_t call : calls)
        region.members.emplace_back(call);
    region.first = program.call(region.members.front()).first;
    region.last = program.call(region.members.back()).last;
    region.nested = std::move(nested);
    return region;
}

plan::Problem unlimitedProblem(graph::ProgramPtr program)
{
    return {.program = std::move(program),
            .device = {},
            .budget = plan::kUnlimited,
            .reserve = {},
            .rounding = graph::Rounding::Exact};
}

void complete(graph::Program& program)
{
    if (program.dtypes.empty())
        program.dtypes.emplace_back("uint8");
    for (graph::Storage& storage : program.storages)
        storage.lastUse = graph::kBeforeStep;
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        graph::Op& op = program.ops[i];
        op.bytesMoved = base::Bytes{0};
        const auto touch = [&](const std::vector<graph::TensorId>& tensors) {
            for (const graph::TensorId tensor : tensors) {
                graph::Storage& storage = program.storages[program.tensor(tensor).storage.index()];
                storage.lastUse = static_cast<graph::OpIndex>(i);
                if (!op.isView)
                    op.bytesMoved += storage.bytes;
            }
        };
        touch(op.reads);
        touch(op.writes);
        if (!op.isView)
            for (const graph::TensorId tensor : op.outputs)
                op.bytesMoved += program.storageOf(tensor).bytes;
    }
    program.checks = graph::recount(program);
}

} // namespace plimsoll::tests
