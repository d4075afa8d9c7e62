// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/rank_program.h"

#include "core/parallel/gradient_buckets.h"
#include "core/parallel/shard_units.h"
#include "core/parallel/state_shards.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace plimsoll::plan {

namespace {

using base::ErrorKind;
using base::failure;
using graph::Program;
using graph::StorageId;

/// What the processes share that stays in memory: one storage for each bucket.
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

/// `gradient_as_bucket_view`: the hook copies a gradient into its bucket and lets it go; one that
/// is older than the step is in the bucket already.
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
    if (setting.zero > 0) // before gradients lie in buckets
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
                       fmt::format("A step of {} micro-steps can't be put under data parallel: "
                                   "trace it with micro_steps=1.",
                                   recorded.header.microSteps));
    if (recorded.isRewritten() && !setting.manual)
        return failure(ErrorKind::Usage,
                       "The graph is a plan written out, in which DDP's hooks never run: reduce "
                       "its gradients by hand (manual).");
    if (reducedGradients(recorded).empty())
        return failure(ErrorKind::Usage, "The step makes no gradients that processes could "
                                         "reduce: data parallel takes a training step.");
    if (setting.zero > 0 && recorded.countBeforeOptimizer() == recorded.ops.size())
        return failure(ErrorKind::Usage, "ZeRO shares out the optimizer's state, but the step has "
                                         "no optimizer: trace it with one.");
    return setting.isSharded() ? canShard(recorded) : base::Result<void>{};
}

base::Result<Problem> forRank(const Problem& problem, const DataParallel& setting)
{
    const Program& recorded = *problem.program;
    if (const base::Result<void> can = canRunUnder(recorded, setting); !can)
        return tl::unexpected{can.error()};
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
