// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/remat_profile.h"

#include <algorithm>
#include <utility>

namespace plimsoll::solve {

RematProfile::RematProfile(const RematProblem& problem)
    : m_problem{problem}
    , m_end{static_cast<std::uint32_t>(problem.ops.size())}
    , m_touches(problem.values.size())
    , m_rows(problem.ops.size() + 1)
    , m_local(problem.ops.size() + 1, 0)
    , m_memory{problem.ops.size() + 1}
    , m_seen(problem.values.size(), 0)
{
    collectUses();
    for (std::uint32_t at = 0; at <= m_end; ++at) {
        const std::span<const std::uint32_t> used = usedBy(at);
        for (std::size_t index = 0; index < used.size(); ++index) {
            std::vector<RematTouch>& touches = m_touches[used[index]];
            const RematTouch touch{{at, at}, index < m_madeCount[at]};
            if (!touches.empty())
                hold(used[index], touches.back(), touch, 1);
            touches.push_back(touch);
        }
        if (at < m_end) {
            m_time += problem.ops[at].time;
            if (!problem.floor.empty())
                m_memory.add(at, at + 1, problem.floor[at]);
        }
        renewLocal(at);
    }
    m_plainTime = m_time;
}

void RematProfile::collectUses()
{
    m_usedFrom.reserve(m_rows.size() + 1);
    m_madeCount.reserve(m_rows.size());
    std::vector<std::uint32_t> lastUser(m_problem.values.size(), m_end + 1);
    const auto addOnce = [&](std::uint32_t op, std::uint32_t value) {
        if (lastUser[value] != op)
            m_used.push_back(value);
        lastUser[value] = op;
    };
    for (std::uint32_t op = 0; op < m_end; ++op) {
        m_usedFrom.push_back(m_used.size());
        for (const std::uint32_t value : m_problem.ops[op].makes)
            addOnce(op, value);
        m_madeCount.push_back(static_cast<std::uint32_t>(m_used.size() - m_usedFrom.back()));
        for (const auto* values : {&m_problem.ops[op].reads, &m_problem.ops[op].overwrites})
            for (const std::uint32_t value : *values)
                addOnce(op, value);
    }
    m_usedFrom.push_back(m_used.size());
    m_madeCount.push_back(0);
    for (std::uint32_t value = 0; value < m_problem.values.size(); ++value)
        if (m_problem.values[value].isKept)
            m_used.push_back(value);
    m_usedFrom.push_back(m_used.size());
}

bool RematProfile::isInRow(std::uint32_t op, std::uint32_t at) const
{
    return std::ranges::binary_search(m_rows[at], op);
}

std::size_t RematProfile::touchFrom(std::uint32_t value, RematPosition moment) const
{
    const std::vector<RematTouch>& touches = m_touches[value];
    constexpr std::size_t kFew = 16;
    if (touches.size() > kFew)
        return static_cast<std::size_t>(
            std::ranges::lower_bound(touches, moment, {}, &RematTouch::moment) - touches.begin());
    std::size_t before = 0;
    for (const RematTouch& touch : touches)
        before += static_cast<std::size_t>(touch.moment.isBefore(moment));
    return before;
}

bool RematProfile::isHeld(std::uint32_t value, RematPosition moment) const
{
    const std::size_t next = touchFrom(value, moment);
    return next < m_touches[value].size() && !m_touches[value][next].isMake;
}

/// Adds or subtracts the memory of a value strictly between two consecutive uses.
void RematProfile::hold(std::uint32_t value, const RematTouch& from, const RematTouch& to, int sign)
{
    if (!to.isMake)
        m_memory.add(from.moment.at + 1, to.moment.at, sign * m_problem.values[value].size);
}

void RematProfile::addTouch(std::uint32_t value, RematTouch touch)
{
    std::vector<RematTouch>& touches = m_touches[value];
    const std::size_t place = touchFrom(value, touch.moment);
    const RematTouch before = touches[place - 1]; // its maker precedes it
    const bool isLast = place == touches.size();
    if (!isLast) {
        hold(value, before, touches[place], -1);
        hold(value, touch, touches[place], 1);
    }
    hold(value, before, touch, 1);
    touches.insert(touches.begin() + static_cast<std::ptrdiff_t>(place), touch);
    markStale(before.moment.at);
}

void RematProfile::removeTouch(std::uint32_t value, RematPosition moment)
{
    std::vector<RematTouch>& touches = m_touches[value];
    const std::size_t place = touchFrom(value, moment);
    const RematTouch touch = touches[place];
    const RematTouch before = touches[place - 1];
    hold(value, before, touch, -1);
    if (place + 1 < touches.size()) {
        hold(value, touch, touches[place + 1], -1);
        hold(value, before, touches[place + 1], 1);
    }
    touches.erase(touches.begin() + static_cast<std::ptrdiff_t>(place));
    markStale(before.moment.at);
}

/// How long a value stays in a row after its use there depends on later uses.
void RematProfile::markStale(std::uint32_t at)
{
    if (!m_rows[at].empty() && std::ranges::find(m_stale, at) == m_stale.end())
        m_stale.push_back(at);
}

void RematProfile::renewStale(std::uint32_t at)
{
    renewLocal(at);
    for (const std::uint32_t stale : m_stale)
        if (stale != at)
            renewLocal(stale);
    m_stale.clear();
}

void RematProfile::insert(std::uint32_t op, std::uint32_t at)
{
    std::vector<std::uint32_t>& row = m_rows[at];
    row.insert(std::ranges::lower_bound(row, op), op);
    const std::span<const std::uint32_t> used = usedBy(op);
    for (std::size_t index = 0; index < used.size(); ++index)
        addTouch(used[index], {{at, op}, index < m_madeCount[op]});
    renewStale(at);
    m_time += m_problem.ops[op].time;
    ++m_repetitions;
}

void RematProfile::erase(std::uint32_t op, std::uint32_t at)
{
    std::vector<std::uint32_t>& row = m_rows[at];
    row.erase(std::ranges::lower_bound(row, op));
    for (const std::uint32_t value : usedBy(op))
        removeTouch(value, {at, op});
    renewStale(at);
    m_time -= m_problem.ops[op].time;
    --m_repetitions;
}

/// The index of an op's step within a position: the steps of its row come first, then its own.
std::size_t RematProfile::stepIn(std::uint32_t at, std::uint32_t op) const
{
    const std::vector<std::uint32_t>& row = m_rows[at];
    return static_cast<std::size_t>(std::ranges::lower_bound(row, op) - row.begin());
}

void RematProfile::renewLocal(std::uint32_t at)
{
    const std::int64_t local = localOf(at);
    m_memory.add(at, at + 1, local - m_local[at]);
    m_local[at] = local;
}

/// The most bytes of values used at the position that are in memory at one of its steps.
std::int64_t RematProfile::localOf(std::uint32_t at)
{
    std::int64_t most = 0;
    if (m_rows[at].empty()) {
        for (const std::uint32_t value : usedBy(at))
            most += m_problem.values[value].size;
        return most;
    }
    m_cover.assign(m_rows[at].size() + 2, 0);
    ++m_round;
    const auto addAll = [&](std::span<const std::uint32_t> values) {
        for (const std::uint32_t value : values)
            if (std::exchange(m_seen[value], m_round) != m_round)
                addCover(value, at);
    };
    addAll(usedBy(at));
    for (const std::uint32_t op : m_rows[at])
        addAll(usedBy(op));
    std::int64_t live = 0;
    for (const std::int64_t change : m_cover) {
        live += change;
        most = std::max(most, live);
    }
    return most;
}

/// Adds a value to the steps of a position during which it is used and in memory.
void RematProfile::addCover(std::uint32_t value, std::uint32_t at)
{
    const std::vector<RematTouch>& touches = m_touches[value];
    const std::int64_t size = m_problem.values[value].size;
    std::size_t place = touchFrom(value, {at, 0});
    std::size_t since = touches[place].isMake ? stepIn(at, touches[place].moment.op) : 0;
    for (; place < touches.size() && touches[place].moment.at == at; ++place) {
        const bool isFollowed = place + 1 < touches.size() && !touches[place + 1].isMake;
        const bool isLeaving = place + 1 >= touches.size() || touches[place + 1].moment.at != at;
        if (isFollowed && !isLeaving)
            continue; // held until the next step that uses it
        const std::size_t until =
            isFollowed ? m_rows[at].size() : stepIn(at, touches[place].moment.op);
        m_cover[since] += size;
        m_cover[until + 1] -= size;
        if (!isLeaving)
            since = stepIn(at, touches[place + 1].moment.op);
    }
}

RematPlan RematProfile::plan() const
{
    RematPlan plan;
    for (std::uint32_t at = 0; at < m_rows.size(); ++at)
        if (!m_rows[at].empty())
            plan.recomputeSteps.push_back({at, m_rows[at]});
    return plan;
}

} // namespace plimsoll::solve
