// SPDX-License-Identifier: Apache-2.0
// The planners side by side: where each stands, and what it has for the budget.
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_tables/planner_table.h"
#include "ui/planner_page/planner_page.h"

namespace plimsoll::ui {

/// As the running job comes along.
void PlannerPage::showStandings()
{
    m_panel->planners().setStandings(m_document.plannerStandings());
}

/// At the budget of now. What is known of planners doesn't change in a hand that drags, but by a
/// job that runs meanwhile.
void PlannerPage::showPlanners()
{
    PlannersAt asked;
    if (m_document.document().budget || m_document.isDragging())
        asked.budget = m_document.budget();
    if (!m_document.isOutdated()) { // else these tell of other choices
        const solve::Outcome& outcome = m_document.outcome();
        asked.bounds = {outcome.peakBound.bytes, outcome.timeBound};
        if (outcome.best)
            asked.maker = outcome.best.provenance->madeBy().planner;
    }
    m_panel->planners().showAt(std::move(asked));
    if (!m_document.isDragging())
        showStandings();
}

} // namespace plimsoll::ui
