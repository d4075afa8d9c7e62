// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/communication.h"
#include "core/parallel/reduced_gradients.h"
#include "core/parallel/shard_units.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace plimsoll::plan {

namespace {

using base::Nanoseconds;

constexpr double kMost = 1e15; ///< eleven days: sums of many stay in range

Nanoseconds nanoseconds(double time)
{
    return Nanoseconds{std::llround(std::min(time, kMost))};
}

/// Times that a collective goes around a ring: each is (w-1)/w of the bytes over each link, in w-1
/// hops.
constexpr double kAllReduce = 2;
constexpr double kHalfRing =
    1; ///< all-gather or reduce-scatter of what all processes have together

Nanoseconds ringTime(const DataParallel& setting, base::Bytes bytes, double rounds)
{
    const auto others = static_cast<double>(setting.world - 1);
    return nanoseconds(rounds * 1e9 * others / static_cast<double>(setting.world)
                           * static_cast<double>(bytes.count()) / setting.busBandwidth
                       + rounds * others * static_cast<double>(setting.latency.count()));
}

/// A pipelined broadcast along a ring: all bytes cross each link, after w-1 hops.
Nanoseconds broadcastTime(const DataParallel& setting, base::Bytes bytes)
{
    return nanoseconds(static_cast<double>(bytes.count()) / setting.busBandwidth * 1e9
                       + static_cast<double>((setting.world - 1) * setting.latency.count()));
}

/// The time of a kernel that reads and writes that many bytes.
Nanoseconds copyTime(const Device& device, base::Bytes bytes)
{
    return nanoseconds(2e9 * static_cast<double>(bytes.count()) / device.bandwidth)
           + device.launchLatency;
}

/// A step under DDP (TIMES in PARALLEL.md).
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
    Nanoseconds copy(std::size_t step, base::Bytes bytes)
    {
        const Nanoseconds time = copyTime(m_problem.device, bytes);
        m_found.copies += time;
        m_found.steps[step] += time;
        return time;
    }

    [[nodiscard]] std::size_t readyStep(const ReducedGradient& gradient) const
    {
        return static_cast<std::size_t>(m_schedule.ownStep(gradient.ready));
    }

    /// DDP flattens the buffers of a dtype, broadcasts them and copies them back one by one;
    /// without DDP each tensor is broadcast separately.
    [[nodiscard]] Nanoseconds syncTime() const
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
            flat[tensors[index] ? std::optional{tensors[index]->dtype} : std::nullopt] +=
                storage.bytes;
        }
        if (m_parallel.setting.manual)
            for (const ReducedGradient& gradient : m_parallel.gradients)
                time += broadcastTime(m_parallel.setting, gradient.bytes);
        else
            for (const auto& [dtype, bytes] : flat)
                time +=
                    copyTime(m_problem.device, bytes) + broadcastTime(m_parallel.setting, bytes);
        return time;
    }

    /// Buckets use the link one after the other, in order, each once it is complete. Then the
    /// device waits for each in turn and, without views, copies it back.
    void reduceBuckets()
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
            const Nanoseconds time = ringTime(m_parallel.setting, reduction.bytes, kAllReduce);
            reduction.begin = std::max(link, reduction.ready);
            link = reduction.end = reduction.begin + time;
            m_found.reduce += time;
            const Nanoseconds wait = std::max(link - now, Nanoseconds{});
            m_found.exposed += wait;
            m_found.steps[last] += wait;
            now += wait;
            if (!m_parallel.setting.views)
                for (const std::size_t member : bucket)
                    now += copy(last, m_parallel.gradients[member].bytes);
            m_found.reductions.push_back(reduction);
        }
    }

    /// After backward, reduces one tensor after the other, then divides each.
    void reduceByHand()
    {
        const std::size_t last = backwardEnd();
        Nanoseconds now = clock()[last];
        const Nanoseconds ready = now;
        for (const ReducedGradient& gradient : m_parallel.gradients) {
            const Nanoseconds time = ringTime(m_parallel.setting, gradient.bytes, kAllReduce);
            m_found.reductions.push_back({gradient.bytes, 1, ready, now, now + time});
            now += time;
            m_found.reduce += time;
        }
        m_found.exposed = m_found.reduce;
        m_found.steps[last] += m_found.exposed;
        for (const ReducedGradient& gradient : m_parallel.gradients)
            copy(last, gradient.bytes);
    }

    /// Each process broadcasts its updated parameters, tensor by tensor.
    void gatherParameters()
    {
        for (const ReducedGradient& gradient : m_parallel.gradients)
            m_found.gather += broadcastTime(m_parallel.setting, gradient.bytes);
        m_found.gatherExposed = m_found.gather;
        m_found.steps.back() += m_found.gather;
    }

    /// The last step of backward, including its recomputations.
    [[nodiscard]] std::size_t backwardEnd() const
    {
        const graph::Program& program = *m_problem.step();
        const std::size_t optimizer = program.countBeforeOptimizer();
        return optimizer < program.ops.size()
                   ? static_cast<std::size_t>(m_schedule.stepOfOp[optimizer]) - 1
                   : m_schedule.steps.size() - 1;
    }

    /// By step: when it and what runs right after it end, before any waits.
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

/// A step under fully_shard() on one link (TIMES OF SHARDS there), which runs collectives in the
/// order in which they are issued.
class Sharing
{
public:
    Sharing(const Problem& problem, const Schedule& schedule, const std::vector<Nanoseconds>& times)
        : m_problem{problem}
        , m_parallel{*problem.parallel}
        , m_schedule{schedule}
        , m_times{times}
        , m_units{m_parallel.units}
        , m_isThere(m_units.size(), false)
        , m_underWay(m_units.size())
    {
        m_found.steps.resize(schedule.steps.size());
    }

    Communication run() &&
    {
        plan();
        for (m_step = 0; m_step < m_schedule.steps.size(); ++m_step) {
            const auto step = static_cast<std::int32_t>(m_step);
            for (auto [at, end] = m_wanted.equal_range(step); at != end; ++at)
                follow(at->second);
            m_now += m_times[m_schedule.steps[m_step].op.index()];
            for (auto [at, end] = m_over.equal_range(step); at != end; ++at)
                m_isThere[at->second] = false;
            for (auto [at, end] = m_reduced.equal_range(step); at != end; ++at)
                reduce(at->second);
            if (step == m_last)
                spend(waitForLink(m_reducing, m_found.exposed), step);
        }
        return std::move(m_found);
    }

private:
    /// The unit needed before a step, and the one issued after that.
    struct Need
    {
        std::size_t unit = 0;
        std::optional<std::size_t> next;
    };

    void plan()
    {
        planForward();
        if (m_parallel.setting.zero >= 3)
            planBackward();
        for (const std::size_t unit : reductionOrder(m_units))
            m_reduced.emplace(m_schedule.ownStep(m_units[unit].reduce), unit);
        m_last = m_schedule.ownStep(
            static_cast<graph::OpIndex>(m_problem.step()->countBeforeOptimizer()) - 1);
    }

    void planForward()
    {
        const std::vector<ForwardGather> gathers = forwardGathers(m_units, m_parallel.setting);
        for (std::size_t place = 0; place < gathers.size(); ++place) {
            const ForwardGather& gather = gathers[place];
            std::optional<std::size_t> next;
            if (place + 1 < gathers.size())
                next = gathers[place + 1].unit;
            m_wanted.emplace(m_schedule.ownStep(gather.first), Need{gather.unit, next});
            if (gather.last != graph::kNever)
                m_over.emplace(m_schedule.ownStep(gather.last), gather.unit);
        }
    }

    void planBackward()
    {
        const std::vector<UnitSteps> steps = unitSteps(m_problem, m_schedule);
        const std::vector<std::size_t> order = backwardOrder(m_units);
        for (std::size_t place = 0; place < order.size(); ++place) {
            std::optional<std::size_t> next;
            if (place + 1 < order.size())
                next = order[place + 1];
            m_wanted.emplace(steps[order[place]].backward, Need{order[place], next});
        }
        for (const std::size_t unit : order)
            for (const std::int32_t step : {steps[unit].repeated, steps[unit].late})
                if (step != UnitSteps::kNoStep)
                    m_wanted.emplace(step, Need{unit, std::nullopt});
    }

    /// The device waits for a unit and copies it out; then the next one is issued.
    void follow(const Need& need)
    {
        const std::int32_t behind = static_cast<std::int32_t>(m_step) - 1;
        issue(need.unit);
        if (const std::optional<std::size_t> row =
                std::exchange(m_underWay[need.unit], std::nullopt)) {
            Gathering& gathering = m_found.gatherings[*row];
            gathering.wanted = m_now;
            spend(waitForLink(gathering.end, m_found.gatherExposed), behind);
            copy(gathering.bytes, behind);
            m_isThere[need.unit] = true;
        }
        if (need.next)
            issue(*need.next);
    }

    void issue(std::size_t unit)
    {
        if (m_isThere[unit] || m_underWay[unit])
            return;
        Gathering row;
        row.unit = unit;
        row.bytes = m_units[unit].gathered;
        row.issued = m_now;
        row.begin = std::max(m_link, m_now);
        const Nanoseconds time = ringTime(m_parallel.setting, row.bytes, kHalfRing);
        m_link = row.end = row.begin + time;
        m_found.gather += time;
        m_underWay[unit] = m_found.gatherings.size();
        m_found.gatherings.push_back(row);
    }

    /// Waits for the previous unit's reduction, which frees its input; then fills the next one's.
    void reduce(std::size_t unit)
    {
        const auto behind = static_cast<std::int32_t>(m_step);
        m_isThere[unit] = false;
        spend(waitForLink(m_reducing, m_found.exposed), behind);
        if (m_units[unit].gradients.empty())
            return;
        copy(m_units[unit].reduced, behind);
        Reduction row;
        row.bytes = m_units[unit].reduced;
        row.gradients = m_units[unit].gradients.size();
        row.ready = m_now;
        row.begin = std::max(m_link, m_now);
        const Nanoseconds time = ringTime(m_parallel.setting, row.bytes, kHalfRing);
        m_reducing = m_link = row.end = row.begin + time;
        m_found.reduce += time;
        m_found.reductions.push_back(row);
    }

    /// Waits for the link and adds the time waited to what is exposed.
    [[nodiscard]] Nanoseconds waitForLink(Nanoseconds end, Nanoseconds& exposed) const
    {
        const Nanoseconds wait = std::max(end - m_now, Nanoseconds{});
        exposed += wait;
        return wait;
    }

    void spend(Nanoseconds time, std::int32_t behind)
    {
        m_now += time;
        m_found.steps[static_cast<std::size_t>(std::max(behind, 0))] += time;
    }

    void copy(base::Bytes bytes, std::int32_t behind)
    {
        const Nanoseconds time = copyTime(m_problem.device, bytes);
        m_found.copies += time;
        spend(time, behind);
    }

    const Problem& m_problem;
    const Parallel& m_parallel;
    const Schedule& m_schedule;
    const std::vector<Nanoseconds>& m_times;
    const std::vector<ShardUnit>& m_units;
    std::multimap<std::int32_t, Need> m_wanted;         ///< before a step, in order
    std::multimap<std::int32_t, std::size_t> m_over;    ///< after a step: units to free
    std::multimap<std::int32_t, std::size_t> m_reduced; ///< after a step: units to reduce
    std::int32_t m_last = 0;                            ///< of backward
    std::size_t m_step = 0;
    Nanoseconds m_now;
    Nanoseconds m_link;                                 ///< when it is free
    Nanoseconds m_reducing;                             ///< when the last reduction is over
    std::vector<bool> m_isThere;                        ///< by unit
    std::vector<std::optional<std::size_t>> m_underWay; ///< by unit: row of `gatherings`
    Communication m_found;
};

} // namespace

Communication communicate(const Problem& problem, const Schedule& schedule,
                          const std::vector<Nanoseconds>& times)
{
    if (problem.parallel->setting.isSharded())
        return Sharing{problem, schedule, times}.run();
    return Communicating{problem, schedule, times}.run();
}

} // namespace plimsoll::plan
