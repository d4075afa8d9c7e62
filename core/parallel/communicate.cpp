// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/communication.h"
#include "core/parallel/gradient_buckets.h"
#include "core/parallel/link_times.h"

#include <algorithm>
#include <map>
#include <optional>

namespace plimsoll::plan {

namespace {

using base::Nanoseconds;

class Communicating
{
public:
    Communicating(const Problem& problem, const Schedule& schedule,
                  const std::vector<Nanoseconds>& times)
        : m_problem{problem}, m_parallel{*problem.parallel}, m_schedule{schedule}, m_times{times}
    {
        m_found.steps.resize(schedule.steps.size());
    }

    Communication run() &&
    {
        m_found.sync = syncTime();
        m_found.steps.front() += m_found.sync;
        for (const ReducedGradient& gradient : m_parallel.gradients)
            if (!m_parallel.setting.manual)
                copy(readyStep(gradient), gradient.bytes);
        if (m_parallel.setting.manual)
            reduceByHand();
        else
            reduceBuckets();
        if (m_parallel.setting.zero > 0)
            gatherParameters();
        return std::move(m_found);
    }

private:
    void copy(std::size_t step, base::Bytes bytes)
    {
        const Nanoseconds time = copyTime(m_problem.device, bytes);
        m_found.copies += time;
        m_found.steps[step] += time;
    }

    [[nodiscard]] std::size_t readyStep(const ReducedGradient& gradient) const
    {
        return static_cast<std::size_t>(m_schedule.ownStep(gradient.ready));
    }
    [[nodiscard]] Nanoseconds syncTime() const;
    void reduceBuckets();
    void reduceByHand();
    void gatherParameters();

    /// The step behind which backward, its recomputations included, is over.
    [[nodiscard]] std::size_t backwardEnd() const
    {
        const graph::Program& program = *m_problem.step();
        const std::size_t optimizer = program.countBeforeOptimizer();
        return optimizer < program.ops.size()
                   ? static_cast<std::size_t>(m_schedule.stepOfOp[optimizer]) - 1
                   : m_schedule.steps.size() - 1;
    }

    /// By step: when it is over, and what follows it right behind. Before anybody waits.
    [[nodiscard]] std::vector<Nanoseconds> clock() const
    {
        std::vector<Nanoseconds> ends;
        ends.reserve(m_schedule.steps.size());
        Nanoseconds now;
        for (std::size_t step = 0; step < m_schedule.steps.size(); ++step) {
            now += m_times[m_schedule.steps[step].op.index()] + m_found.steps[step];
            ends.push_back(now);
        }
        return ends;
    }

    const Problem& m_problem;
    const Parallel& m_parallel;
    const Schedule& m_schedule;
    const std::vector<Nanoseconds>& m_times;
    Communication m_found;
};

/// DDP flattens buffers of one dtype, broadcasts them and copies them back one by one; by hand each
/// tensor is broadcast by itself.
Nanoseconds Communicating::syncTime() const
{
    const graph::Program& program = *m_problem.program;
    const std::vector<const graph::Tensor*> tensors = firstTensors(program);
    Nanoseconds time;
    std::map<std::optional<std::uint32_t>, base::Bytes> flat;
    for (std::size_t index = 0; index < program.storages.size(); ++index) {
        const graph::Storage& storage = program.storages[index];
        if (storage.storageClass != graph::StorageClass::Buffer)
            continue;
        if (m_parallel.setting.manual)
            time += broadcastTime(m_parallel.setting, storage.bytes);
        else
            time += copyTime(m_problem.device, storage.bytes);
        flat[tensors[index] ? std::optional{tensors[index]->dtype} : std::nullopt] += storage.bytes;
    }
    if (m_parallel.setting.manual)
        for (const ReducedGradient& gradient : m_parallel.gradients)
            time += broadcastTime(m_parallel.setting, gradient.bytes);
    else
        for (const auto& [dtype, bytes] : flat)
            time += copyTime(m_problem.device, bytes) + broadcastTime(m_parallel.setting, bytes);
    return time;
}

/// One bucket after the other over the link, in order, each as soon as all of it is there; then the
/// device waits for each in turn and, without views, copies it back.
void Communicating::reduceBuckets()
{
    const std::vector<Nanoseconds> ends = clock();
    const std::size_t last = backwardEnd();
    Nanoseconds link;
    Nanoseconds now = ends[last];
    for (const std::vector<std::size_t>& bucket : m_parallel.buckets) {
        Reduction reduction;
        reduction.gradients = bucket.size();
        for (const std::size_t member : bucket) {
            const ReducedGradient& gradient = m_parallel.gradients[member];
            reduction.bytes += gradient.bytes;
            reduction.ready = std::max(reduction.ready, ends[readyStep(gradient)]);
        }
        const Nanoseconds time = allReduceTime(m_parallel.setting, reduction.bytes);
        reduction.begin = std::max(link, reduction.ready);
        link = reduction.end = reduction.begin + time;
        m_found.reduce += time;
        const Nanoseconds wait = std::max(link - now, Nanoseconds{});
        m_found.exposed += wait;
        m_found.steps[last] += wait;
        now += wait;
        if (!m_parallel.setting.views)
            for (const std::size_t member : bucket) {
                const base::Bytes bytes = m_parallel.gradients[member].bytes;
                copy(last, bytes);
                now += copyTime(m_problem.device, bytes);
            }
        m_found.reductions.push_back(reduction);
    }
}

/// Behind backward one tensor after the other, and then each is divided.
void Communicating::reduceByHand()
{
    const std::size_t last = backwardEnd();
    Nanoseconds now = clock()[last];
    const Nanoseconds ready = now;
    for (const ReducedGradient& gradient : m_parallel.gradients) {
        const Nanoseconds time = allReduceTime(m_parallel.setting, gradient.bytes);
        m_found.reductions.push_back({gradient.bytes, 1, ready, now, now + time});
        now += time;
        m_found.reduce += time;
    }
    m_found.exposed = m_found.reduce;
    m_found.steps[last] += m_found.exposed;
    for (const ReducedGradient& gradient : m_parallel.gradients)
        copy(last, gradient.bytes);
}

/// Each process broadcasts the parameters that it has updated, tensor by tensor.
void Communicating::gatherParameters()
{
    for (const ReducedGradient& gradient : m_parallel.gradients)
        m_found.gather += broadcastTime(m_parallel.setting, gradient.bytes);
    m_found.gatherExposed = m_found.gather;
    m_found.steps.back() += m_found.gather;
}

} // namespace

Communication communicate(const Problem& problem, const Schedule& schedule,
                          const std::vector<Nanoseconds>& times)
{
    if (problem.parallel->setting.isSharded())
        return communicateShards(problem, schedule, times);
    return Communicating{problem, schedule, times}.run();
}

} // namespace plimsoll::plan
