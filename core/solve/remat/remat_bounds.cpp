// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/remat_bounds.h"

#include "core/solve/remat/price_climb.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace plimsoll::solve {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of all terms that are added up: what rounding can't have added.
constexpr double kRounding = 1e-9;

/// Ops that use a value in the given order, each once, its maker first; behind them, for a kept
/// value, the end.
std::vector<std::vector<std::uint32_t>> usesOf(const RematProblem& problem)
{
    std::vector<std::vector<std::uint32_t>> uses(problem.values.size());
    for (std::uint32_t op = 0; op < problem.ops.size(); ++op)
        for (const auto* values :
             {&problem.ops[op].reads, &problem.ops[op].makes, &problem.ops[op].overwrites})
            for (const std::uint32_t value : *values)
                if (uses[value].empty() || uses[value].back() != op)
                    uses[value].push_back(op);
    for (std::size_t value = 0; value < uses.size(); ++value)
        if (problem.values[value].isKept)
            uses[value].push_back(static_cast<std::uint32_t>(problem.ops.size()));
    return uses;
}

/// Ops that make or overwrite a value, in the given order.
std::vector<std::vector<std::uint32_t>> writersOf(const RematProblem& problem)
{
    std::vector<std::vector<std::uint32_t>> writers(problem.values.size());
    for (std::uint32_t op = 0; op < problem.ops.size(); ++op)
        for (const auto* values : {&problem.ops[op].makes, &problem.ops[op].overwrites})
            for (const std::uint32_t value : *values)
                if (writers[value].empty() || writers[value].back() != op)
                    writers[value].push_back(op);
    return writers;
}

/// Calls work(first op, last op, writers so far) for every gap of a value that has ops within.
void forEachGap(std::span<const std::uint32_t> uses, std::span<const std::uint32_t> writers,
                const auto& work)
{
    for (std::size_t use = 0; use + 1 < uses.size(); ++use) {
        const std::uint32_t begin = uses[use];
        const std::uint32_t end = uses[use + 1];
        if (end - begin < 2)
            continue;
        const auto count =
            std::upper_bound(writers.begin(), writers.end(), begin) - writers.begin();
        work(begin + 1, end - 1, writers.first(static_cast<std::size_t>(count)));
    }
}

/// Adds what stands for ranges of ops: first sums, then one running total.
void addRange(std::vector<std::int64_t>& change, std::uint32_t first, std::uint32_t last,
              std::int64_t bytes)
{
    change[first] += bytes;
    change[last + 1] -= bytes;
}

void addTotals(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& change)
{
    std::int64_t total = 0;
    for (std::size_t op = 0; op < to.size(); ++op) {
        total += change[op];
        to[op] += total;
    }
}

} // namespace

RematBounds::RematBounds(const RematProblem& problem)
    : m_fixed(problem.floor), m_reach(problem.ops.size())
{
    m_fixed.resize(problem.ops.size(), 0);
    addWorkingSets(problem);
    addGaps(problem);
    m_plain = m_fixed;
    std::vector<std::int64_t> change(problem.ops.size() + 1, 0);
    for (const Gap& gap : m_gaps) {
        addRange(change, gap.first, gap.last, gap.size);
        m_reach[gap.first] = std::max(m_reach[gap.first], gap.last);
    }
    addTotals(m_plain, change);
    std::uint32_t reach = 0;
    for (std::uint32_t op = 0; op < m_reach.size(); ++op) {
        reach = std::max({reach, op, m_reach[op]});
        m_reach[op] = reach;
    }
    std::stable_sort(m_gaps.begin(), m_gaps.end(),
                     [](const Gap& a, const Gap& b) { return a.density() < b.density(); });
}

void RematBounds::addWorkingSets(const RematProblem& problem)
{
    const auto uses = usesOf(problem);
    for (std::size_t value = 0; value < uses.size(); ++value)
        for (const std::uint32_t op : uses[value])
            if (op < m_fixed.size())
                m_fixed[op] += problem.values[value].size;
}

void RematBounds::addGaps(const RematProblem& problem)
{
    const auto uses = usesOf(problem);
    const auto writers = writersOf(problem);
    // An op's repetition is shared by all values with a gap that would need it.
    std::vector<std::int64_t> sharing(problem.ops.size(), 0);
    for (std::size_t value = 0; value < uses.size(); ++value) {
        std::size_t needed = 0;
        forEachGap(uses[value], writers[value],
                   [&](std::uint32_t, std::uint32_t, std::span<const std::uint32_t> writing) {
                       needed = std::max(needed, writing.size());
                   });
        for (std::size_t writer = 0; writer < needed; ++writer)
            sharing[writers[value][writer]] += problem.values[value].size;
    }
    std::vector<std::int64_t> undroppable(problem.ops.size() + 1, 0);
    for (std::size_t value = 0; value < uses.size(); ++value) {
        const std::int64_t size = problem.values[value].size;
        if (size == 0)
            continue;
        forEachGap(
            uses[value], writers[value],
            [&](std::uint32_t first, std::uint32_t last, std::span<const std::uint32_t> writing) {
                double cost = 0;
                bool mayDrop = true;
                for (const std::uint32_t op : writing) {
                    cost += problem.ops[op].time * static_cast<double>(size)
                            / static_cast<double>(sharing[op]);
                    mayDrop = mayDrop && problem.ops[op].mayRepeat;
                }
                if (mayDrop)
                    m_gaps.push_back({first, last, size, cost});
                else
                    addRange(undroppable, first, last, size);
            });
    }
    addTotals(m_fixed, undroppable);
}

RematWorkingSet RematBounds::workingSet() const
{
    const auto most = std::max_element(m_fixed.begin(), m_fixed.end());
    if (most == m_fixed.end())
        return {};
    return {static_cast<std::uint32_t>(most - m_fixed.begin()), *most};
}

RematBounds::Cut RematBounds::cutAt(std::uint32_t op, std::int64_t budget) const
{
    Cut cut{op, 0, 0};
    std::int64_t excess = m_plain[op] - budget;
    for (const Gap& gap : m_gaps) {
        if (excess <= 0)
            break;
        if (gap.first > op || gap.last < op)
            continue;
        cut.again += gap.density() * static_cast<double>(std::min(gap.size, excess));
        cut.price = gap.density();
        excess -= gap.size;
    }
    cut.again *= 1 - kRounding;
    return cut;
}

/// The fullest op over the budget of each of so many stretches, in order.
std::vector<RematBounds::Cut> RematBounds::cuts(std::int64_t budget) const
{
    constexpr std::size_t kMostCuts = 256; // each walks over all gaps
    const std::size_t count = m_plain.size();
    const std::size_t stretches = std::min(count, kMostCuts);
    std::vector<Cut> found;
    for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
        const auto begin =
            m_plain.begin() + static_cast<std::ptrdiff_t>(stretch * count / stretches);
        const auto end =
            m_plain.begin() + static_cast<std::ptrdiff_t>((stretch + 1) * count / stretches);
        const auto fullest = std::max_element(begin, end);
        if (*fullest > budget)
            found.push_back(cutAt(static_cast<std::uint32_t>(fullest - m_plain.begin()), budget));
    }
    return found;
}

RematBound RematBounds::boundOf(const std::vector<Cut>& cuts) const
{
    RematBound bound{0, std::vector<double>(m_plain.size(), 0)};
    for (const Cut& cut : cuts) {
        bound.again += cut.again;
        bound.prices[cut.op] = cut.price;
    }
    return bound;
}

RematBound RematBounds::dearestCut(std::int64_t budget) const
{
    if (workingSet().bytes > budget)
        return {kInfinity, {}};
    const std::vector<Cut> all = cuts(budget);
    const auto dearest = std::max_element(
        all.begin(), all.end(), [](const Cut& a, const Cut& b) { return a.again < b.again; });
    return boundOf(dearest == all.end() ? std::vector<Cut>{} : std::vector<Cut>{*dearest});
}

RematBound RematBounds::separateCuts(std::int64_t budget) const
{
    if (workingSet().bytes > budget)
        return {kInfinity, {}};
    const std::vector<Cut> all = cuts(budget);
    // best[i]: the dearest choice among the first i cuts; a choice that ends with a cut continues
    // the best one of the cuts that share no gap with it.
    std::vector<double> best(all.size() + 1, 0);
    std::vector<std::size_t> before(all.size(), 0);
    for (std::size_t cut = 0; cut < all.size(); ++cut) {
        std::size_t apart = cut == 0 ? 0 : before[cut - 1];
        while (apart < cut && m_reach[all[apart].op] < all[cut].op)
            ++apart;
        before[cut] = apart;
        best[cut + 1] = std::max(best[cut], best[apart] + all[cut].again);
    }
    std::vector<Cut> chosen;
    for (std::size_t cut = all.size(); cut > 0;) {
        if (best[cut] == best[cut - 1]) {
            --cut;
            continue;
        }
        chosen.push_back(all[cut - 1]);
        cut = before[cut - 1];
    }
    return boundOf(chosen);
}

/// The Lagrangian bound less what rounding may have added, and how it changes with each price.
double RematBounds::valueOf(std::int64_t budget, const std::vector<double>& prices,
                            std::vector<double>* slope) const
{
    const std::size_t count = m_fixed.size();
    std::vector<double> before(count + 1, 0); // sum of the prices of the ops before
    for (std::size_t op = 0; op < count; ++op)
        before[op + 1] = before[op] + prices[op];
    std::vector<std::int64_t> kept(count + 1, 0);
    double value = 0;
    double terms = 0;
    for (const Gap& gap : m_gaps) {
        const double keeping =
            static_cast<double>(gap.size) * (before[gap.last + 1] - before[gap.first]);
        value += std::min(gap.cost, keeping);
        if (keeping < gap.cost && slope != nullptr)
            addRange(kept, gap.first, gap.last, gap.size);
    }
    terms = value;
    std::int64_t total = 0;
    for (std::size_t op = 0; op < count; ++op) {
        const auto over = static_cast<double>(m_fixed[op] - budget);
        value += prices[op] * over;
        terms += std::abs(prices[op] * over);
        total += kept[op];
        if (slope != nullptr)
            (*slope)[op] = over + static_cast<double>(total);
    }
    return value - kRounding * terms;
}

RematBound RematBounds::priced(std::int64_t budget, std::vector<double> prices) const
{
    if (workingSet().bytes > budget)
        return {kInfinity, {}};
    prices.resize(m_fixed.size(), 0);
    for (double& price : prices)
        price = std::isfinite(price) ? std::max(price, 0.0) : 0;
    const double value = valueOf(budget, prices, nullptr);
    return {std::max(value, 0.0), std::move(prices)};
}

RematBound RematBounds::lagrangian(std::int64_t budget, const RematClimb& climb) const
{
    RematBound start = separateCuts(budget);
    if (!std::isfinite(start.again))
        return start;
    if (!climb.prices.empty())
        if (RematBound given = priced(budget, climb.prices); given.again > start.again)
            start = std::move(given);
    std::vector<bool> isOver(m_plain.size());
    double all = 0;
    for (std::size_t op = 0; op < m_plain.size(); ++op)
        isOver[op] = m_plain[op] > budget;
    for (const Gap& gap : m_gaps)
        all += gap.cost;
    const RematBound best =
        climbPrices(std::move(start), isOver, all, climb.rounds,
                    [&](const std::vector<double>& prices, std::vector<double>& slope) {
                        return valueOf(budget, prices, &slope);
                    });
    return best;
}

} // namespace plimsoll::solve
