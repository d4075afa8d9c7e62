// SPDX-License-Identifier: Apache-2.0
// What the user pinned, on a planner page: from its list and from menus of rows.
#include "ui/plan_tables/live_page.h"
#include "ui/plan_tables/pin_page.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/planner_page/planner_page.h"
#include "ui/shell/pages_dock.h"

namespace plimsoll::ui {

void PlannerPage::connectPins()
{
    connect(m_pins, &PinPage::pinsChosen, this, [this](const std::vector<std::string>& pins) {
        workspace::Choices choices = m_document.document().choices;
        choices.pins = pins;
        m_document.commitChoices(choices);
    });
    const auto pin = [this](const QString& text) {
        m_planDock->showPage(m_pins); // where the price is, or why it can't be
        m_pins->add(text);
    };
    connect(m_plan, &PlanPage::pinWanted, this, pin);
    connect(m_live, &LivePage::pinWanted, this, pin);
    connect(&m_document, &DocumentController::pinPricesChanged, this, &PlannerPage::showPins);
}

void PlannerPage::showPins()
{
    const std::vector<std::string>& pins = m_document.document().choices.pins;
    m_pins->setProgram(m_document.program());
    m_pins->setPins(pins);
    m_pins->setPrices(m_document.isOutdated() ? std::vector<workspace::PinPrice>{}
                                              : m_document.pinPrices());
    m_planDock->setPageTitle(m_pins, pins.empty() ? tr("Pins") : tr("Pins %1").arg(pins.size()));
}

} // namespace plimsoll::ui
