// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/remat_exact.h"

#include "core/solve/bounds/remat_pricing.h"

#include <queue>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plimsoll::solve {

namespace {

/// Versions of values in memory, one bit each; the bits above hold the next op of the given order.
using State = std::uint64_t;
constexpr unsigned kNextShift = 58;
constexpr State kMemory = (State{1} << kNextShift) - 1;
constexpr std::int64_t kNoSize = std::numeric_limits<std::int64_t>::max() / 2;

struct Version
{
    std::uint32_t writer = 0; ///< op that makes it, or overwrites the version before
    std::int64_t size = 0;
    State all = 0; ///< bits of all versions of the value
};

/// What an op needs and what it leaves in memory, in bits.
struct Step
{
    State found = 0;
    State replaced = 0; ///< versions of what it writes: none of them stays
    State left = 0;
};

/// A value that the given order doesn't use during an op, but uses later.
struct Idle
{
    State bit = 0;
    double cost = 0; ///< of keeping it at the prices, or of dropping it
};

struct Reached
{
    double time = 0; ///< of repetitions
    State from = 0;
    std::uint32_t op = 0; ///< that ran
};

class Exact
{
public:
    Exact(const RematProblem& problem, std::int64_t budget, const RematExactLimits& limits)
        : m_problem{problem}, m_budget{budget}, m_limits{limits}
    {
        for (const RematOp& op : problem.ops)
            m_bits += op.makes.size() + op.overwrites.size();
        if (!isSmall())
            return;
        addSteps();
        if (m_bits == problem.values.size() && !limits.prices.empty())
            addPrices();
    }

    [[nodiscard]] bool isSmall() const
    {
        return m_bits <= kNextShift && m_problem.ops.size() < std::size_t{1} << (64 - kNextShift);
    }

    RematExact run(const base::JobContext& job)
    {
        if (!isSmall())
            return {};
        reach(0, {});
        while (!m_queue.empty()) {
            const auto [bound, state] = m_queue.top();
            if (m_reached.size() > m_limits.states || job.stopRequested())
                return {false, std::nullopt, bound};
            m_queue.pop();
            const double time = m_reached.at(state).time;
            if (time + least(state) < bound)
                continue; // reached faster in the meantime
            if (state >> kNextShift == m_steps.size()) {
                if ((state & m_kept) == m_kept)
                    return {true, planTo(state), time};
                continue;
            }
            expand(state, time);
        }
        return {true, std::nullopt, m_limits.below};
    }

private:
    void addSteps()
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
            version.all = all[version.all]; // held the value's index so far
            m_steps[version.writer].left |= State{1} << bit;
            m_steps[version.writer].replaced |= version.all;
        }
        for (std::uint32_t value = 0; value < newest.size(); ++value)
            if (m_problem.values[value].isKept)
                m_kept |= newest[value];
    }

    /// The gap relaxation (RematPricing) without tails, starting from each op.
    void addPrices()
    {
        const RematGaps parts = gapsOf(m_problem);
        const std::size_t count = m_problem.ops.size();
        std::vector<State> bitOf(m_problem.values.size(), 0);
        std::size_t bit = 0;
        for (const RematOp& op : m_problem.ops)
            for (const std::uint32_t value : op.makes)
                bitOf[value] = State{1} << bit++;
        std::vector<double> from(count + 1, 0); // prices of all ops from here on
        m_later.assign(count + 1, 0);
        for (std::size_t op = count; op-- > 0;) {
            from[op] = from[op + 1] + m_limits.prices[op];
            m_later[op] = m_later[op + 1]
                          + m_limits.prices[op] * static_cast<double>(parts.fixed[op] - m_budget);
        }
        m_idle.resize(count + 1);
        for (const RematGap& gap : parts.gaps) {
            const auto costFrom = [&](std::uint32_t op) {
                return std::min(gap.cost,
                                static_cast<double>(gap.size) * (from[op] - from[gap.last + 1]));
            };
            for (std::uint32_t op = 0; op < gap.first; ++op)
                m_later[op] += costFrom(gap.first);
            for (std::uint32_t op = gap.first; op <= gap.last; ++op)
                m_idle[op].push_back({bitOf[gap.value], costFrom(op)});
        }
    }

    void expand(State state, double time)
    {
        const auto next = static_cast<std::uint32_t>(state >> kNextShift);
        for (std::uint32_t op = 0; op <= next; ++op)
            if (op == next || (m_steps[op].left & ~state) != 0)
                execute(state, op, time);
    }

    /// Runs an op. Values stay in memory until their room is needed, since a plan with more in
    /// memory is never worse. Then it tries every set of values that frees enough room and from
    /// which none can be left out.
    void execute(State state, std::uint32_t op, double time)
    {
        const auto next = static_cast<std::uint32_t>(state >> kNextShift);
        const Step& step = m_steps[op];
        const bool isOwn = op == next;
        if ((!isOwn && !m_problem.ops[op].mayRepeat) || (state & step.found) != step.found)
            return;
        const State memory = (state & kMemory & ~step.replaced) | step.left;
        const std::int64_t floor = m_problem.floor.empty() ? 0 : m_problem.floor[next];
        const State after = State{isOwn ? next + 1 : next} << kNextShift;
        const Reached reached{isOwn ? time : time + m_problem.ops[op].time, state, op};
        m_droppable.clear();
        for (State left = memory & ~step.left & ~step.found; left != 0; left &= left - 1)
            m_droppable.push_back(static_cast<std::uint32_t>(std::countr_zero(left)));
        drop(memory | after, bytesOf(memory) + floor - m_budget, 0, kNoSize, reached);
    }

    /// Drops `excess` bytes of the values from an index on; `smallest` is the smallest dropped yet.
    void drop(State state, std::int64_t excess, std::size_t index, std::int64_t smallest,
              const Reached& reached)
    {
        if (excess <= 0) {
            if (excess + smallest > 0)
                reach(state, reached);
            return;
        }
        for (; index < m_droppable.size(); ++index) {
            const std::uint32_t bit = m_droppable[index];
            const std::int64_t size = m_versions[bit].size;
            drop(state & ~(State{1} << bit), excess - size, index + 1, std::min(smallest, size),
                 reached);
        }
    }

    void reach(State state, const Reached& reached)
    {
        const auto [known, isNew] = m_reached.try_emplace(state, reached);
        if (!isNew && known->second.time <= reached.time)
            return;
        known->second = reached;
        const double all = reached.time + least(state);
        if (all < m_limits.below)
            m_queue.emplace(all, state);
    }

    [[nodiscard]] std::int64_t bytesOf(State state) const
    {
        std::int64_t bytes = 0;
        for (State left = state; left != 0; left &= left - 1)
            bytes += m_versions[static_cast<std::size_t>(std::countr_zero(left))].size;
        return bytes;
    }

    /// A lower bound for the time still to recompute: the writers of versions that later ops and
    /// the end need but memory doesn't hold, and recursively what those need.
    [[nodiscard]] double least(State state) const
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
        std::uint64_t recomputed = 0; // bits of ops
        while (missing != 0) {
            const std::uint32_t writer =
                m_versions[static_cast<std::size_t>(std::countr_zero(missing))].writer;
            missing &= missing - 1;
            if ((recomputed >> writer & 1U) != 0)
                continue;
            if (!m_problem.ops[writer].mayRepeat)
                return std::numeric_limits<double>::infinity();
            recomputed |= std::uint64_t{1} << writer;
            time += m_problem.ops[writer].time;
            missing |= m_steps[writer].found & ~state;
        }
        if (m_idle.empty())
            return time;
        // In addition: idle values in memory, and gaps still to come.
        double priced = m_later[next];
        for (const Idle& idle : m_idle[next])
            priced += (state & idle.bit) != 0 ? idle.cost : 0;
        return time + std::max(0.0, priced - kBoundRounding * (time + std::abs(priced)));
    }

    [[nodiscard]] RematPlan planTo(State state) const
    {
        RematPlan plan;
        while (state != 0) {
            const Reached& reached = m_reached.at(state);
            const auto next = static_cast<std::uint32_t>(reached.from >> kNextShift);
            if (reached.op != next) {
                if (plan.recomputeSteps.empty() || plan.recomputeSteps.back().before != next)
                    plan.recomputeSteps.push_back({next, {}});
                plan.recomputeSteps.back().ops.push_back(reached.op);
            }
            state = reached.from;
        }
        std::reverse(plan.recomputeSteps.begin(), plan.recomputeSteps.end());
        for (RematRecomputeStep& row : plan.recomputeSteps)
            std::reverse(row.ops.begin(), row.ops.end());
        return plan;
    }

    using Entry = std::pair<double, State>;

    const RematProblem& m_problem;
    std::int64_t m_budget;
    const RematExactLimits& m_limits;
    std::size_t m_bits = 0;
    std::vector<Version> m_versions;       ///< by bit
    std::vector<Step> m_steps;             ///< by op
    State m_kept = 0;                      ///< versions kept at the end
    std::vector<std::vector<Idle>> m_idle; ///< by op: values in gaps there; empty without prices
    std::vector<double> m_later; ///< by op: what the prices prove of gaps that begin later
    std::unordered_map<State, Reached> m_reached;
    std::vector<std::uint32_t> m_droppable; ///< scratch: bits
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> m_queue;
};

} // namespace

RematExact solveExactly(const RematProblem& problem, std::int64_t budget,
                        const RematExactLimits& limits, const base::JobContext& job)
{
    return Exact{problem, budget, limits}.run(job);
}

} // namespace plimsoll::solve
