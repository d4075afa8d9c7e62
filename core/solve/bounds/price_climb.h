// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/bounds/remat_bound.h"

#include <functional>

namespace plimsoll::solve {

/// The bound that prices prove, and its slope by each price.
using PricedValue =
    std::function<double(const std::vector<double>& prices, std::vector<double>& slope)>;

/// Climbs a concave function of prices >= 0 from `start` and returns the best seen, `start` at
/// least: deflected subgradients (Camerini, Fratta, Maffioli) with Polyak's step towards a level
/// that is lowered where it isn't reached. Prices of ops that are not `isPriced` stay as they are.
/// `scale`: a value that the function can't exceed by far.
[[nodiscard]] RematBound climbPrices(RematBound start, const std::vector<bool>& isPriced,
                                     double scale, std::size_t rounds, const PricedValue& valueOf);

} // namespace plimsoll::solve
