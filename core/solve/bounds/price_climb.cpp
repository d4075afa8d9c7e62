// SPDX-License-Identifier: Apache-2.0
#include "core/solve/bounds/price_climb.h"

#include <algorithm>
#include <numeric>

namespace plimsoll::solve {

namespace {

double product(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Leaves out what would take a price of nothing below nothing.
void project(std::vector<double>& slope, const std::vector<double>& prices,
             const std::vector<bool>& isPriced)
{
    for (std::size_t op = 0; op < slope.size(); ++op)
        if (!isPriced[op] || (prices[op] <= 0 && slope[op] < 0))
            slope[op] = 0;
}

/// Bends the slope away from the last direction where the two pull against each other, so that the
/// prices don't swing to and fro.
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

} // namespace

RematBound climbPrices(RematBound start, const std::vector<bool>& isPriced, double scale,
                       std::size_t rounds, const PricedValue& valueOf)
{
    constexpr int kPatience = 8;        // rounds without a gain before the level comes down
    constexpr double kFirstLevel = 0.1; // above the bound at the start
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

} // namespace plimsoll::solve
