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

base::Result<std::vector<WithoutPin>>
planWithoutEachPin(const graph::ProgramPtr& recorded, const Choices& choices,
                   const allocator::AllocatorSettings& settings, const base::JobContext& job)
{
    std::vector<WithoutPin> all;
    for (std::size_t pin = 0; pin < choices.pins.size(); ++pin) {
        Choices others = choices;
        std::erase(others.pins, choices.pins[pin]); // a duplicate pin is removed twice
        WithoutPin without;
        ASSIGN_OR_RETURN(without.planned, planGraph(recorded, others, job));
        if (run::hasAllocator(without.planned->problem)) {
            ASSIGN_OR_RETURN(without.table, run::reservedTable(without.planned->frontier, settings,
                                                               nullptr, {.stop = job.stop}));
        }
        all.push_back(std::move(without));
    }
    return all;
}

base::Result<std::vector<PinPrice>> pinPrices(const plan::VerifiedPlanPtr& chosen,
                                              base::Bytes budget,
                                              const std::vector<WithoutPin>& without,
                                              const allocator::AllocatorSettings& settings,
                                              const base::JobContext& job)
{
    std::vector<PinPrice> prices;
    prices.reserve(without.size());
    for (const WithoutPin& other : without) {
        ASSIGN_OR_RETURN(const Answer answer,
                         answerAt(*other.planned, budget, settings, job, other.table));
        prices.push_back(priceOf(chosen, answer.choice.plan));
    }
    return prices;
}

} // namespace plimsoll::workspace
