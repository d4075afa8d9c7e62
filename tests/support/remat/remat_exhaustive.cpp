// SPDX-License-Identifier: Apache-2.0
// Dijkstra's search over states of the next op in the given order and the values in memory with
// their versions. Any earlier op may run again; dropping a value takes no time.
#include "tests/support/remat/remat_families.h"

#include <queue>

#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

namespace plimsoll::tests {

using solve::RematOp;
using solve::RematProblem;

namespace {

/// Four bits per value: 0 if it isn't in memory, else its version + 1; above them the next op.
using State = std::uint64_t;
constexpr unsigned kBits = 4;
constexpr State kMask = 15;

class Search
{
public:
    Search(const RematProblem& problem, std::int64_t budget)
        : m_problem{problem}
        , m_budget{budget}
        , m_nextShift{kBits * static_cast<unsigned>(problem.values.size())}
    {
        std::vector<State> version(problem.values.size(), 0);
        for (const RematOp& op : problem.ops) {
            State& found = m_found.emplace_back(0);
            for (const auto* values : {&op.reads, &op.overwrites})
                for (const std::uint32_t value : *values)
                    found |= version[value] << (kBits * value) & kMask << (kBits * value);
            for (const std::uint32_t value : op.overwrites)
                ++version[value];
            for (const std::uint32_t value : op.makes)
                version[value] = 1;
        }
        for (std::uint32_t value = 0; value < version.size(); ++value)
            if (problem.values[value].isKept)
                m_final |= version[value] << (kBits * value);
    }

    double run()
    {
        reach(0, 0);
        while (!m_queue.empty()) {
            const auto [time, state] = m_queue.top();
            m_queue.pop();
            if (time > m_least.at(state))
                continue;
            const std::size_t next = state >> m_nextShift;
            if (next == m_problem.ops.size()) {
                if (has(state, m_final))
                    return time;
                continue;
            }
            for (std::uint32_t value = 0; value < m_problem.values.size(); ++value)
                reach(state & ~(kMask << (kBits * value)), time);
            for (std::size_t op = 0; op <= next; ++op)
                execute(state, op, next, time);
        }
        return std::numeric_limits<double>::infinity();
    }

private:
    void reach(State state, double time)
    {
        const auto [known, isNew] = m_least.try_emplace(state, time);
        if (!isNew && known->second <= time)
            return;
        known->second = time;
        m_queue.emplace(time, state);
    }

    /// Whether the values of `wanted` are in memory in their versions.
    [[nodiscard]] bool has(State state, State wanted) const
    {
        for (std::uint32_t value = 0; value < m_problem.values.size(); ++value) {
            const State version = wanted >> (kBits * value) & kMask;
            if (version != 0 && (state >> (kBits * value) & kMask) != version)
                return false;
        }
        return true;
    }

    void execute(State state, std::size_t index, std::size_t next, double time)
    {
        const RematOp& op = m_problem.ops[index];
        const bool isOwn = index == next;
        if ((!isOwn && !op.mayRepeat) || !has(state, m_found[index]))
            return;
        for (const std::uint32_t value : op.overwrites)
            state += State{1} << (kBits * value);
        for (const std::uint32_t value : op.makes)
            state = (state & ~(kMask << (kBits * value))) | State{1} << (kBits * value);
        std::int64_t bytes = m_problem.floor.empty() ? 0 : m_problem.floor[next];
        for (std::uint32_t value = 0; value < m_problem.values.size(); ++value)
            if ((state >> (kBits * value) & kMask) != 0)
                bytes += m_problem.values[value].size;
        if (bytes <= m_budget)
            reach(isOwn ? state + (State{1} << m_nextShift) : state, isOwn ? time : time + op.time);
    }

    using Entry = std::pair<double, State>;

    const RematProblem& m_problem;
    std::int64_t m_budget;
    unsigned m_nextShift;
    std::vector<State> m_found; ///< by op: versions of what it reads and overwrites
    State m_final = 0;          ///< versions of what is kept at the end
    std::unordered_map<State, double> m_least;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> m_queue;
};

} // namespace

double leastAgain(const RematProblem& problem, std::int64_t budget)
{
    return Search{problem, budget}.run();
}

} // namespace plimsoll::tests
