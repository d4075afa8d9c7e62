// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/remat_eviction.h"

#include "core/base/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace plimsoll::solve {

namespace {

/// The number of values that all plays of a search visit in total.
constexpr std::size_t kValuesVisited = 150'000'000;
constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
/// Values scanned in a plain loop in the time that a graph walk takes for one.
constexpr std::size_t kStatesPerWork = 4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The preferences by which a play chooses what to evict.
struct Taste
{
    double patience = 1;          ///< how much a late use counts: an exponent
    std::vector<double> dearness; ///< by value: a factor of what making it costs
};

/// A plan and its recompute time.
struct Played
{
    RematPlan plan;
    double recomputeTime = 0;
};

class Player
{
public:
    Player(const RematProblem& problem, std::int64_t budget, std::size_t& work,
           const base::JobContext& job)
        : m_problem{problem}
        , m_budget{budget}
        , m_work{work}
        , m_job{job}
        , m_maker(problem.values.size(), 0)
        , m_users(problem.values.size())
    {
        for (std::uint32_t op = 0; op < problem.ops.size(); ++op) {
            for (const std::uint32_t value : problem.ops[op].makes)
                m_maker[value] = op;
            m_operands.push_back(problem.ops[op].reads);
        }
        // Kept values must be in memory during the last op: nothing can be recomputed after it.
        const auto last = static_cast<std::uint32_t>(problem.ops.size() - 1);
        for (std::uint32_t value = 0; value < m_maker.size(); ++value)
            if (problem.values[value].isKept && m_maker[value] != last)
                m_operands.back().push_back(value);
        for (std::uint32_t op = 0; op < m_operands.size(); ++op) {
            std::vector<std::uint32_t>& operands = m_operands[op];
            std::ranges::sort(operands);
            operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
            for (const std::uint32_t value : operands)
                m_users[value].push_back(op);
        }
    }

    /// Nullopt if it gets stuck, recomputes for `most` or longer, or has no work left.
    std::optional<Played> play(const Taste& taste, double most)
    {
        m_taste = &taste;
        m_most = most;
        m_states.assign(m_maker.size(), {});
        m_bytes = 0;
        m_round = 0;
        m_played = {};
        for (m_at = 0; m_at < m_problem.ops.size(); ++m_at) {
            m_row.clear();
            if (!execute(m_at, 0))
                return std::nullopt;
            if (!m_row.empty())
                m_played.plan.recomputeSteps.push_back({m_at, m_row});
        }
        if (m_played.recomputeTime >= most)
            return std::nullopt;
        return std::move(m_played);
    }

private:
    /// A value's state in memory.
    struct State
    {
        std::uint32_t pins = 0;    ///< steps under way that use it
        std::uint32_t wanted = 0;  ///< next op of the given order for which it's used
        std::uint64_t visited = 0; ///< round of the last walk that came by
        double making = 0;         ///< time of all ops that must run to recompute it
        bool isThere = false;
        bool isPriced = false; ///< whether `making` is up to date
    };

    /// Runs an op after the makers of missing operands, slowest first: those may need the most
    /// room.
    bool execute(std::uint32_t op, int depth)
    {
        constexpr int kDeepest = 1000;
        const RematOp& its = m_problem.ops[op];
        if (depth > kDeepest || m_played.recomputeTime >= m_most || m_work == 0)
            return false;
        std::vector<std::pair<double, std::uint32_t>> missing;
        for (const std::uint32_t operand : m_operands[op]) {
            if (m_states[operand].isThere)
                ++m_states[operand].pins;
            else
                missing.emplace_back(-makingOf(operand), operand);
        }
        std::ranges::sort(missing);
        for (const auto& [making, operand] : missing) {
            if (!m_states[operand].isThere && !execute(m_maker[operand], depth + 1))
                return false;
            ++m_states[operand].pins;
        }
        std::int64_t bytes = 0;
        for (const std::uint32_t value : its.makes) {
            ++m_states[value].pins;
            bytes += m_states[value].isThere ? 0 : m_problem.values[value].size;
        }
        if (!makeRoom(bytes))
            return false;
        if (op != m_at) {
            m_row.push_back(op);
            m_played.recomputeTime += its.time;
        }
        for (const std::uint32_t value : its.makes) {
            --m_states[value].pins;
            if (!m_states[value].isThere)
                change(value, true);
        }
        for (const std::uint32_t operand : m_operands[op])
            --m_states[operand].pins;
        return true;
    }

    bool makeRoom(std::int64_t bytes)
    {
        while (m_bytes + bytes + floorHere() > m_budget) {
            if (m_work == 0 || m_job.stopRequested())
                return false;
            findWanted();
            const std::uint32_t value = cheapest();
            if (value == kNever)
                return false;
            change(value, false);
        }
        return true;
    }

    /// Adds or removes a value, which invalidates the cost of recomputing others from it.
    void change(std::uint32_t value, bool isThere)
    {
        const std::int64_t size = m_problem.values[value].size;
        m_states[value].isThere = isThere;
        m_bytes += isThere ? size : -size;
        ++m_round;
        m_walk.assign(1, value);
        for (std::size_t index = 0; index < m_walk.size(); ++index)
            for (const std::uint32_t user : m_users[m_walk[index]]) {
                if (user >= m_at)
                    break;
                for (const std::uint32_t made : m_problem.ops[user].makes) {
                    State& state = m_states[made];
                    if (std::exchange(state.visited, m_round) == m_round)
                        continue;
                    state.isPriced = false;
                    if (isThere) // the cost has only grown until now
                        state.making = m_problem.ops[user].time;
                    if (!state.isThere)
                        m_walk.push_back(made);
                }
            }
        takeWork(m_walk.size());
    }

    /// Finds the next use of each value: by an op still to run, or to recompute a missing value.
    void findWanted()
    {
        for (std::uint32_t op = m_at; op-- > 0;)
            for (const std::uint32_t value : m_problem.ops[op].makes) {
                std::uint32_t wanted = kNever;
                for (const std::uint32_t user : m_users[value]) {
                    if (user >= m_at) {
                        wanted = std::min(wanted, user);
                        break; // users are sorted
                    }
                    for (const std::uint32_t made : m_problem.ops[user].makes)
                        if (!m_states[made].isThere)
                            wanted = std::min(wanted, m_states[made].wanted);
                }
                m_states[value].wanted = wanted;
            }
        takeWork(m_at / kStatesPerWork);
    }

    /// The time of its maker and of the makers of all operands missing for it; infinity if one of
    /// them can't be recomputed.
    double makingOf(std::uint32_t value)
    {
        State& wanted = m_states[value];
        if (wanted.isPriced)
            return wanted.making;
        ++m_round;
        wanted.visited = m_round;
        wanted.making = 0;
        wanted.isPriced = true;
        m_walk.assign(1, value);
        for (std::size_t index = 0; index < m_walk.size(); ++index) {
            const std::uint32_t maker = m_maker[m_walk[index]];
            wanted.making += m_problem.ops[maker].mayRepeat ? m_problem.ops[maker].time : kInfinity;
            for (const std::uint32_t operand : m_operands[maker])
                if (!m_states[operand].isThere
                    && std::exchange(m_states[operand].visited, m_round) != m_round)
                    m_walk.push_back(operand);
        }
        takeWork(m_walk.size());
        return wanted.making;
    }

    /// The cost of evicting a value per byte freed, by its last known cost of recomputation. Values
    /// that are no longer used come first.
    [[nodiscard]] double lossOf(std::uint32_t value) const
    {
        constexpr double kFirst = 1e15;
        const State& state = m_states[value];
        const double density = state.making / static_cast<double>(m_problem.values[value].size);
        if (state.wanted == kNever)
            return std::min(density, kFirst / 2) - kFirst;
        const auto distance = static_cast<double>(std::max(state.wanted, m_at + 1) - m_at);
        return density * m_taste->dearness[value] / std::pow(distance, m_taste->patience);
    }

    /// The value to evict; kNever if there is none. Known costs may be stale, so the best
    /// candidate's cost is renewed until the same one stays the best.
    std::uint32_t cheapest()
    {
        m_candidates.clear();
        for (std::uint32_t value = 0; value < m_states.size(); ++value)
            if (const State& state = m_states[value];
                state.isThere && state.pins == 0 && m_problem.values[value].size > 0)
                m_candidates.emplace_back(lossOf(value), value);
        takeWork(m_states.size() / kStatesPerWork);
        while (!m_candidates.empty()) {
            const auto best = std::ranges::min_element(m_candidates);
            if (m_states[best->second].isPriced)
                return best->first < kInfinity ? best->second : kNever;
            makingOf(best->second);
            best->first = lossOf(best->second);
        }
        return kNever;
    }

    [[nodiscard]] std::int64_t floorHere() const
    {
        return m_problem.floor.empty() ? 0 : m_problem.floor[m_at];
    }
    void takeWork(std::size_t work) { m_work -= std::min(m_work, work); }

    const RematProblem& m_problem;
    std::int64_t m_budget;
    std::size_t& m_work; ///< that is left
    const base::JobContext& m_job;
    std::vector<std::uint32_t> m_maker;                 ///< by value
    std::vector<std::vector<std::uint32_t>> m_operands; ///< by op; of the last also what is kept
    std::vector<std::vector<std::uint32_t>> m_users;    ///< by value: ops of which it's an operand
    const Taste* m_taste = nullptr;
    double m_most = 0;
    std::vector<State> m_states; ///< by value
    std::int64_t m_bytes = 0;
    std::uint32_t m_at = 0; ///< op of the given order that is next
    std::uint64_t m_round = 0;
    Played m_played;
    std::vector<std::uint32_t> m_row;
    std::vector<std::uint32_t> m_walk;                          ///< scratch
    std::vector<std::pair<double, std::uint32_t>> m_candidates; ///< scratch
};

/// A play recomputes on demand, and some of these recomputations turn out needless: removes them,
/// the most expensive first, as long as the plan runs and fits.
Played pruned(const RematProblem& problem, const Played& played, std::int64_t budget,
              const base::JobContext& job)
{
    struct Extra
    {
        double time = 0;
        std::size_t row = 0;
        std::size_t place = 0;
    };
    constexpr std::size_t kSteps = 100'000'000; // simulated by all tries together
    const std::vector<RematRecomputeStep>& rows = played.plan.recomputeSteps;
    std::vector<Extra> extras;
    std::vector<std::vector<bool>> isNeeded;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        isNeeded.emplace_back(rows[row].ops.size(), true);
        for (std::size_t place = 0; place < rows[row].ops.size(); ++place)
            extras.push_back({problem.ops[rows[row].ops[place]].time, row, place});
    }
    std::ranges::stable_sort(extras, std::ranges::greater{}, &Extra::time);
    std::size_t tries = kSteps / (problem.ops.size() + extras.size());
    Played best = played;
    const auto renew = [&](std::size_t row) {
        best.plan.recomputeSteps[row].ops.clear();
        for (std::size_t place = 0; place < rows[row].ops.size(); ++place)
            if (isNeeded[row][place])
                best.plan.recomputeSteps[row].ops.push_back(rows[row].ops[place]);
    };
    // Repeat until nothing changes: without one recomputation, another may be needless.
    for (std::size_t before = 0; before != extras.size() && tries > 0;) {
        before = extras.size();
        std::erase_if(extras, [&](const Extra& extra) {
            if (tries == 0 || job.stopRequested())
                return false;
            --tries;
            isNeeded[extra.row][extra.place] = false;
            renew(extra.row);
            const base::Result<RematFigures> seen = simulate(problem, best.plan);
            if (seen && seen->peak <= budget) {
                best.recomputeTime -= extra.time;
                return true;
            }
            isNeeded[extra.row][extra.place] = true;
            renew(extra.row);
            return false;
        });
    }
    std::erase_if(best.plan.recomputeSteps,
                  [](const RematRecomputeStep& row) { return row.ops.empty(); });
    return best;
}

} // namespace

std::optional<RematPlan> evictingPlan(const RematProblem& problem, std::int64_t budget,
                                      std::size_t plays, const base::JobContext& job)
{
    constexpr std::array<double, 4> kPatience{1, 0.5, 1.5, 0.7};
    constexpr std::size_t kDisturbed = 50; // one value in this many
    const bool overwrites =
        std::ranges::any_of(problem.ops, [](const RematOp& op) { return !op.overwrites.empty(); });
    if (problem.ops.empty() || overwrites)
        return std::nullopt;
    std::size_t work = kValuesVisited;
    Player player{problem, budget, work, job};
    Taste best{kPatience.front(), std::vector<double>(problem.values.size(), 1)};
    double least = kInfinity; // of all plays
    std::optional<Played> fastest;
    base::Random random{1};
    for (std::size_t play = 0; play < plays && work > 0 && !job.stopRequested(); ++play) {
        job.report(play, plays);
        Taste taste = best;
        if (play < kPatience.size())
            taste.patience = kPatience.at(play);
        else
            for (double& dearness : taste.dearness)
                if (!fastest || random.below(kDisturbed) == 0)
                    dearness *= std::exp(random.unit() - 0.5);
        const std::optional<Played> played = player.play(taste, least);
        if (!played)
            continue;
        least = played->recomputeTime;
        best = std::move(taste);
        Played fewer = pruned(problem, *played, budget, job);
        if (!fastest || fewer.recomputeTime < fastest->recomputeTime)
            fastest = std::move(fewer);
    }
    if (!fastest)
        return std::nullopt;
    return std::move(fastest->plan);
}

} // namespace plimsoll::solve
