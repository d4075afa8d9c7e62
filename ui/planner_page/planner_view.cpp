// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/planner_view.h"

#include <QCoreApplication>

namespace plimsoll::ui {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("PlannerState", text);
}

} // namespace

bool PlannerState::hasFrontier() const
{
    return isPlanned || (isPlanning && !isOutdated && planned.frontier->points().size() > 1);
}

workspace::MeasuredRunPtr PlannerState::runOfShown() const
{
    if (!laid.unplanned)
        return nullptr;
    if (shown->plan().recomputesNothing())
        return laid.unplanned;
    return laid.plan && laid.plan->plan() == shown->plan() ? laid.planned : nullptr;
}

StatusText PlannerState::status() const
{
    const QString info = QStringLiteral("info");
    if (isWaiting || !document.budget)
        return {isPlanning ? translated("Showing the step without a plan")
                           : translated("No plan yet"),
                info};
    if (isOutdated)
        return isPlanning
                   ? StatusText{translated("Planning: showing the plan for the previous settings"),
                                info}
                   : StatusText{translated("Showing the plan for the previous settings"),
                                QStringLiteral("warn")};
    if (!isPlanned && !isPlanning && outcome.best && outcome.frontier->points().size() > 1)
        return {translated("Stopped: the best plan so far is kept"), info};
    if (outcome.best)
        return {outcome.best->plan().recomputesNothing() ? translated("Everything fits")
                                                         : translated("Plan verified"),
                QStringLiteral("verified")};
    return {outcome.status == solve::Status::Infeasible ? translated("Budget below the lower bound")
                                                        : translated("No plan for this budget"),
            QStringLiteral("error"), true};
}

} // namespace plimsoll::ui
