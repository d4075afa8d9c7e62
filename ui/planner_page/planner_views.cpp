// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/planner_views.h"

#include "ui/planner_page/planner_page.h"

namespace plimsoll::ui {

PlannerLayout plannerLayout()
{
    const auto tr = [](const char* text) { return PlannerPage::tr(text); };
    const auto id = [](const char* name) { return QString::fromLatin1(name); };
    return {makeTimelineView,
            {
                {{id("budget"), tr("Budget and planner"), Qt::RightDockWidgetArea},
                 {{id("budget"), tr("Budget and planner"), makeBudgetView, tr("Budget")}}},
                {{id("frontier"), tr("Frontier")},
                 {{id("frontier"), tr("Frontier"), makeFrontierView}}},
                {{id("plan"), tr("Plan and runs")},
                 {
                     {id("plan"), tr("Plan"), makePlanView},
                     {id("modules"), tr("Modules"), makeModuleView},
                     {id("runs"), tr("Runs"), makeRunView},
                     {id("fits"), tr("What fits"), makeFitsView},
                     {id("live"), tr("Live at cursor"), makeLiveView},
                     {id("problems"), tr("Problems"), makeProblemView},
                     {id("accesses"), tr("Accesses"), makeAccessView},
                     {id("pins"), tr("Pins"), makePinView},
                     // Docked while it has content.
                     {id("measured"), tr("Measured"), makeMeasuredView},
                     {id("tables"), {}, makeTwinsView},
                 }},
            }};
}

} // namespace plimsoll::ui
