// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/state_shards.h"

#include <queue>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace plimsoll::plan {

namespace {

using graph::Program;
using graph::StorageId;

constexpr int kNobody = -1; ///< whose a storage is: index of a gradient, or this

/// By gradient: the process that updates its parameter. Largest first to whoever has least.
std::vector<bool> fullestShard(const std::vector<ReducedGradient>& gradients, std::int64_t world)
{
    std::vector<std::size_t> order(gradients.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) {
        return std::pair{-gradients[i].bytes.count(), gradients[i].parameter};
    });
    using Load = std::pair<std::int64_t, std::int64_t>; // bytes, process
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (std::int64_t process = 0; process < world; ++process)
        loads.emplace(0, process);
    std::vector<std::int64_t> processOf(gradients.size(), 0);
    Load most{-1, 0};
    for (const std::size_t gradient : order) {
        Load load = loads.top();
        loads.pop();
        processOf[gradient] = load.second;
        load.first += gradients[gradient].bytes.count();
        loads.push(load);
        if (load.first > most.first || (load.first == most.first && load.second < most.second))
            most = load;
    }
    std::vector<bool> isOwn(gradients.size());
    for (std::size_t i = 0; i < isOwn.size(); ++i)
        isOwn[i] = processOf[i] == most.second;
    return isOwn;
}

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

    /// The i-th tensor of each list that a fused update walks through side by side goes with the
    /// i-th that it makes: whose the first such is, its result is.
    void spreadOwners(graph::OpIndex opIndex)
    {
        const graph::Op& op = m_program.ops[static_cast<std::size_t>(opIndex)];
        for (std::size_t read = 0; read < op.reads.size() && !op.outputs.empty(); ++read) {
            const graph::TensorId made = op.outputs[read % op.outputs.size()];
            if (m_program.storageOf(made).alloc == opIndex && ownerOf(made) == kNobody)
                ownerOf(made) = ownerOf(op.reads[read]);
        }
    }

    /// The part of an op that updates own parameters, by bytes.
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

void keepPart(Program& program, const std::vector<ReducedGradient>& gradients, const PartOf& partOf)
{
    Keeping{program, gradients, partOf}.keep();
}

void keepOwnShard(Program& program, const std::vector<ReducedGradient>& gradients,
                  std::int64_t world)
{
    const std::vector<bool> isOwn = fullestShard(gradients, world);
    keepPart(program, gradients, [&](std::size_t gradient, base::Bytes bytes) {
        return isOwn[gradient] ? bytes : base::Bytes{};
    });
}

} // namespace plimsoll::plan
