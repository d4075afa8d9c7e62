// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/verify/legality/legality.h"
#include "core/verify/legality/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::plan::verifying {

namespace {

using graph::Op;
using graph::OpIndex;
using graph::Program;
using graph::StorageId;
using graph::TensorId;

class OneProcess
{
public:
    OneProcess(const Program& recorded, const DataParallel& setting)
        : m_setting{setting}
        , m_recorded{recorded}
        , m_program{std::make_shared<Program>(recorded)}
        , m_hooks{hooksOf(recorded)}
    {
    }

    graph::ProgramPtr make() &&
    {
        if (m_setting.zero >= 2) {
            shard();
            return m_program;
        }
        if (m_setting.zero > 0) {
            const std::set<std::size_t> own = ownParameters();
            keepOfState([&](std::size_t parameter, base::Bytes bytes) {
                return own.contains(parameter) ? bytes : base::Bytes{0};
            });
        }
        const std::map<StorageId, StorageId> homes = allocateBuckets();
        if (m_setting.views && !m_setting.manual)
            moveHome(homes);
        return m_program;
    }

private:
    /// DDP closes a bucket as soon as it reaches its limit. Each dtype has its own buckets, and
    /// partially filled ones come last.
    [[nodiscard]] std::map<StorageId, StorageId> allocateBuckets()
    {
        struct Bucket
        {
            std::uint32_t dtype = 0;
            std::vector<StorageId> members;
            std::int64_t bytes = 0;
            bool isFirst = true;
        };
        std::map<StorageId, StorageId> homes;
        const auto close = [&](Bucket& bucket) {
            for (const StorageId member : bucket.members)
                homes[member] = StorageId{m_program->storages.size()};
            graph::Storage& storage = m_program->storages.emplace_back();
            storage.storageClass = graph::StorageClass::Gradient;
            storage.bytes = base::Bytes{bucket.bytes};
            bucket = {bucket.dtype, {}, 0, false};
        };
        std::vector<Bucket> open; // by dtype, in order of appearance
        for (const Hooked& hooked : m_hooks) {
            auto bucket = std::ranges::find(open, hooked.dtype, &Bucket::dtype);
            if (bucket == open.end())
                bucket = open.insert(open.end(), Bucket{hooked.dtype, {}, 0, true});
            bucket->members.push_back(hooked.storage);
            bucket->bytes += hooked.bytes;
            const std::int64_t limit = m_setting.bucket  ? m_setting.bucket->count()
                                       : bucket->isFirst ? base::kMiB
                                                         : 25 * base::kMiB;
            if (!m_setting.manual && bucket->bytes >= limit)
                close(*bucket);
        }
        for (Bucket& bucket : open)
            if (!bucket.members.empty())
                close(bucket);
        return homes;
    }

    /// Gradients that the hook has copied are used inside the bucket from then on.
    void moveHome(const std::map<StorageId, StorageId>& homes)
    {
        std::map<StorageId, StorageId> moved;
        for (const Hooked& hooked : m_hooks) {
            graph::Storage& storage = m_program->storages[hooked.storage.index()];
            if (storage.alloc == graph::kBeforeStep)
                storage.bytes = base::Bytes{0};
            if (storage.alloc == graph::kBeforeStep
                || m_program->op(graph::opAt(storage.alloc)).phase != graph::Phase::Backward)
                continue;
            storage.free = hooked.at;
            storage.pythonFree = hooked.at;
            moved.emplace(hooked.storage, homes.at(hooked.storage));
        }
        redirect(moved);
    }

    /// The bytes that the process keeps of a parameter's storage, by parameter index.
    using Keep = std::function<base::Bytes(std::size_t parameter, base::Bytes bytes)>;

    void keepOfState(const Keep& keep)
    {
        for (const Hooked& hooked : m_hooks) {
            const graph::Parameter& parameter = m_program->parameters[hooked.parameter];
            m_owner[parameter.storage] = hooked.parameter;
            m_owner[hooked.storage] = hooked.parameter;
            for (const StorageId state : parameter.states)
                m_owner[state] = hooked.parameter;
        }
        const auto optimizer = static_cast<OpIndex>(m_program->countBeforeOptimizer());
        const auto end = static_cast<OpIndex>(m_program->ops.size());
        for (OpIndex op = optimizer; op < end; ++op)
            attribute(op);
        for (const auto& [storage, parameter] : m_owner) {
            graph::Storage& row = m_program->storages[storage.index()];
            const bool isState = row.storageClass == graph::StorageClass::OptimizerState;
            if (isState || row.alloc >= optimizer)
                row.bytes = keep(parameter, row.bytes);
        }
    }

    /// fully_shard(): the process keeps its rows of everything. After a group's backward, only the
    /// rows that the reduction leaves remain of the gradients.
    void shard()
    {
        const Rows rows{m_recorded, m_setting.world};
        keepOfState([&](std::size_t parameter, base::Bytes bytes) {
            return base::Bytes{rows.of(parameter, bytes.count())};
        });
        std::map<StorageId, StorageId> homes;
        for (const Group& group : groupsOf(m_recorded, m_setting.world)) {
            for (const std::size_t parameter : group.parameters)
                m_program->storages[m_recorded.parameters[parameter].storage.index()].bytes =
                    base::Bytes{rows.ofAll(parameter)};
            graph::Storage home;
            home.storageClass = graph::StorageClass::Gradient;
            home.alloc = home.free = group.end;
            const StorageId id{m_program->storages.size()};
            for (const Hooked& hooked : group.hooks) {
                graph::Storage& gradient = m_program->storages[hooked.storage.index()];
                const base::Bytes own{rows.ofAll(hooked.parameter)};
                if (gradient.alloc == graph::kBeforeStep)
                    gradient.bytes = own;
                if (gradient.alloc == graph::kBeforeStep
                    || m_program->op(graph::opAt(gradient.alloc)).phase != graph::Phase::Backward)
                    continue;
                home.bytes += own;
                home.free = std::max(home.free, gradient.free);
                gradient.free = gradient.pythonFree = group.end;
                homes.emplace(hooked.storage, id);
            }
            if (home.bytes.count() > 0)
                m_program->storages.push_back(std::move(home));
        }
        redirect(homes);
    }

    /// Redirects the optimizer's accesses to the new storages.
    void redirect(const std::map<StorageId, StorageId>& homes)
    {
        for (Op& op : m_program->ops) {
            if (op.phase != graph::Phase::Optimizer)
                continue;
            for (std::vector<TensorId>* list : {&op.reads, &op.writes, &op.outputs})
                for (TensorId& id : *list) {
                    graph::Tensor tensor = m_program->tensor(id);
                    const auto home = homes.find(tensor.storage);
                    if (home == homes.end())
                        continue;
                    tensor.storage = home->second;
                    id = TensorId{m_program->tensors.size()};
                    m_program->tensors.push_back(std::move(tensor));
                }
        }
    }

    /// The parameters of the process that updates the most bytes. ZeroRedundancyOptimizer assigns
    /// the largest parameter first to the process with the least, on a tie to the first one.
    [[nodiscard]] std::set<std::size_t> ownParameters() const
    {
        std::vector<Hooked> sorted = m_hooks;
        std::ranges::sort(sorted, {}, [](const Hooked& hooked) {
            return std::pair{-hooked.bytes, hooked.parameter};
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

    /// Attributes an optimizer op's temporaries: its i-th result belongs to the parameter of the
    /// i-th tensor in each list that it reads.
    void attribute(OpIndex opIndex)
    {
        const Op& op = m_program->op(graph::opAt(opIndex));
        for (std::size_t read = 0; read < op.reads.size(); ++read) {
            const auto owner = m_owner.find(m_program->tensor(op.reads[read]).storage);
            if (owner == m_owner.end() || op.outputs.empty())
                continue;
            const StorageId made = m_program->tensor(op.outputs[read % op.outputs.size()]).storage;
            if (m_program->storage(made).alloc == opIndex)
                m_owner.emplace(made, owner->second);
        }
    }

    const DataParallel& m_setting;
    const Program& m_recorded;
    std::shared_ptr<Program> m_program;
    std::vector<Hooked> m_hooks;              ///< in the order in which they run
    std::map<StorageId, std::size_t> m_owner; ///< index of a parameter
};

} // namespace

Problem ofOneProcess(const Problem& problem)
{
    Problem own = problem;
    if (problem.parallel)
        own.written = OneProcess{*problem.program, problem.parallel->setting}.make();
    return own;
}

namespace {

/// Only a region's first call runs its hooks; the other members run inside it, without theirs.
void findLostHooks(const Program& program, const std::set<std::string>& sharded,
                   const std::vector<Region>& regions, std::vector<Fault>& faults)
{
    for (const Region& region : regions) {
        for (const graph::CallId member : region.members)
            if (region.members.size() > 1 && member.index() < program.calls.size())
                if (const std::string& path = program.module(program.call(member).module).path;
                    sharded.contains(path)) {
                    faults.push_back({FaultKind::IllegalRegion,
                                      fmt::format("fully_shard gathers and reduces {} in hooks of "
                                                  "its calls, which don't run inside a region with "
                                                  "other calls: make it a region of its own.",
                                                  base::printable(path, 60))});
                    return;
                }
        findLostHooks(program, sharded, region.nested, faults);
    }
}

std::vector<Fault> shardFaults(const Problem& problem, const Plan& plan, bool isStepped)
{
    if (isStepped || plan.granularity() == Granularity::Op)
        return {{isStepped ? FaultKind::IllegalRepeat : FaultKind::IllegalRegion,
                 "fully_shard (ZeRO-2 and ZeRO-3) gathers and reduces in hooks of modules, which "
                 "neither runtime \"step\" nor code between ops calls: use runtime \"checkpoint\" "
                 "with granularity \"module\"."}};
    std::set<std::string> sharded;
    for (const Group& group : groupsOf(*problem.program, problem.parallel->setting.world))
        if (!group.isRest)
            sharded.insert(group.path);
    std::vector<Fault> faults;
    findLostHooks(*problem.step(), sharded, plan.regions(), faults);
    return faults;
}

} // namespace

std::vector<Fault> parallelFaults(const Problem& problem, const Plan& plan)
{
    if (!problem.parallel || problem.parallel->setting.manual)
        return {};
    const bool isStepped = plan.isCompiledStep() || problem.step()->isRewritten();
    if (problem.parallel->setting.zero >= 2)
        return shardFaults(problem, plan, isStepped);
    if (!isStepped)
        return {};
    return {{FaultKind::IllegalRepeat,
             "Runtime \"step\" stores gradients without DDP's hooks, so they would not be reduced: "
             "use manual reduction, or runtime \"checkpoint\"."}};
}

} // namespace plimsoll::plan::verifying
