// SPDX-License-Identifier: Apache-2.0
#include "tests/support/programs/programs.h"
#include "tests/support/programs/random_autograd.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::tests {

namespace {

enum class Kind { Leaf, Chain, Residual };

struct Spec
{
    graph::ModuleId module;
    Kind kind = Kind::Leaf;
    std::vector<Spec> children;
    bool keepsVariables = false; ///< every intermediate value in a variable of its own
    bool isEmpty = false;        ///< a leaf that runs no op
    std::vector<std::size_t> parameters;
    Ref buffer;
    Ref counter; ///< of the batches that `buffer` has seen
};

/// Makes a model, runs it, and returns the recording.
class Writer
{
public:
    Writer(std::uint64_t seed, bool hasGates)
        : m_hasGates{hasGates}, m_random{seed}, m_recorder{m_random}
    {
    }

    [[nodiscard]] graph::Program run()
    {
        Spec model = makeSpec("", std::nullopt, 0);
        Ref input = m_recorder.beforeStep(graph::StorageClass::Input, "x", m_random.percent(50));
        std::vector<Ref> arguments{input};
        if (m_random.percent(30))
            arguments.push_back(m_recorder.beforeStep(graph::StorageClass::Input, "mask", true));
        if (m_random.percent(50))
            input.reset();
        m_external = m_recorder.beforeStep(graph::StorageClass::Constant, "position", false);
        std::vector<Ref> results = call(model, std::move(arguments));
        m_external.reset();
        Ref output = results.front();
        const bool keepsOutput = m_random.percent(40);
        if (m_random.percent(70))
            results.clear();
        Ref loss = runLoss(std::move(output), keepsOutput);
        m_recorder.backward(loss);
        m_kept.reset();
        m_recorder.optimizer();
        m_recorder.end();
        input.reset();
        results.clear();
        loss.reset();
        model = Spec{};
        return m_recorder.finish();
    }

private:
    [[nodiscard]] Spec makeSpec(const std::string& path, std::optional<graph::ModuleId> parent,
                                int depth)
    {
        Spec spec;
        graph::Program& program = m_recorder.program();
        spec.module = graph::ModuleId{program.modules.size()};
        program.modules.push_back({parent, path, ""});
        const bool leaf = depth > 0 && (depth >= 4 || m_random.percent(25 + 15 * depth));
        spec.kind = leaf ? Kind::Leaf : (m_random.percent(60) ? Kind::Chain : Kind::Residual);
        spec.keepsVariables = m_random.percent(40);
        program.modules.back().className = leaf ? "Leaf" : "Container";
        if (leaf) {
            makeLeaf(spec, path);
            return spec;
        }
        const int count = m_random.between(depth == 0 ? 2 : 1, 4);
        for (int i = 0; i < count; ++i)
            spec.children.push_back(
                makeSpec(path.empty() ? std::to_string(i) : fmt::format("{}.{}", path, i),
                         spec.module, depth + 1));
        return spec;
    }

    void makeLeaf(Spec& spec, const std::string& path)
    {
        spec.isEmpty = m_random.percent(7);
        if (m_random.percent(60))
            spec.parameters.push_back(m_recorder.addParameter(path + ".weight"));
        if (!m_random.percent(20))
            return;
        spec.buffer =
            m_recorder.beforeStep(graph::StorageClass::Buffer, path + ".running_mean", true);
        if (m_random.percent(70))
            spec.counter = m_recorder.beforeStep(graph::StorageClass::Buffer,
                                                 path + ".num_batches_tracked", true);
    }

    // Arguments are passed by value, so the caller decides whether to keep its variable.
    [[nodiscard]] std::vector<Ref> call(const Spec& spec, std::vector<Ref> arguments)
    {
        graph::Program& program = m_recorder.program();
        const graph::CallId id{program.calls.size()};
        graph::Call row;
        row.module = spec.module;
        if (!m_stack.empty())
            row.parent = m_stack.back();
        row.first = m_recorder.now() + 1;
        for (const Ref& argument : arguments)
            row.inputs.push_back(argument->tensor);
        program.calls.push_back(std::move(row));
        m_stack.push_back(id);
        std::vector<Ref> results = spec.kind == Kind::Leaf
                                       ? runLeaf(spec, std::move(arguments))
                                       : runChildren(spec, std::move(arguments));
        m_stack.pop_back();
        graph::Call& written = program.calls[id.index()];
        written.last = m_recorder.now();
        for (const Ref& result : results)
            written.outputs.push_back(result->tensor);
        for (graph::OpIndex op = written.first; op <= written.last; ++op) {
            graph::Op& inside = program.ops[static_cast<std::size_t>(op)];
            if (!inside.call) {
                inside.call = id;
                inside.module = written.module;
            }
        }
        return results;
    }

    [[nodiscard]] std::vector<Ref> runLeaf(const Spec& spec, std::vector<Ref> arguments)
    {
        if (spec.isEmpty)
            return {arguments.front()};
        Ref x = arguments.front();
        const Ref mask = arguments.size() > 1 ? arguments[1] : nullptr;
        if (m_random.percent(50))
            arguments.clear();
        std::vector<Ref> variables;
        std::vector<Ref> dead;
        std::vector<std::size_t> parameters = spec.parameters;
        bool fresh = false;
        const int count = m_random.between(1, 4);
        for (int i = 0; i < count; ++i) {
            Ref y = leafOp(spec, x, mask, parameters, fresh);
            if (spec.keepsVariables)
                variables.push_back(x);
            x = std::move(y);
            if (m_random.percent(12))
                dead.push_back(branch(x));
        }
        std::vector<Ref> results{x};
        if (m_random.percent(8)) {
            Recorder::OpParts parts;
            parts.inputs = {x};
            results.push_back(m_recorder.op("aten.sigmoid.default", parts));
        }
        return results;
    }

    /// One op of a leaf; `fresh` tells whether its variable refers to a value of its own.
    [[nodiscard]] Ref leafOp(const Spec& spec, const Ref& x, const Ref& mask,
                             std::vector<std::size_t>& parameters, bool& fresh)
    {
        if (m_hasGates && m_random.percent(40)) {
            fresh = true;
            return gates(x, std::exchange(parameters, {}));
        }
        const int kind = m_random.between(0, 99);
        if (fresh && kind < 25 && m_recorder.mayOverwrite(x)) {
            m_recorder.overwrite(x, nullptr);
            return x;
        }
        if (kind < 35)
            return m_recorder.view(x);
        Recorder::OpParts parts;
        parts.inputs = {x};
        parts.parameters = std::exchange(parameters, {});
        if (mask && m_random.percent(30))
            parts.inputs.push_back(mask);
        if (m_random.percent(3))
            parts.inputs.push_back(m_external);
        if (spec.buffer && m_random.percent(60)) {
            if (spec.counter)
                m_recorder.count(spec.counter);
            parts.buffer = spec.buffer;
            parts.outputs = 2;
        }
        parts.mayInput = parts.mayResult = m_random.percent(85);
        fresh = true;
        return m_recorder.op(parts.buffer ? "aten.native_batch_norm.default" : "aten.mul.Tensor",
                             parts);
    }

    /// Like a recurrent cell: slices of one result (unsafe_split's, each with its own version), of
    /// which one is written after another was saved.
    [[nodiscard]] Ref gates(const Ref& x, std::vector<std::size_t> parameters)
    {
        Recorder::OpParts parts;
        parts.inputs = {x};
        parts.parameters = std::move(parameters);
        parts.mayResult = false;
        Ref whole = m_recorder.op("aten.addmm.default", parts);
        Ref left = m_recorder.view(whole);
        const Ref right = m_recorder.view(whole);
        if (m_random.percent(50))
            whole.reset();
        m_recorder.overwrite(left, nullptr);
        Ref between;
        if (m_random.percent(50)) {
            parts = {};
            parts.inputs = {left};
            between = m_recorder.op("aten.tanh.default", parts);
            if (m_random.percent(30))
                left = between;
        }
        m_recorder.overwrite(right, m_random.percent(50) ? between : nullptr);
        parts = {};
        parts.inputs = {left, right};
        return m_recorder.op("aten.mul.Tensor", parts);
    }

    /// A value of one or two ops that nothing uses afterwards.
    [[nodiscard]] Ref branch(const Ref& x)
    {
        Recorder::OpParts parts;
        parts.inputs = {x};
        Ref y = m_recorder.op("aten.sin.default", parts);
        if (m_random.percent(50)) {
            parts.inputs = {y};
            y = m_recorder.op("aten.exp.default", parts);
        }
        return m_random.percent(50) ? nullptr : y;
    }

    [[nodiscard]] std::vector<Ref> runChildren(const Spec& spec, std::vector<Ref> arguments)
    {
        Ref x = arguments.front();
        const Ref mask = arguments.size() > 1 ? arguments[1] : nullptr;
        const Ref identity = spec.kind == Kind::Residual ? x : nullptr;
        if (m_random.percent(50))
            arguments.clear();
        std::vector<Ref> variables;
        for (const Spec& child : spec.children) {
            if (spec.keepsVariables)
                variables.push_back(x);
            std::vector<Ref> given{x};
            if (mask)
                given.push_back(mask);
            if (m_random.percent(15))
                x.reset(); // the callee's variable is then the only one
            std::vector<Ref> results = call(child, std::move(given));
            x = results.front();
            if (results.size() > 1 && m_random.percent(50))
                variables.push_back(results[1]);
            if (m_random.percent(6))
                x = m_recorder.view(x); // an op of the container's own
        }
        if (identity)
            x = addIdentity(x, identity);
        std::vector<Ref> results{x};
        if (!variables.empty() && m_random.percent(5))
            results.push_back(variables.back());
        return results;
    }

    [[nodiscard]] Ref addIdentity(const Ref& x, const Ref& identity)
    {
        const bool same = m_recorder.program().tensor(x->tensor).storage
                          == m_recorder.program().tensor(identity->tensor).storage;
        if (!same && m_random.percent(40) && m_recorder.mayOverwrite(x)) {
            m_recorder.overwrite(x, identity);
            return x;
        }
        Recorder::OpParts parts;
        parts.inputs = {x, identity};
        parts.mayInput = parts.mayResult = m_random.percent(20);
        return m_recorder.op("aten.add.Tensor", parts);
    }

    [[nodiscard]] Ref runLoss(Ref output, bool keepsOutput)
    {
        m_recorder.setPhase(graph::Phase::Loss);
        Recorder::OpParts parts;
        parts.inputs = {output};
        Ref loss = m_recorder.op("aten.log_softmax.default", parts);
        if (m_random.percent(50)) {
            parts.inputs = {loss};
            loss = m_recorder.op("aten.nll_loss.default", parts);
        }
        if (keepsOutput)
            m_kept = std::move(output);
        return loss;
    }

    bool m_hasGates;
    Random m_random;
    Recorder m_recorder;
    std::vector<graph::CallId> m_stack;
    Ref m_external;
    Ref m_kept; ///< the training loop's variable of the model's output
};

graph::ProgramPtr recorded(std::uint64_t seed, bool hasGates)
{
    auto program = std::make_shared<graph::Program>(Writer{seed, hasGates}.run());
    program->header.mode = "train";
    program->header.execution = "eager";
    program->header.model = "random";
    program->header.target = "cpu";
    return program;
}

} // namespace

graph::ProgramPtr randomProgram(std::uint64_t seed)
{
    return recorded(seed, false);
}

graph::ProgramPtr randomGatedProgram(std::uint64_t seed)
{
    return recorded(seed, true);
}

} // namespace plimsoll::tests
