// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/remat_exact.h"

#include <queue>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plimsoll::solve {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
/// Beyond, nearly every search outgrows its states.
constexpr std::size_t kMostOps = 12;
constexpr std::size_t kMostStates = 20'000;

/// Versions of values in memory, one bit each, and above them the op that is next in the given
/// order.
using State = std::uint64_t;
constexpr unsigned kNextShift = 58;

struct Version
{
    std::uint32_t writer = 0; ///< op that makes it, or overwrites the version before
    std::int64_t size = 0;
    State all = 0; ///< bits of all versions of the value
};

/// What an op needs and leaves, in bits.
struct Step
{
    State found = 0;
    State replaced = 0; ///< versions of what it writes: none of them stays
    State left = 0;
};

struct Reached
{
    double time = 0; ///< of repetitions
    State from = 0;
    std::uint32_t op = kNone; ///< that ran; kNone: something was dropped
};

class Exact
{
public:
    Exact(const RematProblem& problem, std::int64_t budget) : m_problem{problem}, m_budget{budget}
    {
        for (const RematOp& op : problem.ops)
            m_bits += op.makes.size() + op.overwrites.size();
        if (isSmall())
            addSteps();
    }

    [[nodiscard]] bool isSmall() const
    {
        return m_problem.ops.size() <= kMostOps && m_bits <= kNextShift;
    }
    RematExact run(const base::JobContext& job);

private:
    void addSteps();
    void expand(State state, double time);
    void execute(State state, std::uint32_t op, double time);
    void reach(State state, const Reached& reached);
    [[nodiscard]] std::int64_t bytesOf(State state) const;
    [[nodiscard]] double least(State state) const;
    [[nodiscard]] RematPlan planTo(State state) const;

    using Entry = std::pair<double, State>;

    const RematProblem& m_problem;
    std::int64_t m_budget;
    std::size_t m_bits = 0;
    std::vector<Version> m_versions; ///< by bit
    std::vector<Step> m_steps;       ///< by op
    State m_kept = 0;                ///< versions that are there at the end
    std::unordered_map<State, Reached> m_reached;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> m_queue;
};

void Exact::addSteps()
{
    std::vector<State> newest(m_problem.values.size(), 0);
    std::vector<State> all(m_problem.values.size(), 0);
    for (std::uint32_t index = 0; index < m_problem.ops.size(); ++index) {
        const RematOp& op = m_problem.ops[index];
        Step& step = m_steps.emplace_back();
        for (const auto* values : {&op.reads, &op.overwrites})
            for (const std::uint32_t value : *values)
                step.found |= newest[value];
        for (const auto* values : {&op.overwrites, &op.makes})
            for (const std::uint32_t value : *values) {
                newest[value] = State{1} << m_versions.size();
                all[value] |= newest[value];
                m_versions.push_back({index, m_problem.values[value].size, value});
            }
    }
    for (std::size_t bit = 0; bit < m_versions.size(); ++bit) {
        Version& version = m_versions[bit];
        version.all = all[version.all]; // held the value's index until now
        m_steps[version.writer].left |= State{1} << bit;
        m_steps[version.writer].replaced |= version.all;
    }
    for (std::uint32_t value = 0; value < newest.size(); ++value)
        if (m_problem.values[value].isKept)
            m_kept |= newest[value];
}

std::int64_t Exact::bytesOf(State state) const
{
    std::int64_t bytes = 0;
    for (State left = state; left != 0; left &= left - 1)
        bytes += m_versions[static_cast<std::size_t>(std::countr_zero(left))].size;
    return bytes;
}

/// Time of the ops that must run again from here on: writers of what the ops to come and the end
/// find, but memory doesn't hold, and so on with what those find.
double Exact::least(State state) const
{
    const auto next = static_cast<std::uint32_t>(state >> kNextShift);
    State wanted = 0;
    State made = 0;
    for (std::uint32_t op = next; op < m_steps.size(); ++op) {
        wanted |= m_steps[op].found & ~made;
        made |= m_steps[op].left;
    }
    wanted |= m_kept & ~made;
    double time = 0;
    State missing = wanted & ~state;
    std::uint64_t again = 0; // ops
    while (missing != 0) {
        const std::uint32_t writer =
            m_versions[static_cast<std::size_t>(std::countr_zero(missing))].writer;
        missing &= missing - 1;
        if ((again >> writer & 1U) != 0)
            continue;
        if (!m_problem.ops[writer].mayRepeat)
            return std::numeric_limits<double>::infinity();
        again |= std::uint64_t{1} << writer;
        time += m_problem.ops[writer].time;
        missing |= m_steps[writer].found & ~state;
    }
    return time;
}

void Exact::reach(State state, const Reached& reached)
{
    const auto [known, isNew] = m_reached.try_emplace(state, reached);
    if (!isNew && known->second.time <= reached.time)
        return;
    known->second = reached;
    const double rest = least(state);
    if (rest < std::numeric_limits<double>::infinity())
        m_queue.emplace(reached.time + rest, state);
}

void Exact::execute(State state, std::uint32_t op, double time)
{
    const auto next = static_cast<std::uint32_t>(state >> kNextShift);
    const Step& step = m_steps[op];
    const bool isOwn = op == next;
    if ((!isOwn && !m_problem.ops[op].mayRepeat) || (state & step.found) != step.found)
        return;
    constexpr State kMemory = (State{1} << kNextShift) - 1;
    const State memory = (state & kMemory & ~step.replaced) | step.left;
    const std::int64_t floor = m_problem.floor.empty() ? 0 : m_problem.floor[next];
    if (bytesOf(memory) + floor > m_budget)
        return;
    const State after = memory | State{isOwn ? next + 1 : next} << kNextShift;
    reach(after, {isOwn ? time : time + m_problem.ops[op].time, state, op});
}

void Exact::expand(State state, double time)
{
    const auto next = static_cast<std::uint32_t>(state >> kNextShift);
    for (std::size_t bit = 0; bit < m_versions.size(); ++bit)
        if ((state >> bit & 1U) != 0)
            reach(state & ~(State{1} << bit), {time, state, kNone});
    for (std::uint32_t op = 0; op <= next; ++op)
        execute(state, op, time);
}

RematPlan Exact::planTo(State state) const
{
    RematPlan plan;
    while (state != 0) {
        const Reached& reached = m_reached.at(state);
        const auto next = static_cast<std::uint32_t>(reached.from >> kNextShift);
        if (reached.op != kNone && reached.op != next) {
            if (plan.again.empty() || plan.again.back().before != next)
                plan.again.push_back({next, {}});
            plan.again.back().ops.push_back(reached.op);
        }
        state = reached.from;
    }
    std::reverse(plan.again.begin(), plan.again.end());
    for (RematAgain& row : plan.again)
        std::reverse(row.ops.begin(), row.ops.end());
    return plan;
}

RematExact Exact::run(const base::JobContext& job)
{
    if (!isSmall())
        return {};
    reach(0, {});
    while (!m_queue.empty()) {
        if (m_reached.size() > kMostStates || job.stopRequested())
            return {};
        const auto [bound, state] = m_queue.top();
        m_queue.pop();
        const double time = m_reached.at(state).time;
        if (time + least(state) < bound)
            continue; // reached faster since
        if (state >> kNextShift == m_steps.size()) {
            if ((state & m_kept) == m_kept)
                return {true, planTo(state)};
            continue;
        }
        expand(state, time);
    }
    return {true, std::nullopt};
}

} // namespace

RematExact solveExactly(const RematProblem& problem, std::int64_t budget,
                        const base::JobContext& job)
{
    return Exact{problem, budget}.run(job);
}

} // namespace plimsoll::solve
