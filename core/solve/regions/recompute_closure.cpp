// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/recompute_closure.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace plimsoll::solve {

namespace {

using graph::OpId;
using graph::OpIndex;
using graph::StorageId;

/// Ops that update statistics of the model and can run without them.
constexpr std::array<std::string_view, 3> kUpdateStatistics{"aten.native_batch_norm.default",
                                                            "aten.cudnn_batch_norm.default",
                                                            "aten.miopen_batch_norm.default"};

void addOnce(std::vector<OpIndex>& ops, OpIndex op)
{
    if (ops.empty() || ops.back() != op)
        ops.push_back(op);
}

} // namespace

RecomputeClosure::RecomputeClosure(const graph::Program& program)
    : m_program{program}
    , m_runnerOps{static_cast<OpIndex>(program.countBeforeOptimizer())}
    , m_isRepeatable(program.ops.size(), false)
    , m_touched(program.ops.size())
    , m_uses(program.storages.size())
    , m_writers(program.storages.size())
{
    for (std::size_t index = 0; index < program.ops.size(); ++index) {
        const graph::Op& op = program.ops[index];
        const auto opIndex = static_cast<OpIndex>(index);
        std::set<StorageId> touched;
        for (const std::vector<graph::TensorId>* tensors : {&op.reads, &op.writes, &op.outputs})
            for (const graph::TensorId tensor : *tensors)
                touched.insert(program.tensor(tensor).storage);
        for (const StorageId storage : touched) {
            addOnce(m_uses[storage.index()], opIndex);
            if (program.storage(storage).alloc == opIndex)
                addOnce(m_writers[storage.index()], opIndex);
        }
        bool writesOlder = false;
        for (const graph::TensorId tensor : op.writes) {
            const StorageId storage = program.tensor(tensor).storage;
            addOnce(m_writers[storage.index()], opIndex);
            if (program.storage(storage).alloc < 0) {
                writesOlder = true;
                touched.erase(storage);
            }
        }
        const bool leavesStatistics =
            std::ranges::find(kUpdateStatistics, program.targetOf(op)) != kUpdateStatistics.end();
        const bool storesGradient =
            op.node >= 0 && program.nodes[static_cast<std::size_t>(op.node)] == "AccumulateGrad";
        m_isRepeatable[index] = opIndex < m_runnerOps && !op.isCollective && !storesGradient
                                && (!writesOlder || leavesStatistics);
        m_touched[index].assign(touched.begin(), touched.end());
    }
}

bool RecomputeClosure::isWrittenBetween(StorageId storage, OpIndex first, OpIndex end) const
{
    const std::vector<OpIndex>& writers = m_writers[storage.index()];
    const auto next = std::ranges::lower_bound(writers, first);
    return next != writers.end() && *next < end;
}

bool RecomputeClosure::makesOrWrites(OpIndex op, StorageId storage) const
{
    return std::ranges::binary_search(m_writers[storage.index()], op);
}

std::optional<std::vector<OpId>> RecomputeClosure::before(OpIndex before,
                                                          const std::vector<StorageId>& wanted,
                                                          const std::vector<bool>& isGone) const
{
    std::set<StorageId> made(wanted.begin(), wanted.end());
    std::vector<StorageId> open(made.begin(), made.end());
    std::set<OpId> ops;
    while (!open.empty()) {
        const StorageId storage = open.back();
        open.pop_back();
        for (const OpIndex writer : m_writers[storage.index()]) {
            const OpId op{static_cast<std::size_t>(writer)};
            if (writer >= before || !ops.insert(op).second)
                continue;
            if (!isRepeatable(op))
                return std::nullopt;
            for (const StorageId touched : m_touched[op.index()]) {
                const bool isOld = isWrittenBetween(touched, writer, before);
                const bool isNew = makesOrWrites(writer, touched);
                if (!isManaged(touched) && isOld)
                    return std::nullopt;
                if (isManaged(touched) && (isNew || isOld || isGone[touched.index()])
                    && made.insert(touched).second)
                    open.push_back(touched);
            }
        }
    }
    return std::vector<OpId>(ops.begin(), ops.end());
}

} // namespace plimsoll::solve
