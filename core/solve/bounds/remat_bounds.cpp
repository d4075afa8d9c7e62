// SPDX-License-Identifier: Apache-2.0
#include "core/solve/bounds/remat_bounds.h"

#include "core/solve/bounds/remat_pricing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace plimsoll::solve {

namespace {

/// The bound proved by given prices, and its subgradient in each price.
using PricedValue =
    std::function<double(const std::vector<double>& prices, std::vector<double>& slope)>;

double product(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Projects the subgradient so that zero prices don't become negative.
void project(std::vector<double>& slope, const std::vector<double>& prices,
             const std::vector<bool>& isPriced)
{
    for (std::size_t op = 0; op < slope.size(); ++op)
        if (!isPriced[op] || (prices[op] <= 0 && slope[op] < 0))
            slope[op] = 0;
}

/// Deflects the subgradient from the previous direction if the two point against each other, so
/// that the prices don't oscillate.
void deflect(std::vector<double>& slope, const std::vector<double>& last)
{
    constexpr double kDeflection = 1.5; // the value that its authors recommend
    const double along = product(slope, last);
    const double length = product(last, last);
    if (along >= 0 || length <= 0)
        return;
    const double share = -kDeflection * along / length;
    for (std::size_t op = 0; op < slope.size(); ++op)
        slope[op] += share * last[op];
}

/// Maximizes a concave function of prices >= 0 from `start` and returns the best result seen, at
/// least `start`. The method is deflected subgradients (Camerini, Fratta, Maffioli) with Polyak's
/// step towards a target level that is lowered if it isn't reached. Prices of ops that are not
/// `isPriced` stay unchanged. `scale`: a value that the function can't exceed by much.
RematBound climbPrices(RematBound start, const std::vector<bool>& isPriced, double scale,
                       std::size_t rounds, const PricedValue& valueOf)
{
    constexpr int kPatience = 8;        // rounds without a gain before the level is lowered
    constexpr double kFirstLevel = 0.1; // above the initial bound
    constexpr double kLeastLevel = 1e-5;
    RematBound best = std::move(start);
    std::vector<double> prices = best.prices;
    std::vector<double> slope(prices.size());
    std::vector<double> direction(prices.size(), 0);
    double level = best.recomputeTime > 0 ? kFirstLevel * best.recomputeTime
                                          : kFirstLevel * kFirstLevel * scale;
    int withoutGain = 0;
    for (std::size_t round = 0; round < rounds && level > kLeastLevel * best.recomputeTime;
         ++round) {
        const double value = valueOf(prices, slope);
        const bool isFirst = round == 0;
        withoutGain = value > best.recomputeTime + level / 4 || isFirst ? 0 : withoutGain + 1;
        if (value > best.recomputeTime)
            best = {value, prices};
        if (withoutGain >= kPatience) {
            level /= 2;
            withoutGain = 0;
            prices = best.prices;
            std::fill(direction.begin(), direction.end(), 0.0);
            continue;
        }
        project(slope, prices, isPriced);
        deflect(slope, direction);
        direction.swap(slope);
        const double length = product(direction, direction);
        if (length <= 0)
            break;
        const double step = (best.recomputeTime + level - value) / length;
        for (std::size_t op = 0; op < prices.size(); ++op)
            prices[op] = std::max(0.0, prices[op] + step * direction[op]);
    }
    return best;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace

RematBounds::RematBounds(const RematProblem& problem)
    : m_parts{gapsOf(problem)}
    , m_plain{m_parts.fixed}
    , m_cheapest(m_parts.gaps.size())
    , m_reach(problem.ops.size(), 0)
{
    std::vector<std::int64_t> change(m_plain.size() + 1, 0);
    for (const RematGap& gap : m_parts.gaps) {
        change[gap.first] += gap.size;
        change[gap.last + 1] -= gap.size;
        m_reach[gap.first] = std::max(m_reach[gap.first], gap.last);
    }
    std::int64_t waiting = 0;
    std::uint32_t reach = 0;
    for (std::uint32_t op = 0; op < m_plain.size(); ++op) {
        waiting += change[op];
        m_plain[op] += waiting;
        reach = std::max({reach, op, m_reach[op]});
        m_reach[op] = reach;
    }
    std::iota(m_cheapest.begin(), m_cheapest.end(), std::size_t{0});
    std::stable_sort(m_cheapest.begin(), m_cheapest.end(), [this](std::size_t a, std::size_t b) {
        return m_parts.gaps[a].density() < m_parts.gaps[b].density();
    });
}

RematWorkingSet RematBounds::workingSet() const
{
    const auto most = std::max_element(m_parts.fixed.begin(), m_parts.fixed.end());
    if (most == m_parts.fixed.end())
        return {};
    return {static_cast<std::uint32_t>(most - m_parts.fixed.begin()), *most};
}

RematBounds::Cut RematBounds::cutAt(std::uint32_t op, std::int64_t budget) const
{
    Cut cut{op, 0, 0};
    std::int64_t excess = m_plain[op] - budget;
    for (const std::size_t index : m_cheapest) {
        const RematGap& gap = m_parts.gaps[index];
        if (excess <= 0)
            break;
        if (gap.first > op || gap.last < op)
            continue;
        cut.recomputeTime += gap.density() * static_cast<double>(std::min(gap.size, excess));
        cut.price = gap.density();
        excess -= gap.size;
    }
    cut.recomputeTime *= 1 - kBoundRounding;
    return cut;
}

/// In each of a number of equal stretches, the op that exceeds the budget most, in order.
std::vector<RematBounds::Cut> RematBounds::cuts(std::int64_t budget) const
{
    constexpr std::size_t kMostCuts = 256; // each visits all gaps
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
        bound.recomputeTime += cut.recomputeTime;
        bound.prices[cut.op] = cut.price;
    }
    return bound;
}

RematBound RematBounds::dearestCut(std::int64_t budget) const
{
    if (workingSet().bytes > budget)
        return {kInfinity, {}};
    const std::vector<Cut> all = cuts(budget);
    const auto dearest = std::max_element(all.begin(), all.end(), [](const Cut& a, const Cut& b) {
        return a.recomputeTime < b.recomputeTime;
    });
    return boundOf(dearest == all.end() ? std::vector<Cut>{} : std::vector<Cut>{*dearest});
}

RematBound RematBounds::separateCuts(std::int64_t budget) const
{
    if (workingSet().bytes > budget)
        return {kInfinity, {}};
    const std::vector<Cut> all = cuts(budget);
    // best[i]: the most expensive choice among the first i cuts; a choice that ends with a cut
    // extends the best one of the cuts that share no gap with it.
    std::vector<double> best(all.size() + 1, 0);
    std::vector<std::size_t> before(all.size(), 0);
    for (std::size_t cut = 0; cut < all.size(); ++cut) {
        std::size_t apart = cut == 0 ? 0 : before[cut - 1];
        while (apart < cut && m_reach[all[apart].op] < all[cut].op)
            ++apart;
        before[cut] = apart;
        best[cut + 1] = std::max(best[cut], best[apart] + all[cut].recomputeTime);
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

RematBound RematBounds::priced(std::int64_t budget, std::vector<double> prices) const
{
    if (workingSet().bytes > budget)
        return {kInfinity, {}};
    prices.resize(m_parts.fixed.size(), 0);
    for (double& price : prices)
        price = std::isfinite(price) ? std::max(price, 0.0) : 0;
    double value = 0;
    for (const RematCharges charges : {RematCharges::Tails, RematCharges::Operands})
        value = std::max(value, RematPricing{m_parts, charges}.valueOf(budget, prices, nullptr));
    return {value, std::move(prices)};
}

/// More rounds gain almost nothing; large problems get fewer, since each takes longer.
std::size_t RematBounds::roundsForOperands() const
{
    constexpr std::size_t kMost = 24;
    constexpr std::size_t kAll = 100'000; // gaps visited
    return std::min(kAll / (m_parts.gaps.size() + 1), kMost);
}

RematBound RematBounds::lagrangian(std::int64_t budget, const RematClimb& climb) const
{
    RematBound start = separateCuts(budget);
    if (!std::isfinite(start.recomputeTime))
        return start;
    if (!climb.prices.empty())
        if (RematBound given = priced(budget, climb.prices);
            given.recomputeTime > start.recomputeTime)
            start = std::move(given);
    std::vector<bool> isOver(m_plain.size());
    double all = 0;
    for (std::size_t op = 0; op < m_plain.size(); ++op)
        isOver[op] = m_plain[op] > budget;
    for (const RematGap& gap : m_parts.gaps)
        all += gap.cost;
    // With charges for operands the function isn't concave, so the starting point matters.
    for (const RematCharges charges : {RematCharges::Tails, RematCharges::Operands}) {
        RematPricing pricing{m_parts, charges};
        const bool isFirst = charges == RematCharges::Tails;
        start = climbPrices(std::move(start), isOver, all,
                            isFirst ? climb.rounds : std::min(climb.rounds, roundsForOperands()),
                            [&](const std::vector<double>& prices, std::vector<double>& slope) {
                                return pricing.valueOf(budget, prices, &slope);
                            });
    }
    return start;
}

double unitOfTimes(const RematProblem& problem)
{
    std::int64_t unit = 0;
    for (const RematOp& op : problem.ops) {
        if (!op.mayRepeat)
            continue;
        if (op.time < 0 || op.time > 0x1p52 || op.time != std::floor(op.time))
            return 0;
        unit = std::gcd(unit, static_cast<std::int64_t>(op.time));
    }
    return static_cast<double>(unit);
}

double raisedToWholeTimes(const RematProblem& problem, double recomputeTime)
{
    constexpr double kMost = 1e6;      // higher scales gain nothing
    constexpr double kRounding = 1e-6; // of a bound that is already a multiple
    const double unit = unitOfTimes(problem);
    if (unit == 0 || !(recomputeTime / unit < kMost))
        return recomputeTime;
    return std::max(recomputeTime, std::ceil(recomputeTime / unit - kRounding) * unit);
}

} // namespace plimsoll::solve
