// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/pin_prices.h"

#include "core/base/try.h"

#include <algorithm>
#include <utility>

namespace plimsoll::workspace {

PinPrice priceOf(const plan::VerifiedPlanPtr& best, const plan::VerifiedPlanPtr& without)
{
    PinPrice price;
    if (without && best)
        price.price = std::max(best->evaluation().stepTime - without->evaluation().stepTime,
                               base::Nanoseconds{});
    price.isWhy = without && !best;
    return price;
}

base::Result<std::vector<PlannedPtr>> planWithoutEachPin(const graph::ProgramPtr& recorded,
                                                         const Choices& choices,
                                                         const base::JobContext& job)
{
    std::vector<PlannedPtr> all;
    for (std::size_t pin = 0; pin < choices.pins.size(); ++pin) {
        Choices others = choices;
        std::erase(others.pins, choices.pins[pin]); // a duplicate pin is removed twice
        ASSIGN_OR_RETURN(PlannedPtr planned, planGraph(recorded, others, job));
        all.push_back(std::move(planned));
    }
    return all;
}

std::vector<PinPrice> pinPrices(const Planned& planned, const std::vector<PlannedPtr>& without,
                                base::Bytes budget)
{
    const plan::VerifiedPlanPtr best = planAt(planned, budget);
    std::vector<PinPrice> prices;
    prices.reserve(without.size());
    for (const PlannedPtr& other : without)
        prices.push_back(priceOf(best, planAt(*other, budget)));
    return prices;
}

} // namespace plimsoll::workspace
