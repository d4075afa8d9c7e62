// SPDX-License-Identifier: Apache-2.0
#include "tests/support/programs/random_autograd.h"

#include "tests/support/programs/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::tests {

using graph::OpIndex;
using graph::StorageClass;
using graph::TensorId;

Node::~Node()
{
    if (ran)
        return;
    for (const std::size_t row : rows)
        recorder->m_program.saved[row].released =
            recorder->m_ended ? graph::kNever : recorder->now();
}

Handle::~Handle()
{
    const graph::StorageId storage = recorder->m_program.tensor(tensor).storage;
    OpIndex& last = recorder->m_python[storage.index()];
    last = recorder->m_ended ? graph::kNever : std::max(last, recorder->now());
}

TensorId Recorder::allocate(StorageClass storageClass, OpIndex alloc)
{
    graph::Storage storage;
    storage.bytes = base::Bytes{m_random.between(1, 6000)};
    storage.storageClass = storageClass;
    storage.alloc = alloc;
    graph::Tensor tensor;
    tensor.storage = graph::StorageId{m_program.storages.size()};
    tensor.shape = {storage.bytes.count()};
    tensor.strides = {1};
    m_program.storages.push_back(std::move(storage));
    m_python.push_back(alloc);
    m_permanent.push_back(false);
    m_program.tensors.push_back(std::move(tensor));
    return TensorId{m_program.tensors.size() - 1};
}

Ref Recorder::beforeStep(StorageClass storageClass, const std::string& name, bool permanent)
{
    const TensorId tensor = allocate(storageClass, graph::kBeforeStep);
    m_program.storages.back().names = {name};
    m_permanent.back() = permanent;
    return std::make_shared<Handle>(*this, tensor);
}

std::size_t Recorder::addParameter(const std::string& name)
{
    m_parameters.push_back(beforeStep(StorageClass::Parameter, name, true));
    m_gradients.emplace_back();
    graph::Parameter row;
    row.name = name;
    row.storage = m_program.tensors.back().storage;
    m_program.parameters.push_back(row);
    return m_parameters.size() - 1;
}

graph::Op& Recorder::append(const std::string& target)
{
    graph::Op op;
    const auto at = std::ranges::find(m_program.targets, target);
    op.target = static_cast<std::uint32_t>(at - m_program.targets.begin());
    if (at == m_program.targets.end())
        m_program.targets.push_back(target);
    op.phase = m_phase;
    op.flops = m_random.between(0, 1000);
    m_program.ops.push_back(std::move(op));
    return m_program.ops.back();
}

void Recorder::save(Node& node, TensorId tensor, bool after)
{
    graph::Saved row;
    row.tensor = tensor;
    row.op = node.op;
    row.afterKernel = after;
    row.sequence = node.sequence;
    node.rows.push_back(m_program.saved.size());
    m_program.saved.push_back(row);
}

std::shared_ptr<Node> Recorder::makeNode(const std::vector<Ref>& inputs)
{
    const graph::OpId op{m_program.ops.size() - 1};
    auto node = std::make_shared<Node>(*this, op, m_sequence);
    m_program.ops.back().sequence = m_sequence++;
    for (const Ref& input : inputs)
        if (input->node)
            node->inputs.push_back(input->node);
    return node;
}

Ref Recorder::op(const std::string& target, const OpParts& parts)
{
    append(target);
    const std::shared_ptr<Node> node = makeNode(parts.inputs);
    node->parameters = parts.parameters;
    std::vector<TensorId> reads;
    for (const Ref& input : parts.inputs) {
        reads.push_back(input->tensor);
        if (parts.mayInput && m_random.percent(45))
            save(*node, input->tensor, false);
    }
    for (const std::size_t ordinal : parts.parameters) {
        reads.push_back(m_parameters[ordinal]->tensor);
        if (m_random.percent(70))
            save(*node, m_parameters[ordinal]->tensor, false);
    }
    std::vector<TensorId> writes;
    if (parts.buffer) {
        reads.push_back(parts.buffer->tensor);
        writes.push_back(parts.buffer->tensor);
    }
    std::vector<TensorId> outputs;
    Ref result;
    for (int i = 0; i < parts.outputs; ++i) {
        outputs.push_back(allocate(StorageClass::Temporary, now()));
        if (i == 0)
            result = std::make_shared<Handle>(*this, outputs.front());
        if (i > 0 || (parts.mayResult && m_random.percent(35)))
            save(*node, outputs.back(), true);
    }
    result->node = node;
    graph::Op& row = m_program.ops.back();
    row.isRandom = m_random.percent(5);
    row.reads = std::move(reads);
    row.writes = std::move(writes);
    row.outputs = std::move(outputs);
    return result;
}

Ref Recorder::view(const Ref& input)
{
    append("aten.view.default");
    const std::shared_ptr<Node> node = makeNode({input});
    const graph::Tensor tensor = m_program.tensor(input->tensor);
    m_program.tensors.push_back(tensor);
    const TensorId made{m_program.tensors.size() - 1};
    graph::Op& row = m_program.ops.back();
    row.isView = true;
    row.reads = {input->tensor};
    row.outputs = {made};
    auto result = std::make_shared<Handle>(*this, made);
    result->node = node;
    result->isView = true;
    return result;
}

void Recorder::count(const Ref& counter)
{
    graph::Op& row = append("aten.add_.Tensor");
    row.reads = row.writes = row.outputs = {counter->tensor};
}

bool Recorder::isSaved(TensorId tensor) const
{
    const graph::StorageId storage = m_program.tensor(tensor).storage;
    return std::ranges::any_of(m_program.saved, [&](const graph::Saved& row) {
        return m_program.tensor(row.tensor).storage == storage;
    });
}

bool Recorder::mayOverwrite(const Ref& target) const
{
    return !target->isView && m_program.storageOf(target->tensor).alloc >= 0
           && !isSaved(target->tensor);
}

void Recorder::overwrite(const Ref& target, const Ref& other)
{
    append(other ? "aten.add_.Tensor" : "aten.relu_.default");
    std::vector<Ref> inputs{target};
    if (other)
        inputs.push_back(other);
    const std::shared_ptr<Node> node = makeNode(inputs);
    graph::Op& row = m_program.ops.back();
    row.reads = {target->tensor};
    if (other)
        row.reads.push_back(other->tensor);
    row.writes = {target->tensor};
    row.outputs = {target->tensor};
    if (m_random.percent(60))
        save(*node, target->tensor, true);
    target->node = node;
}

void Recorder::accumulate(std::optional<TensorId>& into, TensorId gradient)
{
    if (!into) {
        into = gradient;
        return;
    }
    append("aten.add.Tensor");
    const TensorId sum = allocate(StorageClass::Temporary, now());
    graph::Op& row = m_program.ops.back();
    row.isAccumulation = true;
    row.reads = {*into, gradient};
    row.outputs = {sum};
    into = sum;
}

TensorId Recorder::runOps(Node& node, TensorId gradient, int count)
{
    const OpIndex first = now() + 1;
    const OpIndex last = now() + count;
    for (const std::size_t index : node.rows) {
        graph::Saved& row = m_program.saved[index];
        if (m_random.percent(8))
            continue; // never unpacked, though its node runs
        row.unpack = count > 1 && m_random.percent(25) ? m_random.between(first, last) : first;
        row.dropped =
            m_random.between(*row.unpack - (count == 0 ? 1 : 0), std::max(first - 1, last));
    }
    for (int i = 0; i < count; ++i) {
        append("aten.some_backward.default");
        const TensorId made = allocate(StorageClass::Temporary, now());
        graph::Op& op = m_program.ops.back();
        op.sequence = node.sequence;
        op.forwardOp = node.op;
        op.module = m_program.op(node.op).module;
        op.reads = {gradient};
        for (const std::size_t index : node.rows) {
            const graph::Saved& row = m_program.saved[index];
            if (row.unpack && *row.unpack <= now() && now() <= row.dropped && m_random.percent(70))
                op.reads.push_back(row.tensor);
        }
        op.outputs = {made};
        gradient = made;
    }
    return gradient;
}

void Recorder::run(Node& node, std::vector<Gradient>& gradients)
{
    const auto own = static_cast<std::size_t>(node.sequence);
    const int count = m_random.percent(15) ? 0 : m_random.between(1, 3);
    const TensorId made = runOps(node, *gradients[own].tensor, count);
    for (const std::shared_ptr<Node>& input : node.inputs)
        accumulate(gradients[static_cast<std::size_t>(input->sequence)].tensor, made);
    for (const std::size_t ordinal : node.parameters) {
        append("aten.weight_backward.default");
        const TensorId gradient = allocate(StorageClass::Gradient, now());
        m_program.ops.back().reads = {made};
        m_program.ops.back().outputs = {gradient};
        accumulate(m_gradients[ordinal], gradient);
    }
    for (const std::size_t row : node.rows)
        m_program.saved[row].released = now();
    node.ran = true;
}

void Recorder::backward(const Ref& loss)
{
    m_phase = graph::Phase::Backward;
    std::vector<std::shared_ptr<Node>> reachable(static_cast<std::size_t>(m_sequence));
    std::vector<std::shared_ptr<Node>> open{loss->node};
    while (!open.empty()) {
        const std::shared_ptr<Node> node = open.back();
        open.pop_back();
        std::shared_ptr<Node>& slot = reachable[static_cast<std::size_t>(node->sequence)];
        if (slot)
            continue;
        slot = node;
        open.insert(open.end(), node->inputs.begin(), node->inputs.end());
    }
    append("aten.ones_like.default");
    std::vector<Gradient> gradients(reachable.size());
    gradients[static_cast<std::size_t>(loss->node->sequence)].tensor =
        allocate(StorageClass::Temporary, now());
    m_program.ops.back().outputs = {
        *gradients[static_cast<std::size_t>(loss->node->sequence)].tensor};
    for (std::size_t i = reachable.size(); i-- > 0;)
        if (reachable[i])
            run(*reachable[i], gradients);
}

void Recorder::optimizer()
{
    m_phase = graph::Phase::Optimizer;
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        if (!m_gradients[i])
            continue;
        const graph::StorageId gradient = m_program.tensor(*m_gradients[i]).storage;
        m_program.storages[gradient.index()].storageClass = StorageClass::Gradient;
        m_permanent[gradient.index()] = true;
        m_program.parameters[i].gradient = gradient;
        append("aten.mul.Tensor"); // a temporary, freed before the step ends
        const TensorId change = allocate(StorageClass::Temporary, now());
        m_program.ops.back().reads = {*m_gradients[i]};
        m_program.ops.back().outputs = {change};
        append("aten.add_.Tensor");
        m_program.ops.back().reads = {m_parameters[i]->tensor, change};
        m_program.ops.back().writes = {m_parameters[i]->tensor};
        m_program.ops.back().outputs = {m_parameters[i]->tensor};
    }
}

void Recorder::end()
{
    m_ended = true;
    m_parameters.clear();
}

graph::Program Recorder::finish()
{
    settleLives();
    return std::move(m_program);
}

void Recorder::settleLives()
{
    complete(m_program);
    const OpIndex end = static_cast<OpIndex>(m_program.ops.size()) - 1;
    const auto backward = static_cast<OpIndex>(m_program.forwardCount());
    for (graph::Saved& row : m_program.saved) {
        const bool isDead = !row.unpack && row.released < backward; // with all that led to it
        if (m_random.percent(3) && !isDead)                         // something else holds the node
            row.released = m_random.percent(30) || row.released > end
                               ? graph::kNever
                               : m_random.between(row.released, end);
    }
    for (std::size_t i = 0; i < m_program.storages.size(); ++i) {
        graph::Storage& storage = m_program.storages[i];
        storage.pythonFree = m_permanent[i] ? graph::kNever : m_python[i];
        if (storage.alloc >= backward) // allocated by the engine, which drops it after the last use
            storage.pythonFree =
                m_permanent[i] ? graph::kNever : std::max(storage.lastUse, storage.alloc);
        storage.free = storage.pythonFree;
        if (storage.alloc < backward && storage.free < backward && m_random.percent(2))
            storage.free = m_random.between(storage.free, end); // held by something unknown
    }
    for (const graph::Saved& row : m_program.saved) {
        graph::Storage& storage = m_program.storages[m_program.tensor(row.tensor).storage.index()];
        storage.free = std::max(storage.free, row.released);
        if (storage.storageClass == StorageClass::Temporary)
            storage.storageClass = StorageClass::Activation;
    }
    m_program.checks = graph::recount(m_program);
}

} // namespace plimsoll::tests
