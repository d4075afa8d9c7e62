// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/planner_view.h"

#include <QObject>

namespace plimsoll::ui {

bool PlannerState::hasFrontier() const
{
    return (isPlanned && !isDeferred)
           || (isPlanning && !isOutdated && planned.frontier->points().size() > 1);
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
    if (isWaiting)
        return {isPlanning ? QObject::tr("Showing the step without a plan")
                           : QObject::tr("No plan yet"),
                info};
    if (isOutdated)
        return isPlanning
                   ? StatusText{QObject::tr("Planning: showing the plan for the previous settings"),
                                info}
                   : StatusText{QObject::tr("Showing the plan for the previous settings"),
                                QStringLiteral("warn")};
    if (!isPlanned && !isPlanning && outcome.best && outcome.frontier->points().size() > 1)
        return {QObject::tr("Stopped: the best plan so far is kept"), info};
    if (choice.verdict && choice.verdict->status == run::RunStatus::Fails)
        return {QObject::tr("Runs out of memory"), QStringLiteral("error"), true};
    if (choice.verdict && choice.verdict->status == run::RunStatus::RunsWithFlushes)
        return {QObject::tr("Runs, but has to empty PyTorch's cache"), QStringLiteral("warn")};
    if (outcome.best)
        return {outcome.best->plan().recomputesNothing() ? QObject::tr("Unplanned step verified")
                                                         : QObject::tr("Plan verified"),
                QStringLiteral("verified")};
    return {outcome.status == solve::Status::Infeasible
                ? QObject::tr("Budget below the lower bound")
                : QObject::tr("No plan for this budget"),
            QStringLiteral("error"), true};
}

} // namespace plimsoll::ui
