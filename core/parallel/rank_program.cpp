// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/rank_program.h"

#include "core/base/try.h"
#include "core/parallel/reduced_gradients.h"
#include "core/parallel/shard_units.h"

#include <queue>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace plimsoll::plan {

namespace {

using base::ErrorKind;
using base::failure;
using graph::Program;
using graph::StorageId;

constexpr base::Bytes kFirstBucket{base::kMiB};
constexpr base::Bytes kBucket{std::int64_t{25} << 20U};

/// How DDP puts gradients into buckets (BUCKETS in PARALLEL.md); indices into the gradients.
std::vector<std::vector<std::size_t>> gradientBuckets(const std::vector<ReducedGradient>& gradients,
                                                      const DataParallel& setting)
{
    struct Filling
    {
        std::vector<std::size_t> members;
        base::Bytes bytes;
        base::Bytes limit;
    };
    const base::Bytes most{std::numeric_limits<std::int64_t>::max()};
    // Unless DDP reduces itself, it keeps its initial buckets: one for all.
    const base::Bytes later = setting.manual ? most : setting.bucket.value_or(kBucket);
    const base::Bytes first = setting.manual || setting.bucket ? later : kFirstBucket;
    std::vector<Filling> filling; // by dtype, in order of appearance
    std::map<std::uint32_t, std::size_t> fillingOf;
    std::vector<std::vector<std::size_t>> buckets;
    for (std::size_t index = 0; index < gradients.size(); ++index) {
        const auto [entry, isNew] = fillingOf.try_emplace(gradients[index].dtype, filling.size());
        if (isNew)
            filling.push_back({{}, {}, first});
        Filling& bucket = filling[entry->second];
        bucket.members.push_back(index);
        bucket.bytes += gradients[index].bytes;
        if (bucket.bytes < bucket.limit)
            continue;
        buckets.push_back(bucket.members);
        bucket = {{}, {}, later};
    }
    for (const Filling& bucket : filling)
        if (!bucket.members.empty())
            buckets.push_back(bucket.members);
    return buckets;
}

/// By gradient: the process that updates the parameter. Largest first, to the least loaded one.
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

/// Reduces the optimizer to one of `world` processes under ZeRO-1: the states and temporaries of
/// its own parameters, and its part of the optimizer's time (SHARDS in PARALLEL.md). The process
/// chosen is the one with the most.
void keepOwnShard(Program& program, const std::vector<ReducedGradient>& gradients,
                  std::int64_t world)
{
    const std::vector<bool> isOwn = fullestShard(gradients, world);
    keepPart(program, gradients, [&](std::size_t gradient, base::Bytes bytes) {
        return isOwn[gradient] ? bytes : base::Bytes{};
    });
}

/// Adds the memory that stays allocated: one storage per bucket.
std::vector<StorageId> addBuckets(Program& program, const Parallel& parallel)
{
    std::vector<StorageId> storages;
    for (std::size_t bucket = 0; bucket < parallel.buckets.size(); ++bucket) {
        graph::Storage storage;
        for (const std::size_t member : parallel.buckets[bucket])
            storage.bytes += parallel.gradients[member].bytes;
        storage.storageClass = graph::StorageClass::Gradient;
        storage.names.push_back(
            fmt::format("DDP bucket {} of {}", bucket + 1, parallel.buckets.size()));
        storages.emplace_back(program.storages.size());
        program.storages.push_back(std::move(storage));
    }
    return storages;
}

/// `gradient_as_bucket_view`: the hook copies a gradient into its bucket and frees it; a gradient
/// that is older than the step is already in the bucket.
void intoBuckets(Program& program, const Parallel& parallel, const std::vector<StorageId>& storages)
{
    const auto forward = static_cast<graph::OpIndex>(program.forwardCount());
    std::map<StorageId, StorageId> bucketOf;
    for (std::size_t bucket = 0; bucket < storages.size(); ++bucket)
        for (const std::size_t member : parallel.buckets[bucket]) {
            const ReducedGradient& gradient = parallel.gradients[member];
            graph::Storage& storage = program.storages[gradient.storage.index()];
            if (storage.alloc >= forward) {
                storage.free = storage.pythonFree = storage.lastUse = gradient.ready;
                bucketOf.emplace(gradient.storage, storages[bucket]);
            } else if (storage.alloc < 0) {
                storage.bytes = {};
            }
        }
    redirectGradients(program, bucketOf);
}

void putUnderDdp(Program& program, Parallel& parallel)
{
    const DataParallel& setting = parallel.setting;
    parallel.buckets = gradientBuckets(parallel.gradients, setting);
    if (setting.zero > 0) // before gradients move to buckets
        keepOwnShard(program, parallel.gradients, setting.world);
    const std::vector<StorageId> storages = addBuckets(program, parallel);
    if (setting.views && !setting.manual)
        intoBuckets(program, parallel, storages);
}

} // namespace

base::Result<void> canRunUnder(const Program& recorded, const DataParallel& setting)
{
    if (recorded.header.microSteps > 1)
        return failure(ErrorKind::Usage,
                       fmt::format("A step of {} micro-steps can't be planned for data parallel: "
                                   "trace it with micro_steps=1.",
                                   recorded.header.microSteps));
    if (recorded.isRewritten() && !setting.manual)
        return failure(ErrorKind::Usage, "The graph is a plan written out, in which DDP's hooks "
                                         "never run: use manual reduction (manual).");
    if (reducedGradients(recorded).empty())
        return failure(
            ErrorKind::Usage,
            "The step computes no gradients to reduce: data parallel needs a training step.");
    if (setting.zero > 0 && recorded.countBeforeOptimizer() == recorded.ops.size())
        return failure(
            ErrorKind::Usage,
            "ZeRO shards the optimizer's state, but the step has no optimizer: trace it with one.");
    return setting.isSharded() ? canShard(recorded) : base::Result<void>{};
}

base::Result<Problem> forRank(const Problem& problem, const DataParallel& setting)
{
    const Program& recorded = *problem.program;
    RETURN_IF_ERROR(canRunUnder(recorded, setting));
    auto parallel = std::make_shared<Parallel>();
    parallel->setting = setting;
    parallel->gradients = reducedGradients(recorded);
    auto program = std::make_shared<Program>(recorded);
    if (setting.isSharded())
        shardProgram(recorded, *program, *parallel);
    else
        putUnderDdp(*program, *parallel);
    Problem rank = problem;
    rank.written = std::move(program);
    rank.parallel = std::move(parallel);
    return rank;
}

Problem singleProcess(const Problem& problem)
{
    Problem alone = problem;
    alone.parallel = nullptr;
    alone.written = nullptr;
    return alone;
}

} // namespace plimsoll::plan
