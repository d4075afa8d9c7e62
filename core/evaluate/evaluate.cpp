// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/evaluate.h"

#include "core/device/op_times.h"
#include "core/graph/batch_statistics.h"
#include "core/lower/lower.h"
#include "core/parallel/hook_warnings.h"
#include "core/parallel/shard_units.h"
#include "core/timeline/builder.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

namespace plimsoll::plan {

namespace {

using graph::StorageClass;
using timeline::Category;

Category categoryOf(StorageClass storageClass)
{
    switch (storageClass) {
    case StorageClass::Parameter: return Category::Parameters;
    case StorageClass::Buffer:
    case StorageClass::Constant: return Category::Buffers;
    case StorageClass::Gradient: return Category::Gradients;
    case StorageClass::OptimizerState: return Category::OptimizerState;
    case StorageClass::Input: return Category::Inputs;
    case StorageClass::Activation:
    case StorageClass::Output: return Category::Activations;
    case StorageClass::Scratch: return Category::Workspaces;
    case StorageClass::Temporary: break;
    }
    return Category::Temporaries;
}

/// Adds bands for forward, loss, backward and optimizer over the schedule's steps. A recomputation
/// belongs to the op that it runs for, a final one to backward.
void addPhases(const graph::Program& program, const Schedule& schedule, timeline::Builder& builder)
{
    static constexpr std::array kLabels{"Forward", "Loss", "Backward", "Optimizer"};
    std::array<std::pair<std::int64_t, std::int64_t>, graph::kPhaseCount> range;
    range.fill({INT64_MAX, -1});
    graph::Phase next = graph::Phase::Backward; // of the op for which the preceding steps recompute
    for (std::size_t step = schedule.steps.size(); step-- > 0;) {
        const Step& executed = schedule.steps[step];
        if (executed.region < 0)
            next = program.op(executed.op).phase;
        const graph::Phase phase =
            executed.region < 0 ? next : std::min(next, graph::Phase::Backward);
        auto& [first, last] = range[static_cast<std::size_t>(phase)];
        first = static_cast<std::int64_t>(step);
        last = std::max(last, static_cast<std::int64_t>(step));
    }
    for (std::size_t phase = 0; phase < range.size(); ++phase)
        if (range[phase].second >= 0)
            builder.addBand({static_cast<std::uint32_t>(range[phase].first),
                             static_cast<std::uint32_t>(range[phase].second), kLabels[phase]});
}

/// The duration of each step, including what runs or is waited for right after it.
std::vector<base::Nanoseconds> durationsOf(const Evaluation& evaluation,
                                           const std::vector<base::Nanoseconds>& times)
{
    const std::vector<Step>& steps = evaluation.schedule->steps;
    std::vector<base::Nanoseconds> durations;
    durations.reserve(steps.size());
    for (std::size_t step = 0; step < steps.size(); ++step)
        durations.push_back(times[steps[step].op.index()]
                            + (evaluation.communication ? evaluation.communication->steps[step]
                                                        : base::Nanoseconds{}));
    return durations;
}

timeline::TimelinePtr buildTimeline(const Problem& problem, const Schedule& schedule,
                                    const std::vector<base::Nanoseconds>& durations)
{
    const graph::Program& program = *problem.step();
    const auto steps = static_cast<std::int32_t>(durations.size());
    timeline::Builder builder{durations};
    if (steps == 0)
        return std::move(builder).build();
    for (std::size_t index = 0; index < schedule.instances.size(); ++index) {
        const Instance& instance = schedule.instances[index];
        const graph::Storage& storage = program.storage(instance.storage);
        if (storage.bytes.count() == 0 || instance.free < 0)
            continue;
        builder.add({static_cast<std::uint32_t>(std::max(instance.alloc, 0)),
                     static_cast<std::uint32_t>(std::min(instance.free, steps - 1)),
                     graph::rounded(storage.bytes, problem.rounding),
                     categoryOf(storage.storageClass), static_cast<std::uint32_t>(index)});
    }
    if (problem.reserve.count() > 0)
        builder.add({0, static_cast<std::uint32_t>(steps - 1), problem.reserve,
                     Category::Workspaces, static_cast<std::uint32_t>(schedule.instances.size())});
    addPhases(program, schedule, builder);
    return std::move(builder).build();
}

/// The storage on which an op that allocates nothing works: the one it writes in place, else the
/// one that its result views, else the one it reads (a number fetched for Python).
std::optional<graph::StorageId> targetOf(const graph::Program& program, const graph::Op& op)
{
    for (const std::vector<graph::TensorId>* tensors : {&op.writes, &op.outputs, &op.reads})
        if (!tensors->empty())
            return program.tensor(tensors->front()).storage;
    return std::nullopt;
}

/// By storage: whether the recorded step keeps a forward result for backward, and the plan doesn't.
std::vector<bool> sparedStorages(const graph::Program& program, const Schedule& schedule)
{
    const auto forward = static_cast<graph::OpIndex>(program.forwardCount());
    std::vector<bool> spared(program.storages.size(), false);
    if (forward == 0)
        return spared;
    for (std::size_t index = 0; index < spared.size(); ++index) {
        const graph::Storage& recorded = program.storages[index];
        spared[index] = recorded.alloc >= 0 && recorded.alloc < forward && recorded.free >= forward;
    }
    const std::int32_t end =
        *std::max_element(schedule.stepOfOp.begin(), schedule.stepOfOp.begin() + forward);
    for (const Instance& instance : schedule.instances)
        if (instance.alloc <= end && instance.free > end)
            spared[instance.storage.index()] = false;
    return spared;
}

/// Adds one row per storage that recomputations work on; their times add up to the recompute time.
void addRecomputed(const Problem& problem, const std::vector<base::Nanoseconds>& times,
                   Evaluation& evaluation)
{
    const graph::Program& program = *problem.step();
    std::vector<std::int32_t> executions(program.ops.size(), 0);
    std::vector<std::int32_t> innermost(program.ops.size(), -1);
    for (const Step& step : evaluation.schedule->steps) {
        if (step.region < 0)
            continue;
        ++executions[step.op.index()];
        std::int32_t& region = innermost[step.op.index()];
        region = std::max(region, step.region); // parents come first
    }
    std::vector<std::vector<graph::StorageId>> allocated(program.ops.size());
    for (std::size_t index = 0; index < program.storages.size(); ++index)
        if (const graph::OpIndex alloc = program.storages[index].alloc;
            alloc >= 0 && program.storages[index].storageClass != StorageClass::Parameter
            && !program.storages[index].isScratch()
            && executions[static_cast<std::size_t>(alloc)] > 0)
            allocated[static_cast<std::size_t>(alloc)].emplace_back(index);
    const std::vector<bool> spared = sparedStorages(program, *evaluation.schedule);
    std::vector<std::ptrdiff_t> rowOf(program.storages.size(), -1);
    for (std::size_t op = 0; op < program.ops.size(); ++op) {
        if (executions[op] == 0)
            continue;
        base::Nanoseconds time = times[op] * executions[op];
        for (const graph::StorageId storage :
             allocated[op]) { // an op with several results counts once
            rowOf[storage.index()] = static_cast<std::ptrdiff_t>(evaluation.recomputed.size());
            const base::Bytes bytes =
                graph::rounded(program.storage(storage).bytes, problem.rounding);
            evaluation.recomputed.push_back({graph::OpId{op}, storage, bytes,
                                             spared[storage.index()] ? bytes : base::Bytes{}, time,
                                             innermost[op]});
            time = {};
        }
        const std::optional<graph::StorageId> target = targetOf(program, program.ops[op]);
        if (!allocated[op].empty() || !target || time.count() == 0)
            continue;
        if (const std::ptrdiff_t row = rowOf[target->index()]; row >= 0)
            evaluation.recomputed[static_cast<std::size_t>(row)].time += time;
        else // such as running statistics: updated again, but not allocated
            evaluation.recomputed.push_back(
                {graph::OpId{op}, *target, {}, {}, time, innermost[op]});
    }
}

/// Batch norm and similar ops: PyTorch's checkpoint recomputes them in training mode. Frozen ones
/// run without their statistics.
bool updatesBuffersAgain(const graph::Program& program, const Plan& plan, const Schedule& schedule)
{
    return std::ranges::any_of(schedule.steps, [&](const Step& step) {
        const std::vector<graph::TensorId>& writes = program.op(step.op).writes;
        return step.region >= 0
               && !(plan.freezeStats() && graph::updatesStatistics(program, program.op(step.op)))
               && std::ranges::any_of(writes, [&](graph::TensorId id) {
                      const graph::Storage& storage = program.storage(program.tensor(id).storage);
                      return storage.storageClass == graph::StorageClass::Buffer;
                  });
    });
}

/// Sentences that say what a plan's numbers leave out.
std::vector<std::string> notModelled(const Problem& problem, const Plan& plan,
                                     const Schedule& schedule)
{
    const graph::Program& program = *problem.step();
    std::vector<std::string> sentences{
        "Allocator fragmentation, in the peak; whether a plan runs on a GPU takes it into account.",
        "Scratch memory of kernels that the graph doesn't list, beyond the reserve."};
    if (problem.parallel)
        sentences.emplace_back(
            problem.parallel->setting.isSharded()
                ? "Memory of the collectives' library, parameters while they are copied out of an "
                  "all-gather in backward, and processes that wait for slower ones."
                : "Memory of the collectives' library, the copy of all buffers before "
                  "they are broadcast, and processes that wait for slower ones.");
    if (!plan.isCompiledStep()) {
        if (updatesBuffersAgain(program, plan, schedule))
            sentences.emplace_back(
                "Buffers that recomputed modules update, such as batch norm's running statistics, "
                "are updated again by each recomputation: evaluation mode may differ.");
        return sentences;
    }
    if (std::ranges::any_of(schedule.steps, [&](const Step& step) {
            return step.region >= 0 && program.op(step.op).isRandom;
        }))
        sentences.emplace_back("States of the random number generators that the runner keeps on "
                               "the host for random ops it recomputes.");
    return sentences;
}

} // namespace

EvaluationPtr evaluate(const Problem& problem, const Plan& plan)
{
    const graph::Program& program = *problem.step();
    const std::vector<base::Nanoseconds> times = opTimes(program, problem.device);
    auto evaluation = std::make_shared<Evaluation>();
    auto schedule = std::make_shared<Schedule>(lower(program, plan));
    if (problem.parallel && problem.parallel->setting.isSharded() && !program.ops.empty())
        placeShards(problem, *schedule);
    evaluation->schedule = std::move(schedule);
    if (problem.parallel && !program.ops.empty()) {
        evaluation->communication = communicate(problem, *evaluation->schedule, times);
        evaluation->warnings = hookWarnings(problem, plan);
    }
    const std::vector<base::Nanoseconds> durations = durationsOf(*evaluation, times);
    evaluation->timeline = buildTimeline(problem, *evaluation->schedule, durations);
    evaluation->stepTime = std::accumulate(durations.begin(), durations.end(), base::Nanoseconds{});
    for (const Step& step : evaluation->schedule->steps)
        if (step.region >= 0)
            evaluation->recomputeTime += times[step.op.index()];
    evaluation->peak = evaluation->timeline->peak();
    evaluation->peakStep = evaluation->timeline->peakStep();
    if (!program.ops.empty())
        evaluation->peakOp = evaluation->schedule->steps[evaluation->peakStep].op;
    addRecomputed(problem, times, *evaluation);
    evaluation->notModelled = notModelled(problem, plan, *evaluation->schedule);
    return evaluation;
}

Plan keepEverything(Runtime runtime)
{
    if (runtime == Runtime::CompiledStep)
        return {"none", {}, RecomputeSchedule{}};
    return {"none", {}, CheckpointRegions{}};
}

} // namespace plimsoll::plan
