// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/pin_pricer.h"

#include <utility>

namespace plimsoll::ui {

PinPricer::PinPricer(QObject* parent) : QObject{parent} {}

void PinPricer::start(const graph::ProgramPtr& recorded, const workspace::PlannedPtr& planned,
                      const allocator::AllocatorSettings& settings)
{
    m_planner.stop();
    m_pricer.stop();
    m_without.reset();
    m_budget.reset();
    m_prices.clear();
    m_planned = planned;
    m_settings = settings;
    if (planned->choices.pins.empty())
        return;
    m_planner.start(
        [recorded, choices = planned->choices,
         settings](const base::JobContext& job) -> base::Result<std::shared_ptr<const Without>> {
            return workspace::planWithoutEachPin(recorded, choices, settings, job)
                .map([](Without without) {
                    return std::make_shared<const Without>(std::move(without));
                });
        },
        [this, planned](base::Result<std::shared_ptr<const Without>> without) {
            if (!without || planned != m_planned)
                return;
            m_without = *std::move(without);
            price();
        });
}

void PinPricer::setChosen(const plan::VerifiedPlanPtr& plan, base::Bytes budget)
{
    if (m_budget && askedOf(plan, budget) == askedOf(m_chosen, *m_budget))
        return;
    m_chosen = plan;
    m_budget = budget;
    price();
}

PinPricer::Asked PinPricer::askedOf(const plan::VerifiedPlanPtr& plan, base::Bytes budget)
{
    return {plan ? plan->evaluationPtr() : nullptr, budget};
}

void PinPricer::price()
{
    if (!m_without || !m_budget)
        return;
    m_pricer.start(
        [without = m_without, chosen = m_chosen, budget = *m_budget,
         settings = m_settings](const base::JobContext& job) {
            return workspace::pinPrices(chosen, budget, *without, settings, job);
        },
        [this, asked = askedOf(m_chosen, *m_budget),
         without = m_without](base::Result<std::vector<workspace::PinPrice>> prices) {
            if (!prices || without != m_without)
                return;
            m_prices = *std::move(prices);
            m_pricesOf = asked;
            Q_EMIT pricesChanged();
        });
}

std::vector<workspace::PinPrice> PinPricer::prices(const plan::VerifiedPlanPtr& plan,
                                                   base::Bytes budget) const
{
    return m_pricesOf == askedOf(plan, budget) ? m_prices : std::vector<workspace::PinPrice>{};
}

} // namespace plimsoll::ui
