// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/joint_builder.h"

#include "core/graph/sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace plimsoll::solve {

using graph::StorageClass;
using graph::StorageId;
using graph::TensorId;

JointBuilder::JointBuilder(const graph::Program& program)
    : m_program{program}, m_itemSizes{graph::itemSizes(program)}
{
}

std::int64_t JointBuilder::elementsOf(TensorId tensor) const
{
    std::int64_t elements = 1;
    for (const std::int64_t size : m_program.tensor(tensor).shape)
        elements *= size;
    return elements;
}

std::int64_t JointBuilder::itemBytesOf(TensorId tensor) const
{
    return m_itemSizes[m_program.tensor(tensor).dtype];
}

std::int64_t JointBuilder::rowsOf(TensorId tensor) const
{
    const std::vector<std::int64_t>& shape = m_program.tensor(tensor).shape;
    return shape.empty() || shape.back() == 0 ? 1 : elementsOf(tensor) / shape.back();
}

std::size_t JointBuilder::push(JointNode node)
{
    m_graph.nodes.push_back(std::move(node));
    return m_graph.nodes.size() - 1;
}

JointNode JointBuilder::valueOf(TensorId tensor) const
{
    JointNode node;
    node.elements = elementsOf(tensor);
    node.bytes = node.elements * itemBytesOf(tensor);
    node.ofInput = m_program.storageOf(tensor).alloc < 0;
    return node;
}

std::size_t JointBuilder::read(TensorId tensor)
{
    const Version known = m_tensors[tensor];
    const Version written = m_written[m_program.tensor(tensor).storage];
    if (known.time >= 0 || written.time >= 0)
        return known.time >= written.time ? known.node : written.node;
    JointNode node = valueOf(tensor);
    const StorageClass kind = m_program.storageOf(tensor).storageClass;
    node.isInput = true;
    node.isParameter = kind == StorageClass::Parameter || kind == StorageClass::Buffer;
    node.tensor = tensor;
    if (const auto& names = m_program.storageOf(tensor).names; !names.empty())
        node.name = names.front();
    const std::size_t made = push(std::move(node));
    m_tensors[tensor] = {made, 0};
    return made;
}

std::size_t JointBuilder::pointwise(std::string name, Nodes inputs, std::int64_t itemBytes)
{
    JointNode made;
    for (const std::size_t input : inputs) {
        const JointNode& read = node(input);
        if (std::pair{read.elements, read.bytes} <= std::pair{made.elements, made.bytes})
            continue;
        made.elements = read.elements;
        made.bytes = read.bytes;
    }
    if (itemBytes > 0)
        made.bytes = made.elements * itemBytes;
    made.name = std::move(name);
    made.traits = kPointwise;
    made.inputs = std::move(inputs);
    made.mayMerge = true;
    return push(std::move(made));
}

std::size_t JointBuilder::reduced(std::string name, Nodes inputs, std::int64_t elements,
                                  std::int64_t itemBytes)
{
    const std::size_t made = pointwise(std::move(name), std::move(inputs), itemBytes);
    JointNode& reduction = m_graph.nodes[made];
    if (reduction.elements > 0)
        reduction.bytes = reduction.bytes / reduction.elements * elements;
    reduction.elements = elements;
    return made;
}

std::size_t JointBuilder::varianceAndMean(std::size_t input, std::int64_t elements)
{
    const std::size_t made = reduced("aten.var_mean", {input}, 2 * elements);
    m_graph.nodes[made].isTuple = true;
    return made;
}

std::size_t JointBuilder::element(std::size_t tuple, std::size_t index, std::int64_t elements)
{
    const std::size_t made = reduced(fmt::format("getitem {}", index), {tuple}, elements);
    m_graph.nodes[made].traits.isElement = true;
    return made;
}

std::size_t JointBuilder::view(std::string name, std::size_t input)
{
    const std::size_t made = pointwise(std::move(name), {input});
    m_graph.nodes[made].traits.isView = true;
    return made;
}

std::size_t JointBuilder::random(std::size_t like)
{
    const std::size_t made = pointwise("aten.rand", {like});
    JointNode& numbers = m_graph.nodes[made];
    numbers.traits = {}; // made from seeds: may be recomputed, but not for free
    numbers.inputs.clear();
    numbers.mayMerge = false;
    return made;
}

std::size_t JointBuilder::widened(std::size_t node)
{
    constexpr std::int64_t kFloat32 = 4;
    const JointNode& narrow = m_graph.nodes[node];
    return narrow.elements == 0 || narrow.bytes / narrow.elements >= kFloat32
               ? node
               : pointwise("prims.convert_element_type", {node}, kFloat32);
}

void JointBuilder::define(TensorId tensor, std::size_t node)
{
    JointNode& value = m_graph.nodes[node];
    const std::int64_t bytes = elementsOf(tensor) * itemBytesOf(tensor);
    if (value.bytes != bytes && value.elements == elementsOf(tensor) && bytes > 0) {
        define(tensor, pointwise("prims.convert_element_type", {node}, itemBytesOf(tensor)));
        return;
    }
    // A write to memory older than the step turns it into a different value.
    if (!value.tensor && m_program.storageOf(tensor).alloc >= 0)
        value.tensor = tensor;
    m_tensors[tensor] = {node, m_time};
}

void JointBuilder::define(const Nodes& inputs, OpTraits traits)
{
    const std::vector<TensorId>& outputs = m_op->outputs;
    const std::string name = packetOf(m_program.targetOf(*m_op));
    if (outputs.empty())
        return;
    std::size_t tuple = 0;
    if (outputs.size() > 1) {
        JointNode made;
        made.name = name;
        made.traits = traits;
        made.inputs = inputs;
        made.isTuple = true;
        made.flops = m_op->flops;
        for (const TensorId output : outputs)
            made.bytes += valueOf(output).bytes;
        tuple = push(std::move(made));
    }
    for (std::size_t index = 0; index < outputs.size(); ++index) {
        const graph::Tensor& tensor = m_program.tensor(outputs[index]);
        JointNode made = valueOf(outputs[index]);
        made.name = outputs.size() > 1 ? fmt::format("getitem {}", index) : name;
        made.traits = traits;
        made.inputs = inputs;
        made.flops = m_op->flops;
        if (outputs.size() > 1) {
            made.traits = kPointwise;
            made.traits.isElement = true;
            made.inputs = {tuple};
            made.flops = 0;
        }
        if (traits.isView) {
            made.name += fmt::format(" {}|{}|{}", fmt::join(tensor.shape, ","),
                                     fmt::join(tensor.strides, ","), tensor.offset);
            made.mayMerge = true;
        }
        define(outputs[index], push(std::move(made)));
    }
}

void JointBuilder::add(graph::OpId op, bool isSeed)
{
    m_op = &m_program.op(op);
    ++m_time;
    const std::string packet = packetOf(m_program.targetOf(*m_op));
    const std::size_t before = m_graph.nodes.size();
    if (packet == "aten.detach" && m_op->reads.size() == 1 && m_op->outputs.size() == 1) {
        m_tensors[m_op->outputs.front()] = {argument(0), m_time};
    } else if (isSeed || !splitOp(*this, packet)) {
        Nodes inputs;
        if (!isSeed)
            for (const TensorId tensor : m_op->reads)
                inputs.push_back(read(tensor));
        define(inputs, traitsOf(packet, m_op->isView));
    }
    for (const TensorId tensor : m_op->writes) {
        if (m_tensors[tensor].time != m_time) // written, but not a result
            m_tensors[tensor] = {
                m_graph.nodes.size() > before ? m_graph.nodes.size() - 1 : read(tensor), m_time};
        m_written[m_program.tensor(tensor).storage] = m_tensors[tensor];
        if (m_op->phase != graph::Phase::Backward && m_program.storageOf(tensor).alloc < 0)
            m_handedOut.push_back(m_tensors[tensor].node);
    }
    if (isSeed)
        for (std::size_t made = before; made < m_graph.nodes.size(); ++made)
            m_graph.nodes[made].isMadeGradient = true;
}

/// The given nodes and everything that they are computed from.
std::vector<bool> JointBuilder::neededBy(std::vector<bool> nodes) const
{
    for (std::size_t node = nodes.size(); node-- > 0;)
        if (nodes[node])
            for (const std::size_t input : m_graph.nodes[node].inputs)
                nodes[input] = true;
    return nodes;
}

void JointBuilder::markGradients()
{
    for (JointNode& node : m_graph.nodes)
        for (const std::size_t input : node.inputs)
            node.isMadeGradient |= m_graph.nodes[input].isMadeGradient;
}

/// Merges values that are computed alike, except those that only forward needs.
void JointBuilder::merge()
{
    std::vector<bool> gradients(m_graph.nodes.size());
    for (std::size_t node = 0; node < gradients.size(); ++node)
        gradients[node] = m_graph.nodes[node].isMadeGradient;
    const std::vector<bool> isForBackward = neededBy(std::move(gradients));
    std::map<std::pair<std::string, Nodes>, std::size_t> known;
    Nodes same(m_graph.nodes.size());
    for (std::size_t index = 0; index < same.size(); ++index) {
        JointNode& node = m_graph.nodes[index];
        same[index] = index;
        for (std::size_t& input : node.inputs)
            input = same[input];
        if (!node.mayMerge || !isForBackward[index])
            continue;
        const auto [first, isNew] = known.try_emplace({node.name, node.inputs}, index);
        same[index] = first->second;
        if (JointNode& kept = m_graph.nodes[first->second]; !isNew && !kept.tensor)
            kept.tensor = node.tensor;
    }
    for (std::size_t& node : m_handedOut)
        node = same[node];
}

void JointBuilder::dropUnneeded()
{
    std::vector<bool> asked(m_graph.nodes.size(), false);
    for (const std::size_t node : m_handedOut)
        asked[node] = true;
    const std::vector<bool> isForward = neededBy(asked);
    for (std::size_t node = 0; node < asked.size(); ++node)
        if (m_graph.nodes[node].isMadeGradient)
            asked[node] = true;
    const std::vector<bool> isNeeded = neededBy(std::move(asked));
    std::vector<JointNode> kept;
    Nodes at(isNeeded.size());
    for (std::size_t index = 0; index < isNeeded.size(); ++index) {
        if (!isNeeded[index])
            continue;
        at[index] = kept.size();
        JointNode& node = kept.emplace_back(std::move(m_graph.nodes[index]));
        node.isForward = isForward[index];
        for (std::size_t& input : node.inputs)
            input = at[input];
    }
    m_graph.nodes = std::move(kept);
}

JointGraph JointBuilder::take() &&
{
    markGradients();
    merge();
    dropUnneeded();
    connect(m_graph);
    return std::move(m_graph);
}

} // namespace plimsoll::solve
