// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/reduced_gradients.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace plimsoll::plan {

namespace {

using graph::OpIndex;
using graph::Program;
using graph::StorageId;

/// By storage: the last op of backward that touches it, and its index among that op's outputs.
struct LastTouch
{
    OpIndex op = graph::kBeforeStep;
    std::size_t output = 0;
};

std::vector<LastTouch> lastTouches(const Program& program)
{
    std::vector<LastTouch> last(program.storages.size());
    for (std::size_t op = 0; op < program.ops.size(); ++op) {
        const graph::Op& row = program.ops[op];
        if (row.phase != graph::Phase::Backward)
            continue;
        for (const std::vector<graph::TensorId>* tensors : {&row.outputs, &row.reads, &row.writes})
            for (std::size_t place = 0; place < tensors->size(); ++place) {
                LastTouch& touch = last[program.tensor((*tensors)[place]).storage.index()];
                if (touch.op != static_cast<OpIndex>(op))
                    touch = {static_cast<OpIndex>(op), place};
            }
    }
    return last;
}

constexpr int kNobody = -1; ///< whose a storage is: index of a gradient, or this

class Keeping
{
public:
    Keeping(Program& program, const std::vector<ReducedGradient>& gradients, const PartOf& partOf)
        : m_program{program}, m_partOf{partOf}, m_ownerOf(program.storages.size(), kNobody)
    {
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            const graph::Parameter& parameter = program.parameters[gradients[i].parameter];
            m_ownerOf[parameter.storage.index()] = static_cast<int>(i);
            m_ownerOf[gradients[i].storage.index()] = static_cast<int>(i);
            for (const StorageId state : parameter.states)
                m_ownerOf[state.index()] = static_cast<int>(i);
        }
    }

    void keep()
    {
        const std::size_t first = m_program.countBeforeOptimizer();
        for (std::size_t op = first; op < m_program.ops.size(); ++op) {
            spreadOwners(static_cast<graph::OpIndex>(op));
            shareTime(m_program.ops[op]);
        }
        for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
            graph::Storage& storage = m_program.storages[index];
            const bool isShared = storage.storageClass == graph::StorageClass::OptimizerState
                                  || storage.alloc >= static_cast<graph::OpIndex>(first);
            if (isShared && m_ownerOf[index] != kNobody)
                storage.bytes = m_partOf(static_cast<std::size_t>(m_ownerOf[index]), storage.bytes);
        }
    }

private:
    [[nodiscard]] int& ownerOf(graph::TensorId tensor)
    {
        return m_ownerOf[m_program.tensor(tensor).storage.index()];
    }

    /// A fused update walks through several lists in parallel: its i-th result belongs to the owner
    /// of the i-th tensor of each list, taken from the first list with an owner.
    void spreadOwners(graph::OpIndex opIndex)
    {
        const graph::Op& op = m_program.ops[static_cast<std::size_t>(opIndex)];
        for (std::size_t read = 0; read < op.reads.size() && !op.outputs.empty(); ++read) {
            const graph::TensorId made = op.outputs[read % op.outputs.size()];
            if (m_program.storageOf(made).alloc == opIndex && ownerOf(made) == kNobody)
                ownerOf(made) = ownerOf(op.reads[read]);
        }
    }

    /// Reduces an op's time to the part that updates own parameters, by bytes.
    void shareTime(graph::Op& op)
    {
        double own = 0;
        double all = 0;
        for (const std::vector<graph::TensorId>* tensors : {&op.reads, &op.writes, &op.outputs})
            for (const graph::TensorId tensor : *tensors)
                if (const int owner = ownerOf(tensor); owner != kNobody) {
                    const base::Bytes bytes = m_program.storageOf(tensor).bytes;
                    all += static_cast<double>(bytes.count());
                    own += static_cast<double>(
                        m_partOf(static_cast<std::size_t>(owner), bytes).count());
                }
        if (all <= 0)
            return;
        const auto part = [share = own / all](std::int64_t count) {
            return std::llround(static_cast<double>(count) * share);
        };
        op.flops = part(op.flops);
        op.bytesMoved = base::Bytes{part(op.bytesMoved.count())};
        if (op.measured)
            op.measured = base::Nanoseconds{part(op.measured->count())};
    }

    Program& m_program;
    const PartOf& m_partOf;
    std::vector<int> m_ownerOf; ///< by storage
};

} // namespace

std::vector<const graph::Tensor*> firstTensors(const Program& program)
{
    std::vector<const graph::Tensor*> first(program.storages.size(), nullptr);
    for (const graph::Tensor& tensor : program.tensors)
        if (first[tensor.storage.index()] == nullptr)
            first[tensor.storage.index()] = &tensor;
    return first;
}

std::vector<ReducedGradient> reducedGradients(const Program& program)
{
    const std::vector<LastTouch> last = lastTouches(program);
    const std::vector<const graph::Tensor*> tensors = firstTensors(program);
    std::vector<bool> isThere(program.storages.size(), false);
    std::vector<ReducedGradient> gradients;
    std::vector<std::size_t> outputs; // by gradient
    for (std::size_t index = 0; index < program.parameters.size(); ++index) {
        const graph::Parameter& parameter = program.parameters[index];
        if (!parameter.gradient || isThere[parameter.gradient->index()]
            || last[parameter.gradient->index()].op < 0)
            continue;
        const StorageId storage = *parameter.gradient;
        isThere[storage.index()] = true;
        const graph::Tensor* tensor = tensors[storage.index()];
        gradients.push_back({index, storage, program.storage(storage).bytes,
                             last[storage.index()].op, tensor != nullptr ? tensor->dtype : 0});
    }
    std::ranges::stable_sort(gradients, [&](const ReducedGradient& a, const ReducedGradient& b) {
        return std::tie(a.ready, last[a.storage.index()].output)
               < std::tie(b.ready, last[b.storage.index()].output);
    });
    return gradients;
}

void redirectGradients(Program& program, const std::map<StorageId, StorageId>& homes)
{
    std::map<graph::TensorId, graph::TensorId> views; // of the new storages, by recorded tensor
    for (std::size_t op = program.countBeforeOptimizer(); op < program.ops.size(); ++op) {
        graph::Op& row = program.ops[op];
        for (std::vector<graph::TensorId>* tensors : {&row.reads, &row.writes, &row.outputs})
            for (graph::TensorId& tensor : *tensors) {
                const auto home = homes.find(program.tensor(tensor).storage);
                if (home == homes.end())
                    continue;
                const auto [view, isNew] =
                    views.try_emplace(tensor, graph::TensorId{program.tensors.size()});
                if (isNew) {
                    program.tensors.push_back(graph::Tensor{program.tensor(tensor)});
                    program.tensors.back().storage = home->second;
                }
                tensor = view->second;
            }
    }
}

void keepPart(Program& program, const std::vector<ReducedGradient>& gradients, const PartOf& partOf)
{
    Keeping{program, gradients, partOf}.keep();
}

} // namespace plimsoll::plan
