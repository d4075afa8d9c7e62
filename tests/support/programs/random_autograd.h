// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include "tests/support/random.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::tests {

class Recorder;

/// A node of the autograd graph, alive as long as tensors or later nodes refer to it. If it is
/// destroyed without having run, what it saved is released: a dead branch.
struct Node
{
    Node(Recorder& owner, graph::OpId maker, std::int64_t number)
        : recorder{&owner}, op{maker}, sequence{number}
    {
    }
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    Node(Node&&) = delete;
    Node& operator=(Node&&) = delete;
    ~Node();

    Recorder* recorder;
    graph::OpId op;
    std::int64_t sequence;
    std::vector<std::size_t> rows;
    std::vector<std::shared_ptr<Node>> inputs;
    std::vector<std::size_t> parameters; ///< ordinals of parameters it makes gradients of
    bool ran = false;
};

/// The object to which a Python variable refers. The destructor is where Python drops it.
struct Handle
{
    Handle(Recorder& owner, graph::TensorId made) : recorder{&owner}, tensor{made} {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    Handle(Handle&&) = delete;
    Handle& operator=(Handle&&) = delete;
    ~Handle();

    Recorder* recorder;
    graph::TensorId tensor;
    std::shared_ptr<Node> node;
    bool isView = false;
};
using Ref = std::shared_ptr<Handle>;

/// Records a step as plimsoll.trace() does: C++ variables of type Ref stand for Python variables
/// with the same lifetimes.
class Recorder
{
public:
    explicit Recorder(Random& random) : m_random{random} {}

    [[nodiscard]] graph::Program& program() { return m_program; }
    /// The op that began last.
    [[nodiscard]] graph::OpIndex now() const
    {
        return static_cast<graph::OpIndex>(m_program.ops.size()) - 1;
    }
    [[nodiscard]] Ref beforeStep(graph::StorageClass storageClass, const std::string& name,
                                 bool permanent);
    [[nodiscard]] std::size_t addParameter(const std::string& name);
    [[nodiscard]] Ref parameter(std::size_t ordinal) const { return m_parameters[ordinal]; }

    struct OpParts
    {
        std::vector<Ref> inputs;
        std::vector<std::size_t> parameters;
        Ref buffer;      ///< read and written
        int outputs = 1; ///< further ones are for autograd only
        bool mayInput = true;
        bool mayResult = true;
    };
    /// An op that allocates its result, with a node that saves some of its tensors.
    [[nodiscard]] Ref op(const std::string& target, const OpParts& parts);
    [[nodiscard]] Ref view(const Ref& input);
    /// An op that adds one to a buffer unknown to autograd.
    void count(const Ref& counter);
    /// Overwrites the variable's tensor, which no op may have saved.
    void overwrite(const Ref& target, const Ref& other);
    [[nodiscard]] bool mayOverwrite(const Ref& target) const;

    void backward(const Ref& loss);
    void optimizer();
    /// Ends the step: everything that is still referred to outlives it.
    void end();
    /// Returns the recording; to be called after end() and after all variables are destroyed.
    [[nodiscard]] graph::Program finish();

    void setPhase(graph::Phase phase) { m_phase = phase; }

private:
    friend struct Node;
    friend struct Handle;

    struct Gradient
    {
        std::optional<graph::TensorId> tensor;
    };

    [[nodiscard]] graph::TensorId allocate(graph::StorageClass storageClass, graph::OpIndex alloc);
    graph::Op& append(const std::string& target);
    void save(Node& node, graph::TensorId tensor, bool after);
    [[nodiscard]] std::shared_ptr<Node> makeNode(const std::vector<Ref>& inputs);
    [[nodiscard]] bool isSaved(graph::TensorId tensor) const;
    void run(Node& node, std::vector<Gradient>& gradients);
    [[nodiscard]] graph::TensorId runOps(Node& node, graph::TensorId gradient, int count);
    void accumulate(std::optional<graph::TensorId>& into, graph::TensorId gradient);
    void settleLives();

    Random& m_random;
    graph::Program m_program;
    graph::Phase m_phase = graph::Phase::Forward;
    std::vector<graph::OpIndex> m_python; ///< by storage: last moment at which Python let go
    std::vector<bool> m_permanent;
    std::vector<Ref> m_parameters;
    std::vector<std::optional<graph::TensorId>> m_gradients; ///< by parameter
    std::int64_t m_sequence = 0;
    bool m_ended = false;
};

} // namespace plimsoll::tests
