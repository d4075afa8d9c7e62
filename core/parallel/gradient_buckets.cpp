// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/gradient_buckets.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace plimsoll::plan {

namespace {

using graph::OpIndex;
using graph::Program;
using graph::StorageId;

constexpr base::Bytes kFirstBucket{std::int64_t{1} << 20U};
constexpr base::Bytes kBucket{std::int64_t{25} << 20U};

/// By storage: the last op of backward that touches it, and where it stands among what that op
/// makes.
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
    // Without a reduction of its own DDP keeps the buckets that it began with: one for all.
    const base::Bytes later = setting.manual ? most : setting.bucket.value_or(kBucket);
    const base::Bytes first = setting.manual || setting.bucket ? later : kFirstBucket;
    std::vector<Filling> filling; // by dtype, in the order in which they are met
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

void redirectGradients(Program& program, const std::map<StorageId, StorageId>& homes)
{
    std::map<graph::TensorId, graph::TensorId> views; // of the homes, by the tensor as recorded
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

} // namespace plimsoll::plan
