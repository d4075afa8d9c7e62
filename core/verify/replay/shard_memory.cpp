// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/shard_memory.h"

#include <algorithm>

namespace plimsoll::plan::verifying {

using graph::OpIndex;

ShardMemory::ShardMemory(const Problem& problem) : m_rounding{problem.rounding}
{
    if (!problem.parallel || problem.parallel->setting.zero < 2)
        return;
    const graph::Program& program = *problem.program;
    m_letsGo = problem.parallel->setting.zero == 3;
    m_groups = groupsOf(program, problem.parallel->setting.world);
    m_states.assign(m_groups.size(), State::Away);
    for (std::size_t i = 0; i < m_groups.size(); ++i)
        if (m_groups[i].begin >= 0)
            m_begins.push_back(i);
    std::ranges::stable_sort(m_begins, {}, [this](std::size_t i) { return m_groups[i].begin; });
    m_ends = m_begins;
    std::ranges::stable_sort(m_ends, {}, [this](std::size_t i) { return m_groups[i].end; });
    m_forwardCount = static_cast<OpIndex>(program.forwardCount());
    m_backwardEnd = static_cast<OpIndex>(program.countBeforeOptimizer()) - 1;
    for (const graph::Call& call : program.calls)
        if (!call.parent && call.last >= call.first && call.last < m_forwardCount)
            m_forwardEnd = std::max(m_forwardEnd, call.last);
    if (m_forwardEnd < 0)
        m_forwardEnd = m_forwardCount - 1;
}

base::Bytes ShardMemory::during(OpIndex op, bool isRepetition)
{
    if (m_groups.empty())
        return {};
    if (m_again != kNone && (!isRepetition || !isIn(m_again, op)))
        m_again = kNone;
    if (isRepetition) {
        repeat(op);
        return held();
    }
    if (op < m_forwardCount)
        beforeForward(op);
    const base::Bytes bytes = held();
    behind(op);
    return bytes;
}

bool ShardMemory::isIn(std::size_t group, OpIndex op) const
{
    return std::ranges::any_of(m_groups[group].calls, [op](const auto& call) {
        return call.first <= op && op <= call.second;
    });
}

/// Parameters gathered for a recomputation stay until its backward, or all of backward, is over.
void ShardMemory::repeat(OpIndex op)
{
    for (std::size_t i = 0; m_letsGo && i < m_groups.size(); ++i)
        if (!m_groups[i].isRest && m_groups[i].begin >= 0 && m_states[i] != State::Here
            && isIn(i, op)) {
            m_states[i] = State::Here;
            m_again = i;
        }
}

/// The result of a gathering is freed when the next one is copied out.
void ShardMemory::beforeForward(OpIndex op)
{
    for (std::size_t i = 0; i < m_groups.size(); ++i)
        for (const auto& [first, last] : m_groups[i].calls)
            if (first == op && m_states[i] != State::Here) {
                m_states[i] = State::Here;
                m_result = i;
            }
}

void ShardMemory::behindForward(OpIndex op)
{
    if (m_letsGo)
        for (std::size_t i = 0; i < m_groups.size(); ++i)
            for (const auto& [first, last] : m_groups[i].calls)
                if (last == op && !m_groups[i].isRest)
                    m_states[i] = State::Away;
    if (op == m_forwardEnd)
        m_result = kNone;
}

void ShardMemory::beginBackward(std::size_t place)
{
    if (!m_letsGo)
        return;
    m_states[m_begins[place]] = State::Here;
    if (place + 1 < m_begins.size() && m_states[m_begins[place + 1]] == State::Away)
        m_states[m_begins[place + 1]] = State::Ahead;
}

void ShardMemory::behind(OpIndex op)
{
    if (op < m_forwardCount)
        behindForward(op);
    for (const std::size_t group : m_ends)
        if (m_groups[group].end == op) {
            m_states[group] = State::Away;
            m_reducing = m_groups[group].hooks.empty() ? kNone : group;
        }
    for (std::size_t place = 0; place < m_begins.size(); ++place)
        if (m_groups[m_begins[place]].begin == op + 1)
            beginBackward(place);
    if (op == m_backwardEnd) {
        std::ranges::fill(m_states, State::Away);
        m_reducing = kNone;
    }
}

base::Bytes ShardMemory::held() const
{
    base::Bytes bytes;
    const auto add = [&](std::int64_t count) {
        bytes += graph::rounded(base::Bytes{count}, m_rounding);
    };
    for (std::size_t i = 0; i < m_groups.size(); ++i)
        if (m_states[i] != State::Away)
            add(m_groups[i].gathered);
    if (m_result != kNone)
        add(m_groups[m_result].gathered);
    if (m_again != kNone)
        add(m_groups[m_again].gathered);
    if (m_reducing != kNone)
        add(m_groups[m_reducing].reduced);
    return bytes;
}

} // namespace plimsoll::plan::verifying
