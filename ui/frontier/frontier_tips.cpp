// SPDX-License-Identifier: Apache-2.0
#include "ui/frontier/frontier_tips.h"

#include "ui/base/numbers.h"

#include <cmath>

namespace plimsoll::ui {

NearPlan nearPlan(const plan::Frontier& frontier, const FrontierAxes& axes,
                  base::Nanoseconds unplannedTime, QPointF position)
{
    constexpr double kNear = 12;
    NearPlan near;
    double least = kNear;
    const auto look = [&](const plan::FrontierPoint& point, const plan::FrontierPoint* next) {
        const QPointF center = axes.at(gibOf(point->evaluation().peak),
                                       slowDown(point->evaluation().stepTime, unplannedTime));
        const double distance = std::hypot(center.x() - position.x(), center.y() - position.y());
        if (distance >= least)
            return;
        least = distance;
        near = {&point, next, next == nullptr && &point != &frontier.points().back()};
    };
    for (const plan::FrontierPoint& point : frontier.points())
        look(point, &point == &frontier.points().back() ? nullptr : &point + 1);
    for (const plan::FrontierPoint& point : frontier.dominated())
        look(point, nullptr);
    return near;
}

QString pointText(const plan::FrontierPoint& point, double slower)
{
    const QString text =
        point->plan().isCompiledStep()
            ? QStringLiteral("Peak %1, step %2 (%3), by %5, ops recomputed before %4 others")
            : QStringLiteral("Peak %1, step %2 (%3), by %5, %4 regions");
    return text
        .arg(ui::bytesText(point->evaluation().peak, Rounding::Up),
             ui::timeText(point->evaluation().stepTime), percentDifferenceText(slower))
        .arg(QString::number(point->plan().decisionCount()),
             QString::fromStdString(point.provenance->madeBy().planner));
}

QString stopText(const run::PlanFrom* stop)
{
    if (stop == nullptr)
        return QStringLiteral("\nA faster plan runs wherever this one does.");
    return QStringLiteral("\nRuns without cache flushes from %1 on.")
        .arg(ui::bytesText(stop->budget, Rounding::Up));
}

} // namespace plimsoll::ui
