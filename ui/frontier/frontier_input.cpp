// SPDX-License-Identifier: Apache-2.0
// What pointer and keys do in the frontier, and what is told of the plan under the pointer.
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/frontier/frontier_view.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QStyleHints>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

void FrontierView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_frontier || m_frontier->points().empty())
        return;
    m_dragging = true;
    m_pressed = event->position();
    Q_EMIT budgetDragged(budgetAt(event->position().x()));
}

void FrontierView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragging)
        Q_EMIT budgetDragged(budgetAt(event->position().x()));
    else
        updateToolTip(event->position());
}

void FrontierView::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_dragging || event->button() != Qt::LeftButton)
        return;
    m_dragging = false;
    const bool isClick = (event->position() - m_pressed).manhattanLength()
                         < QGuiApplication::styleHints()->startDragDistance();
    if (const Near near = nearTo(event->position()); isClick && near.point != nullptr)
        if (const run::PlanFrom* stop = stopOf(*near.point)) {
            Q_EMIT budgetCommitted(stop->budget);
            return;
        }
    Q_EMIT budgetCommitted(budgetAt(event->position().x()));
}

void FrontierView::endDrag()
{
    m_dragging = false;
}

void FrontierView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_dragging) {
        m_dragging = false;
        Q_EMIT budgetDragCancelled();
        return;
    }
    const bool left = event->key() == Qt::Key_Left;
    if (m_stops.empty() || (!left && event->key() != Qt::Key_Right)) {
        QWidget::keyPressEvent(event);
        return;
    }
    base::Bytes target = left ? m_stops.front().budget : m_stops.back().budget;
    if (left) {
        const auto stop = std::ranges::lower_bound(m_stops, m_budget, {}, &run::PlanFrom::budget);
        if (stop != m_stops.begin())
            target = std::prev(stop)->budget;
    } else if (const auto stop =
                   std::ranges::upper_bound(m_stops, m_budget, {}, &run::PlanFrom::budget);
               stop != m_stops.end()) {
        target = stop->budget;
    }
    Q_EMIT budgetCommitted(target);
}

void FrontierView::leaveEvent(QEvent* event)
{
    setToolTip({});
    QWidget::leaveEvent(event);
}

bool FrontierView::event(QEvent* event)
{
    if (followFocus(*event, m_hasRing))
        update();
    return QWidget::event(event);
}

QString FrontierView::pointText(const plan::FrontierPoint& point) const
{
    const QString text =
        point->plan().isCompiledStep()
            ? QStringLiteral("Peak %1, step %2 (%3), by %5, ops recomputed before %4 others")
            : QStringLiteral("Peak %1, step %2 (%3), by %5, %4 regions");
    return text
        .arg(ui::bytesText(point->evaluation().peak, Rounding::Up),
             ui::timeText(point->evaluation().stepTime), percentDifferenceText(slowerOf(*point)))
        .arg(QString::number(point->plan().decisionCount()),
             QString::fromStdString(point.provenance->madeBy().planner));
}

FrontierView::Near FrontierView::nearTo(QPointF position) const
{
    constexpr double kNear = 12;
    Near near;
    double least = kNear;
    const FrontierAxes range = axes();
    const auto look = [&](const plan::FrontierPoint& point, const plan::FrontierPoint* next) {
        const QPointF center = range.at(gibOf(point->evaluation().peak), slowerOf(*point));
        const double distance = std::hypot(center.x() - position.x(), center.y() - position.y());
        if (distance >= least)
            return;
        least = distance;
        near = {&point, next, next == nullptr && &point != &m_frontier->points().back()};
    };
    if (!m_frontier)
        return near;
    for (const plan::FrontierPoint& point : m_frontier->points())
        look(point, &point == &m_frontier->points().back() ? nullptr : &point + 1);
    for (const plan::FrontierPoint& point : m_frontier->dominated())
        look(point, nullptr);
    return near;
}

const run::PlanFrom* FrontierView::stopOf(const plan::FrontierPoint& point) const
{
    const auto stop = std::ranges::find(m_stops, point, &run::PlanFrom::plan);
    return stop == m_stops.end() ? nullptr : &*stop;
}

/// Where the allocator needs more than the peak, for which budgets the plan is taken.
QString FrontierView::stopText(const plan::FrontierPoint& point) const
{
    if (!m_isByRun)
        return {};
    const run::PlanFrom* stop = stopOf(point);
    if (stop == nullptr)
        return QStringLiteral("\nA faster plan runs wherever this one does.");
    return QStringLiteral("\nRuns without cache flushes from %1 on.")
        .arg(ui::bytesText(stop->budget, Rounding::Up));
}

void FrontierView::updateToolTip(QPointF position)
{
    const Near near = nearTo(position);
    if (near.point == nullptr) {
        setToolTip({});
        return;
    }
    QString text = pointText(*near.point) + stopText(*near.point);
    if (near.larger != nullptr && m_difference)
        text += u'\n' + m_difference(**near.larger, *near.point);
    if (near.isDominated)
        text +=
            QStringLiteral("\nPyTorch's allocator reserves less with it than with faster plans.");
    setToolTip(text);
}

} // namespace plimsoll::ui
