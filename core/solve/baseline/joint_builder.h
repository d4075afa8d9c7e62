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

    /// Nodes of what the op computes. `isSeed`: its results are the gradient that backward begins
    /// with.
    void add(graph::OpId op, bool isSeed);
    /// A value that forward hands out.
    void handOut(graph::TensorId tensor) { m_handedOut.push_back(read(tensor)); }
    [[nodiscard]] JointGraph take() &&;

    // What splits of single ops are made of (splitOp()).

    [[nodiscard]] const graph::Op& op() const { return *m_op; }
    /// The node of a tensor as it is now.
    [[nodiscard]] std::size_t read(graph::TensorId tensor);
    /// Of the op's argument, counted among those that are tensors.
    [[nodiscard]] std::size_t argument(std::size_t index) { return read(m_op->reads[index]); }
    /// As large as the largest of its inputs; `itemBytes` of each element, 0: as there.
    std::size_t pointwise(std::string name, Nodes inputs, std::int64_t itemBytes = 0);
    std::size_t reduced(std::string name, Nodes inputs, std::int64_t elements,
                        std::int64_t itemBytes = 0);
    /// Variance and mean, `elements` each: the node from which they are taken.
    std::size_t varianceAndMean(std::size_t input, std::int64_t elements);
    std::size_t element(std::size_t tuple, std::size_t index, std::int64_t elements);
    /// The same bytes, looked at in another way.
    std::size_t view(std::string name, std::size_t input);
    /// Random numbers, one for each element of the node.
    std::size_t random(std::size_t like);
    /// A copy in float32 of what is narrower, as norms and activations compute; else itself.
    std::size_t widened(std::size_t node);
    [[nodiscard]] std::int64_t elementsOf(graph::TensorId tensor) const;
    [[nodiscard]] std::int64_t itemBytesOf(graph::TensorId tensor) const;
    /// All dimensions but the last one.
    [[nodiscard]] std::int64_t rowsOf(graph::TensorId tensor) const;
    /// The node is the tensor from here on.
    void define(graph::TensorId tensor, std::size_t node);
    /// The op's results from other inputs than it reads, or with other traits.
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
    std::map<graph::StorageId, Version> m_written; ///< last version of the whole storage
    Nodes m_handedOut;
};

/// Adds the nodes of the builder's op when it is one that Inductor splits: norms in training,
/// activations, softmax, dropout, negative log likelihood, and their backward. False: it is none of
/// them, or called in a way of which nothing is known, and nothing was added.
[[nodiscard]] bool splitOp(JointBuilder& builder, std::string_view packet);

} // namespace plimsoll::solve
