// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/communication.h"
#include "core/parallel/link_times.h"
#include "core/parallel/shard_lifetimes.h"
#include "core/parallel/shard_units.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace plimsoll::plan {

namespace {

using base::Nanoseconds;

/// One step on one link: collectives take it in the order in which they are issued.
class Sharing
{
public:
    Sharing(const Problem& problem, const Schedule& schedule, const std::vector<Nanoseconds>& times)
        : m_problem{problem}
        , m_parallel{*problem.parallel}
        , m_schedule{schedule}
        , m_times{times}
        , m_units{m_parallel.units}
        , m_forward{forwardGathers(m_units, m_parallel.setting)}
        , m_backward{backwardOrder(m_units)}
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
    /// What is to be there before a step, and what is issued once it is.
    struct Need
    {
        std::size_t unit = 0;
        std::optional<std::size_t> next;
    };

    void plan();
    void planForward();
    void planBackward();
    void follow(const Need& need);
    void issue(std::size_t unit);
    void reduce(std::size_t unit);

    /// The device waits until the link is done with something; adds how long to what is exposed.
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
    std::vector<ForwardGather> m_forward;
    std::vector<std::size_t> m_backward;                ///< units
    std::multimap<std::int32_t, Need> m_wanted;         ///< before a step, in order
    std::multimap<std::int32_t, std::size_t> m_over;    ///< behind a step: units let go
    std::multimap<std::int32_t, std::size_t> m_reduced; ///< behind a step: units whose backward is
                                                        ///< over
    std::int32_t m_last = 0;                            ///< of backward
    std::size_t m_step = 0;
    Nanoseconds m_now;
    Nanoseconds m_link;                                 ///< when it is free
    Nanoseconds m_reducing;                             ///< when the last reduction is over
    std::vector<bool> m_isThere;                        ///< by unit
    std::vector<std::optional<std::size_t>> m_underWay; ///< by unit: row of `gatherings`
    Communication m_found;
};

void Sharing::plan()
{
    planForward();
    if (m_parallel.setting.zero >= 3)
        planBackward();
    for (const std::size_t unit : reductionOrder(m_units))
        m_reduced.emplace(m_schedule.ownStep(m_units[unit].reduce), unit);
    m_last = m_schedule.ownStep(
        static_cast<graph::OpIndex>(m_problem.step()->countBeforeOptimizer()) - 1);
}

void Sharing::planForward()
{
    for (std::size_t place = 0; place < m_forward.size(); ++place) {
        const ForwardGather& gather = m_forward[place];
        std::optional<std::size_t> next;
        if (place + 1 < m_forward.size())
            next = m_forward[place + 1].unit;
        m_wanted.emplace(m_schedule.ownStep(gather.first), Need{gather.unit, next});
        if (gather.last != graph::kNever)
            m_over.emplace(m_schedule.ownStep(gather.last), gather.unit);
    }
}

void Sharing::planBackward()
{
    const std::vector<UnitSteps> steps = unitSteps(m_problem, m_schedule);
    for (std::size_t place = 0; place < m_backward.size(); ++place) {
        const std::size_t unit = m_backward[place];
        std::optional<std::size_t> next;
        if (place + 1 < m_backward.size())
            next = m_backward[place + 1];
        m_wanted.emplace(steps[unit].backward, Need{unit, next});
    }
    for (const std::size_t unit : m_backward)
        for (const std::int32_t step : {steps[unit].repeated, steps[unit].late})
            if (step != UnitSteps::kNoStep)
                m_wanted.emplace(step, Need{unit, std::nullopt});
}

void Sharing::issue(std::size_t unit)
{
    if (m_isThere[unit] || m_underWay[unit])
        return;
    Gathering row;
    row.unit = unit;
    row.bytes = m_units[unit].gathered;
    row.issued = m_now;
    row.begin = std::max(m_link, m_now);
    const Nanoseconds time = halfRingTime(m_parallel.setting, row.bytes);
    m_link = row.end = row.begin + time;
    m_found.gather += time;
    m_underWay[unit] = m_found.gatherings.size();
    m_found.gatherings.push_back(row);
}

/// The device waits for a unit and copies it out; then the next one is on its way.
void Sharing::follow(const Need& need)
{
    const std::int32_t behind = static_cast<std::int32_t>(m_step) - 1;
    issue(need.unit);
    if (const std::optional<std::size_t> row = std::exchange(m_underWay[need.unit], std::nullopt)) {
        Gathering& gathering = m_found.gatherings[*row];
        gathering.wanted = m_now;
        spend(waitForLink(gathering.end, m_found.gatherExposed), behind);
        copy(gathering.bytes, behind);
        m_isThere[need.unit] = true;
    }
    if (need.next)
        issue(*need.next);
}

/// The unit before has to be done, as its input goes then; the next one's is filled.
void Sharing::reduce(std::size_t unit)
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
    const Nanoseconds time = halfRingTime(m_parallel.setting, row.bytes);
    m_reducing = m_link = row.end = row.begin + time;
    m_found.reduce += time;
    m_found.reductions.push_back(row);
}

} // namespace

Communication communicateShards(const Problem& problem, const Schedule& schedule,
                                const std::vector<Nanoseconds>& times)
{
    return Sharing{problem, schedule, times}.run();
}

} // namespace plimsoll::plan
