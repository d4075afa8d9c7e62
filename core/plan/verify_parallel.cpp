// SPDX-License-Identifier: Apache-2.0
#include "core/plan/verify_parallel.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace plimsoll::plan::verifying {

namespace {

using graph::Moment;
using graph::Op;
using graph::Program;
using graph::StorageId;
using graph::TensorId;

/// One gradient, as DDP's hook finds it.
struct Hooked
{
    std::size_t parameter = 0;
    StorageId storage;
    std::int64_t bytes = 0;
    std::uint32_t dtype = 0;
    Moment at = graph::kBeforeStep; ///< the op behind which the hook runs
    std::size_t place = 0;          ///< among what it makes, else reads, else writes
};

class OneProcess
{
public:
    OneProcess(const Program& recorded, const DataParallel& setting)
        : m_setting{setting}, m_program{std::make_shared<Program>(recorded)}
    {
    }

    graph::ProgramPtr make() &&
    {
        findHooks();
        if (m_setting.zero > 0)
            dropForeignState();
        const std::map<StorageId, StorageId> homes = allocateBuckets();
        if (m_setting.views && !m_setting.manual)
            moveHome(homes);
        return m_program;
    }

private:
    void findHooks();
    void meet(Moment op, std::map<StorageId, Hooked>& byStorage) const;
    [[nodiscard]] std::map<StorageId, StorageId> allocateBuckets();
    void moveHome(const std::map<StorageId, StorageId>& homes);
    void dropForeignState();
    [[nodiscard]] std::set<std::size_t> ownParameters() const;
    void attribute(Moment moment);
    /// Where a storage first stands in a list that it stands in.
    [[nodiscard]] std::size_t placeIn(const std::vector<TensorId>& list, StorageId storage) const
    {
        std::size_t place = 0;
        while (m_program->tensor(list[place]).storage != storage)
            ++place;
        return place;
    }

    const DataParallel& m_setting;
    std::shared_ptr<Program> m_program;
    std::vector<Hooked> m_hooks;              ///< in the order in which they run
    std::map<StorageId, std::size_t> m_owner; ///< index of a parameter
};

void OneProcess::findHooks()
{
    std::map<StorageId, Hooked> byStorage;
    for (std::size_t i = 0; i < m_program->parameters.size(); ++i)
        if (const auto gradient = m_program->parameters[i].gradient)
            byStorage.try_emplace(
                *gradient, Hooked{i, *gradient, m_program->storage(*gradient).bytes.count(), 0});
    std::set<StorageId> typed;
    for (const graph::Tensor& tensor : m_program->tensors)
        if (const auto hooked = byStorage.find(tensor.storage);
            hooked != byStorage.end() && typed.insert(tensor.storage).second)
            hooked->second.dtype = tensor.dtype;
    // From the end: the first op of backward that is met with a gradient is its last one.
    for (auto op = static_cast<Moment>(m_program->ops.size()); op-- > 0;)
        if (m_program->op(graph::opAt(op)).phase == graph::Phase::Backward)
            meet(op, byStorage);
    for (const auto& [storage, hooked] : byStorage)
        if (hooked.at >= 0)
            m_hooks.push_back(hooked);
    std::sort(m_hooks.begin(), m_hooks.end(), [](const Hooked& a, const Hooked& b) {
        if (a.at != b.at)
            return a.at < b.at;
        return a.place != b.place ? a.place < b.place : a.parameter < b.parameter;
    });
}

/// Notes the op in what no later one touches.
void OneProcess::meet(Moment op, std::map<StorageId, Hooked>& byStorage) const
{
    const Op& row = m_program->op(graph::opAt(op));
    for (const std::vector<TensorId>* list : {&row.outputs, &row.reads, &row.writes})
        for (const TensorId tensor : *list) {
            const auto hooked = byStorage.find(m_program->tensor(tensor).storage);
            if (hooked == byStorage.end() || hooked->second.at >= 0)
                continue;
            hooked->second.at = op;
            hooked->second.place = placeIn(*list, hooked->first);
        }
}

/// DDP closes a bucket as soon as it has reached its limit; each dtype has buckets of its own, and
/// what is left over comes last.
std::map<StorageId, StorageId> OneProcess::allocateBuckets()
{
    constexpr std::int64_t kMiB = std::int64_t{1} << 20U;
    std::map<StorageId, StorageId> homes;
    const auto close = [&](std::vector<Hooked>& open) {
        graph::Storage bucket;
        bucket.storageClass = graph::StorageClass::Gradient;
        const StorageId id{m_program->storages.size()};
        for (const Hooked& hooked : open) {
            bucket.bytes += base::Bytes{hooked.bytes};
            homes[hooked.storage] = id;
        }
        m_program->storages.push_back(std::move(bucket));
        open.clear();
    };
    std::vector<std::uint32_t> dtypes;
    std::map<std::uint32_t, std::vector<Hooked>> open;
    std::map<std::uint32_t, std::int64_t> filled;
    std::map<std::uint32_t, int> closed;
    for (const Hooked& hooked : m_hooks) {
        if (std::find(dtypes.begin(), dtypes.end(), hooked.dtype) == dtypes.end())
            dtypes.push_back(hooked.dtype);
        std::vector<Hooked>& members = open[hooked.dtype];
        members.push_back(hooked);
        filled[hooked.dtype] += hooked.bytes;
        const std::int64_t limit = m_setting.bucket            ? m_setting.bucket->count()
                                   : closed[hooked.dtype] == 0 ? kMiB
                                                               : 25 * kMiB;
        if (m_setting.manual || filled[hooked.dtype] < limit)
            continue;
        ++closed[hooked.dtype];
        filled[hooked.dtype] = 0;
        close(members);
    }
    for (const std::uint32_t dtype : dtypes)
        if (!open[dtype].empty())
            close(open[dtype]);
    return homes;
}

/// What the hook has copied is used where it lies in the bucket from then on.
void OneProcess::moveHome(const std::map<StorageId, StorageId>& homes)
{
    std::set<StorageId> moved;
    for (const Hooked& hooked : m_hooks) {
        graph::Storage& storage = m_program->storages[hooked.storage.index()];
        if (storage.alloc == graph::kBeforeStep)
            storage.bytes = base::Bytes{0};
        if (storage.alloc == graph::kBeforeStep
            || m_program->op(graph::opAt(storage.alloc)).phase != graph::Phase::Backward)
            continue;
        storage.free = hooked.at;
        storage.pythonFree = hooked.at;
        moved.insert(hooked.storage);
    }
    for (Op& op : m_program->ops) {
        if (op.phase != graph::Phase::Optimizer)
            continue;
        for (std::vector<TensorId>* list : {&op.reads, &op.writes, &op.outputs})
            for (TensorId& id : *list) {
                graph::Tensor tensor = m_program->tensor(id);
                if (!moved.contains(tensor.storage))
                    continue;
                tensor.storage = homes.at(tensor.storage);
                id = TensorId{m_program->tensors.size()};
                m_program->tensors.push_back(std::move(tensor));
            }
    }
}

/// Of the process that has most to update; ZeroRedundancyOptimizer gives the largest first to the
/// process that has least, the first of several.
std::set<std::size_t> OneProcess::ownParameters() const
{
    std::vector<Hooked> sorted = m_hooks;
    std::sort(sorted.begin(), sorted.end(), [](const Hooked& a, const Hooked& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.parameter < b.parameter;
    });
    std::map<std::int64_t, std::set<std::int64_t>> byLoad; // processes
    std::map<std::int64_t, std::pair<std::int64_t, std::set<std::size_t>>> shards;
    for (std::int64_t process = 0; process < m_setting.world; ++process)
        byLoad[0].insert(byLoad[0].end(), process);
    for (const Hooked& hooked : sorted) {
        const auto least = byLoad.begin();
        const std::int64_t process = *least->second.begin();
        const std::int64_t load = least->first + hooked.bytes;
        least->second.erase(least->second.begin());
        if (least->second.empty())
            byLoad.erase(least);
        byLoad[load].insert(process);
        shards[process].first = load;
        shards[process].second.insert(hooked.parameter);
    }
    const std::pair<std::int64_t, std::set<std::size_t>>* fullest = nullptr;
    for (const auto& [process, shard] : shards)
        if (fullest == nullptr || shard.first > fullest->first)
            fullest = &shard;
    return fullest == nullptr ? std::set<std::size_t>{} : fullest->second;
}

/// Whose the temporaries of an op of the optimizer are: its i-th result goes with the i-th tensor
/// of each list that it reads.
void OneProcess::attribute(Moment moment)
{
    const Op& op = m_program->op(graph::opAt(moment));
    for (std::size_t read = 0; read < op.reads.size(); ++read) {
        const auto owner = m_owner.find(m_program->tensor(op.reads[read]).storage);
        if (owner == m_owner.end() || op.outputs.empty())
            continue;
        const StorageId made = m_program->tensor(op.outputs[read % op.outputs.size()]).storage;
        if (m_program->storage(made).alloc == moment)
            m_owner.emplace(made, owner->second);
    }
}

void OneProcess::dropForeignState()
{
    for (const Hooked& hooked : m_hooks) {
        const graph::Parameter& parameter = m_program->parameters[hooked.parameter];
        m_owner[parameter.storage] = hooked.parameter;
        m_owner[hooked.storage] = hooked.parameter;
        for (const StorageId state : parameter.states)
            m_owner[state] = hooked.parameter;
    }
    Moment optimizer = 0;
    const auto end = static_cast<Moment>(m_program->ops.size());
    while (optimizer < end
           && m_program->op(graph::opAt(optimizer)).phase != graph::Phase::Optimizer)
        ++optimizer;
    for (Moment op = optimizer; op < end; ++op)
        attribute(op);
    const std::set<std::size_t> own = ownParameters();
    for (const auto& [storage, parameter] : m_owner) {
        graph::Storage& row = m_program->storages[storage.index()];
        const bool isState = row.storageClass == graph::StorageClass::OptimizerState;
        if ((isState || row.alloc >= optimizer) && !own.contains(parameter))
            row.bytes = base::Bytes{0};
    }
}

} // namespace

Problem ofOneProcess(const Problem& problem)
{
    Problem own = problem;
    if (problem.parallel)
        own.program = OneProcess{*problem.parallel->recorded, problem.parallel->setting}.make();
    return own;
}

std::vector<Fault> parallelFaults(const Problem& problem, const Plan& plan)
{
    const bool isStepped = plan.runtime == Runtime::Step || problem.program->isRewritten();
    if (!problem.parallel || problem.parallel->setting.manual || !isStepped)
        return {};
    return {{FaultKind::IllegalRepeat,
             "Runtime \"step\" stores gradients without DDP's hooks, so nobody would reduce them: "
             "take manual reduction, or runtime \"checkpoint\"."}};
}

} // namespace plimsoll::plan::verifying
