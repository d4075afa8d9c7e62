// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/pin_prices.h"

#include <algorithm>
#include <utility>

namespace plimsoll::workspace {

base::Result<std::vector<PlannedPtr>> planWithoutEachPin(const graph::ProgramPtr& recorded,
                                                         const Choices& choices,
                                                         const base::JobContext& job)
{
    std::vector<PlannedPtr> all;
    for (std::size_t pin = 0; pin < choices.pins.size(); ++pin) {
        Choices others = choices;
        others.pins.erase(others.pins.begin() + static_cast<std::ptrdiff_t>(pin));
        base::Result<PlannedPtr> planned = planGraph(recorded, others, job);
        if (!planned)
            return tl::unexpected{planned.error()};
        all.push_back(*std::move(planned));
    }
    return all;
}

std::vector<PinPrice> pinPrices(const Planned& planned, const std::vector<PlannedPtr>& without,
                                base::Bytes budget)
{
    const plan::VerifiedPlanPtr best = planAt(planned, budget);
    std::vector<PinPrice> prices;
    prices.reserve(without.size());
    for (const PlannedPtr& other : without) {
        const plan::VerifiedPlanPtr free = planAt(*other, budget);
        PinPrice price;
        if (free && best)
            price.price = std::max(best->evaluation().stepTime - free->evaluation().stepTime,
                                   base::Nanoseconds{});
        price.isWhy = free && !best;
        prices.push_back(price);
    }
    return prices;
}

} // namespace plimsoll::workspace
