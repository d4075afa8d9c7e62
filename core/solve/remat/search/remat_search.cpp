// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/remat_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace plimsoll::solve {

using base::JobContext;

namespace {

/// Values scanned in about the time of one change of the profile.
constexpr std::size_t kScanned = 100;
/// A stalled search gives up after this many changes that don't lower the peak.
std::size_t patienceFor(const RematProblem& problem)
{
    constexpr std::size_t kMost = 30'000;
    constexpr std::size_t kPerPair = 20;
    const std::size_t ops = std::min(problem.ops.size(), kMost);
    return std::min(kMost, kPerPair * ops * ops);
}

} // namespace

RematSearch::RematSearch(const RematProblem& problem)
    : m_problem{problem}
    , m_profile{problem}
    , m_moves{problem}
    , m_instant{1e-6 * (m_profile.time() + 1e-12) / static_cast<double>(problem.ops.size() + 1)}
    , m_making(problem.values.size(), 0)
    , m_first(problem.values.size(), 0)
    , m_last(problem.values.size(), 0)
{
    for (std::uint32_t value = 0; value < problem.values.size(); ++value) {
        for (const std::uint32_t writer : m_moves.writersOf(value))
            m_making[value] += problem.ops[writer].time;
        m_first[value] = m_profile.touches(value).front().moment.at;
        m_last[value] = m_profile.touches(value).back().moment.at;
    }
}

void RematSearch::apply(const std::vector<std::uint32_t>& ops, std::uint32_t at)
{
    for (const std::uint32_t op : ops) {
        m_profile.insert(op, at);
        ++m_work;
        m_journal.push_back({{op, at}, true});
        for (const std::uint32_t value : m_profile.usedBy(op))
            m_last[value] = std::max(m_last[value], at);
    }
}

void RematSearch::remove(const std::vector<std::uint32_t>& ops, std::uint32_t at)
{
    for (const std::uint32_t op : ops) {
        m_profile.erase(op, at);
        ++m_work;
        m_journal.push_back({{op, at}, false});
    }
}

void RematSearch::rollback(std::size_t mark)
{
    while (m_journal.size() > mark) {
        const auto [extra, isInsertion] = m_journal.back();
        m_journal.pop_back();
        if (isInsertion)
            m_profile.erase(extra.op, extra.at);
        else
            m_profile.insert(extra.op, extra.at);
    }
}

std::vector<RematExecution> RematSearch::extras() const
{
    std::vector<RematExecution> all;
    for (std::uint32_t at = 0; at < m_problem.ops.size(); ++at)
        for (const std::uint32_t op : m_profile.row(at))
            all.push_back({op, at});
    return all;
}

void RematSearch::load(const RematPlan& plan)
{
    for (const RematExecution& extra : extras())
        m_profile.erase(extra.op, extra.at);
    for (const RematRecomputeStep& row : plan.recomputeSteps)
        apply(row.ops, row.before);
    m_journal.clear();
}

/// If the value is in memory but idle at the op, returns where it would have to be recomputed:
/// before its next use. A kept value must be back before the last op.
std::optional<std::uint32_t> RematSearch::idleUntil(std::uint32_t value, std::uint32_t gap) const
{
    const std::vector<RematTouch>& touches = m_profile.touches(value);
    const std::size_t next = m_profile.touchFrom(value, {gap, gap});
    if (next == 0 || next == touches.size() || touches[next].isMake)
        return std::nullopt;
    const auto lastOp = static_cast<std::uint32_t>(m_problem.ops.size() - 1);
    const std::uint32_t until = std::min(touches[next].moment.at, lastOp);
    return until > gap ? std::optional{until} : std::nullopt;
}

/// Collects candidates with an optimistic score that counts only their own time.
void RematSearch::collect(std::uint32_t gap, std::int64_t excess, double noise)
{
    m_candidates.clear();
    m_work += m_first.size() / kScanned;
    for (std::uint32_t value = 0; value < m_first.size(); ++value) {
        if (m_first[value] >= gap || m_last[value] <= gap || m_problem.values[value].size == 0
            || !idleUntil(value, gap))
            continue;
        const std::int64_t gain = std::min(m_problem.values[value].size, excess);
        double score = static_cast<double>(gain) / (m_making[value] + m_instant);
        if (noise > 0)
            score *= 1.0 + noise * m_random.unit();
        m_candidates.push_back({score, value, false});
    }
    std::ranges::make_heap(m_candidates, {}, &Candidate::score);
}

/// Bytes freed at the gap per time of the ops inserted there; nullopt if they free nothing or need
/// too much memory elsewhere.
std::optional<double> RematSearch::scoreOf(const std::vector<std::uint32_t>& ops, std::uint32_t at,
                                           std::uint32_t gap, std::int64_t budget)
{
    std::uint32_t from = at;
    for (const std::uint32_t op : ops)
        for (const std::uint32_t value : m_profile.usedBy(op)) {
            const std::size_t next = m_profile.touchFrom(value, {at, op});
            from = std::min(from, m_profile.touches(value)[next - 1].moment.at);
        }
    const std::int64_t before = m_profile.memoryAt(gap);
    const std::int64_t early = from < gap ? m_profile.peakWithin(from, gap) : budget;
    const std::int64_t late = m_profile.peakWithin(gap + 1, at + 1);
    const std::int64_t there = m_profile.memoryAt(at);
    double time = m_instant;
    for (const std::uint32_t op : ops)
        time += m_problem.ops[op].time;
    const std::size_t mark = m_journal.size();
    apply(ops, at);
    const std::int64_t gain = before - m_profile.memoryAt(gap);
    const bool isHarmless =
        m_profile.memoryAt(at) <= std::max(budget, there)
        && m_profile.peakWithin(gap + 1, at + 1) <= std::max(budget, late)
        && (from >= gap || m_profile.peakWithin(from, gap) <= std::max(budget, early));
    rollback(mark);
    if (gain <= 0 || !isHarmless)
        return std::nullopt;
    return static_cast<double>(std::min(gain, before - budget)) / time;
}

std::optional<RematSearch::Move> RematSearch::bestMove(std::uint32_t value, std::uint32_t gap,
                                                       std::int64_t budget)
{
    const std::optional<std::uint32_t> until = idleUntil(value, gap);
    if (!until)
        return std::nullopt;
    std::optional<Move> best;
    std::vector<std::uint32_t> last;
    for (const DeadOperands operands :
         {DeadOperands::Nearest, DeadOperands::Anew, DeadOperands::Stay}) {
        auto ops = m_moves.anew(m_profile, value, *until, gap, operands, m_mostOps);
        if (!ops || *ops == last)
            continue;
        const std::optional<double> score = scoreOf(*ops, *until, gap, budget);
        last = *ops;
        if (score && (!best || *score > best->score))
            best = Move{*std::move(ops), *until, *score};
    }
    return best;
}

/// Frees memory at one position.
bool RematSearch::relieve(std::uint32_t gap, std::int64_t budget, double noise)
{
    collect(gap, m_profile.memoryAt(gap) - budget, noise);
    while (m_profile.memoryAt(gap) > budget && !m_candidates.empty()) {
        std::ranges::pop_heap(m_candidates, {}, &Candidate::score);
        const Candidate candidate = m_candidates.back();
        m_candidates.pop_back();
        std::optional<Move> move = bestMove(candidate.value, gap, budget);
        if (!move)
            continue;
        // Apply the disturbance of the candidate's optimistic score to its exact score.
        const double own = static_cast<double>(std::min(m_problem.values[candidate.value].size,
                                                        m_profile.memoryAt(gap) - budget))
                           / (m_making[candidate.value] + m_instant);
        const double score =
            std::min(move->score * (noise > 0 ? candidate.score / own : 1.0), candidate.score);
        if (!candidate.isExact && !m_candidates.empty() && score < m_candidates.front().score) {
            m_candidates.push_back({score, candidate.value, true});
            std::ranges::push_heap(m_candidates, {}, &Candidate::score);
            continue;
        }
        apply(move->ops, move->at);
    }
    return m_profile.memoryAt(gap) <= budget;
}

bool RematSearch::insert(std::int64_t budget, double noise, const base::JobContext& job)
{
    while (!fits(budget)) {
        if (job.stopRequested() || !relieve(m_profile.peakAt(), budget, noise))
            return false;
    }
    return true;
}

void RematSearch::prune(std::vector<RematExecution> extras, std::int64_t budget,
                        const base::JobContext& job)
{
    std::ranges::stable_sort(extras, [this](const RematExecution& a, const RematExecution& b) {
        return m_problem.ops[a.op].time > m_problem.ops[b.op].time;
    });
    for (const RematExecution& extra : extras) {
        if (job.stopRequested())
            return;
        if (!m_profile.isInRow(extra.op, extra.at))
            continue;
        const std::size_t mark = m_journal.size();
        remove(m_moves.without(m_profile, extra.op, extra.at), extra.at);
        if (!fits(budget))
            rollback(mark);
    }
}

std::vector<RematExecution> RematSearch::insertedSince(std::size_t mark) const
{
    std::vector<RematExecution> inserted;
    for (std::size_t change = mark; change < m_journal.size(); ++change)
        if (m_journal[change].isInsertion)
            inserted.push_back(m_journal[change].extra);
    return inserted;
}

/// Removes the `most` recomputations closest to a given one: by random choice, position or op.
void RematSearch::destroy(const RematExecution& centre, std::size_t kind, std::size_t most)
{
    const auto distance = [&](const RematExecution& extra) -> std::uint64_t {
        const auto between = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
        if (kind == 0)
            return m_random.next() >> 1U;
        return kind == 1 ? between(extra.at, centre.at) : between(extra.op, centre.op);
    };
    std::vector<std::pair<std::uint64_t, RematExecution>> order;
    m_work += 1 + m_problem.ops.size() / kScanned; // so that rounds without moves also end
    for (const RematExecution& extra : extras())
        order.emplace_back(distance(extra), extra);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
    std::ranges::partial_sort(order, end);
    for (auto it = order.begin(); it != end; ++it)
        if (const RematExecution& extra = it->second; m_profile.isInRow(extra.op, extra.at))
            remove(m_moves.without(m_profile, extra.op, extra.at), extra.at);
}

/// Drops a random value that is idle at the position, whatever memory that takes; it is recomputed
/// anywhere up to its next use.
void RematSearch::force(std::uint32_t gap)
{
    constexpr int kTries = 16;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        ++m_work;
        const auto value = static_cast<std::uint32_t>(m_random.below(m_first.size()));
        const std::optional<std::uint32_t> until = idleUntil(value, gap);
        if (!until)
            continue;
        const bool isEarly = m_random.below(2) == 0;
        const std::uint32_t at =
            isEarly ? gap + 1 + static_cast<std::uint32_t>(m_random.below(*until - gap)) : *until;
        const auto operands = static_cast<DeadOperands>(m_random.below(3));
        if (const auto ops = m_moves.anew(m_profile, value, at, gap, operands, m_mostOps)) {
            apply(*ops, at);
            return;
        }
    }
}

/// Tries longer moves first; then removes recomputations around the peak, puts them back in another
/// order, and keeps what lowered the peak.
bool RematSearch::escape(std::int64_t budget, const base::JobContext& job)
{
    constexpr std::array<std::size_t, 3> kLongMoves{6, 24, 96};
    const std::size_t patience = patienceFor(m_problem);
    std::size_t gained = m_work;
    std::int64_t lowest = m_profile.peak();
    for (const std::size_t most : kLongMoves) {
        m_mostOps = most;
        if (insert(budget, 0, job))
            return true;
    }
    while (m_work - gained < patience && !job.stopRequested()) {
        const std::size_t mark = m_journal.size();
        const std::int64_t before = m_profile.peak();
        m_mostOps = kLongMoves[m_random.below(kLongMoves.size())];
        const std::uint32_t at = m_profile.peakAt();
        const std::size_t kind = m_random.below(4);
        if (kind > 0)
            destroy({at, at}, m_random.below(3), 1 + m_random.below(24));
        if (kind < 2)
            force(m_profile.peakAt());
        if (insert(budget, 4 * m_random.unit(), job))
            return true;
        if (m_profile.peak() > before)
            rollback(mark);
        if (m_profile.peak() < lowest) {
            lowest = m_profile.peak();
            gained = m_work;
        }
    }
    return false;
}

bool RematSearch::reach(std::int64_t budget, const base::JobContext& job)
{
    m_journal.clear();
    const std::size_t usual = m_mostOps;
    const bool isReached = insert(budget, 0, job) || escape(budget, job);
    m_mostOps = usual;
    if (isReached)
        prune(insertedSince(0), budget, job);
    else
        rollback(0);
    m_journal.clear();
    return isReached;
}

void RematSearch::loosen(std::int64_t budget, const base::JobContext& job)
{
    m_journal.clear();
    prune(extras(), budget, job);
    m_journal.clear();
}

void RematSearch::improve(std::int64_t budget, double slowest, const base::JobContext& job)
{
    constexpr std::size_t kFew = 300;
    constexpr std::array<double, 4> kNoise{0.0, 0.3, 1.0, 4.0};
    const double before = m_profile.time();
    const std::vector<RematExecution> all = extras();
    if (all.empty())
        return;
    m_journal.clear();
    destroy(all[m_random.below(all.size())], m_random.below(3),
            1 + m_random.below(std::min<std::size_t>(all.size(), 24)));
    if (m_random.below(3) == 0)
        force(fits(budget) ? static_cast<std::uint32_t>(m_random.below(m_problem.ops.size()))
                           : m_profile.peakAt());
    if (insert(budget, kNoise[m_random.below(kNoise.size())], job))
        prune(all.size() <= kFew ? extras() : insertedSince(0), budget, job);
    if (!fits(budget) || m_profile.time() > std::max(before, slowest))
        rollback(0);
    m_journal.clear();
}

namespace {

/// Lowers the memory in equal steps, with some refinement in each: a good plan for one budget
/// leaves room for the next, where a hasty one has none.
bool lower(RematSearch& search, std::int64_t budget, std::size_t rungs, const JobContext& job)
{
    constexpr std::size_t kWorkOfRung = 2000;
    const std::int64_t top = search.profile().peak();
    for (std::size_t rung = 1; rung < rungs && !search.fits(budget); ++rung) {
        const auto share = static_cast<double>(rung) / static_cast<double>(rungs);
        const std::int64_t target =
            top - static_cast<std::int64_t>(share * static_cast<double>(top - budget));
        if (!search.reach(target, job))
            return false;
        const std::size_t end = search.work() + kWorkOfRung;
        while (search.work() < end && search.profile().repetitions() > 0 && !job.stopRequested())
            search.improve(target, 0, job);
    }
    return search.reach(budget, job);
}

/// After so many pairs without a gain, a plan with few recomputations has tried them all.
std::size_t pairsOf(std::size_t repetitions)
{
    return repetitions * (repetitions + 4);
}

} // namespace

bool refineRemat(RematSearch& search, std::int64_t budget, const RematEffort& effort,
                 const JobContext& job, const std::function<void()>& faster)
{
    constexpr double kSlack = 0.03;       // of the recompute time
    constexpr std::size_t kAstray = 2000; // changes before it returns to the best plan
    if (!lower(search, budget, effort.rungs, job))
        return false;
    if (faster)
        faster();
    const std::size_t begin = search.work();
    std::size_t gained = begin;
    std::size_t returned = begin;
    RematPlan best = search.profile().plan();
    double time = search.profile().time();
    double slowest = time + kSlack * search.profile().repeatedTime();
    while (search.work() - begin < effort.work
           && search.work() - gained < effort.patience * pairsOf(search.profile().repetitions())
           && !job.stopRequested() && time > effort.enough * kSameTime) {
        job.report(search.work() - begin, effort.work);
        search.improve(budget, slowest, job);
        if (search.profile().time() * kSameTime < time) {
            gained = returned = search.work();
            best = search.profile().plan();
            time = search.profile().time();
            slowest = time + kSlack * search.profile().repeatedTime();
            if (faster)
                faster();
        } else if (search.work() - returned > kAstray && search.profile().time() > time) {
            search.load(best);
            returned = search.work();
        }
    }
    if (search.profile().time() > time)
        search.load(best);
    return true;
}

} // namespace plimsoll::solve
