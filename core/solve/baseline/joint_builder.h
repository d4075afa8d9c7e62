// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/baseline/joint_graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::solve {

/// Makes the nodes of a joint graph op by op, in recorded order.
class JointBuilder
{
public:
    using Nodes = std::vector<std::size_t>;

    explicit JointBuilder(const graph::Program& program);

    /// Adds the nodes that the op computes. `isSeed`: its results are the gradient with which
    /// backward begins.
    void add(graph::OpId op, bool isSeed);
    /// Marks a value as an output of forward.
    void handOut(graph::TensorId tensor) { m_handedOut.push_back(read(tensor)); }
    [[nodiscard]] JointGraph take() &&;

    // The building blocks of split ops (splitOp()).

    [[nodiscard]] const graph::Op& op() const { return *m_op; }
    /// The current node of a tensor.
    [[nodiscard]] std::size_t read(graph::TensorId tensor);
    /// The node of the op's argument, counting tensors only.
    [[nodiscard]] std::size_t argument(std::size_t index) { return read(m_op->reads[index]); }
    /// A node as large as its largest input, with `itemBytes` per element; 0: as in the input.
    std::size_t pointwise(std::string name, Nodes inputs, std::int64_t itemBytes = 0);
    std::size_t reduced(std::string name, Nodes inputs, std::int64_t elements,
                        std::int64_t itemBytes = 0);
    /// Variance and mean, `elements` each: the node of both.
    std::size_t varianceAndMean(std::size_t input, std::int64_t elements);
    std::size_t element(std::size_t tuple, std::size_t index, std::int64_t elements);
    /// A view of the same bytes.
    std::size_t view(std::string name, std::size_t input);
    /// Random numbers, one for each element of the node.
    std::size_t random(std::size_t like);
    /// A float32 copy of a narrower node, as norms and activations compute; else the node itself.
    std::size_t widened(std::size_t node);
    [[nodiscard]] std::int64_t elementsOf(graph::TensorId tensor) const;
    [[nodiscard]] std::int64_t itemBytesOf(graph::TensorId tensor) const;
    /// All dimensions but the last one.
    [[nodiscard]] std::int64_t rowsOf(graph::TensorId tensor) const;
    /// From here on, the node is the tensor.
    void define(graph::TensorId tensor, std::size_t node);
    /// The op's results, with other inputs or traits than recorded.
    void define(const Nodes& inputs, OpTraits traits);
    [[nodiscard]] const JointNode& node(std::size_t index) const { return m_graph.nodes[index]; }

private:
    struct Version
    {
        std::size_t node = 0;
        int time = -1;
    };

    std::size_t push(JointNode node);
    [[nodiscard]] JointNode valueOf(graph::TensorId tensor) const;
    void markGradients();
    [[nodiscard]] std::vector<bool> neededBy(std::vector<bool> nodes) const;
    void merge();
    void dropUnneeded();

    const graph::Program& m_program;
    std::vector<std::int64_t> m_itemSizes; ///< by dtype
    JointGraph m_graph;
    const graph::Op* m_op = nullptr;
    int m_time = 0;
    std::map<graph::TensorId, Version> m_tensors;
    std::map<graph::StorageId, Version> m_written; ///< latest version of the whole storage
    Nodes m_handedOut;
};

/// Adds the nodes of the builder's op if Inductor decomposes it: norms in training, activations,
/// softmax, dropout, negative log likelihood, and their backward. False if it isn't one of them, or
/// is called in an unknown way; then nothing was added.
[[nodiscard]] bool splitOp(JointBuilder& builder, std::string_view packet);

} // namespace plimsoll::solve
