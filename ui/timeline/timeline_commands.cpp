// SPDX-License-Identifier: Apache-2.0
// What the menus ask of the view.
#include "ui/timeline/timeline_view_p.h"

namespace plimsoll::ui {

namespace {
constexpr double kKeyZoom = 0.5;
constexpr double kKeyPan = 0.25;
} // namespace

bool TimelineView::goBack()
{
    return m->escape();
}

void TimelineView::zoomIn()
{
    m->zoomBy(kKeyZoom);
}

void TimelineView::zoomOut()
{
    m->zoomBy(1 / kKeyZoom);
}

void TimelineView::panLeft()
{
    m->showUser(m->model.viewport.panned(-kKeyPan));
}

void TimelineView::panRight()
{
    m->showUser(m->model.viewport.panned(kKeyPan));
}

void TimelineView::showWholeStep()
{
    m->showUser({0.0, 1.0});
}

void TimelineView::zoomToRange()
{
    if (!m->model.range)
        return;
    const StepAxis& axis = m->model.axis;
    m->showUser({axis.positionOf(m->model.range->begin) / axis.length(),
                 axis.positionOf(m->model.range->end + 1) / axis.length()});
}

void TimelineView::goToPeak()
{
    if (m->model.axis.stepCount() > 0)
        showStep(m->model.set.planned->peakStep());
}

void TimelineView::showStep(std::size_t step)
{
    if (step >= m->model.axis.stepCount())
        return;
    const double at = m->model.axis.positionOf(step) / m->model.axis.length();
    const VisibleRange now = m->model.viewport.range();
    const double half = m->model.viewport.width() / 2;
    if (at < now.begin || at > now.end)
        m->showUser({at - half, at + half});
    m->setCursorStep(step, true);
}

std::optional<std::size_t> TimelineView::cursorStep() const
{
    return m->model.cursorStep;
}

std::vector<std::size_t> TimelineView::pinnedSteps() const
{
    return m->model.pins;
}

void TimelineView::setPinnedSteps(const std::vector<std::size_t>& steps)
{
    m->model.pins.clear();
    for (const std::size_t step : steps)
        if (step < m->model.axis.stepCount())
            m->model.pins.push_back(step);
    m->invalidate();
}

void TimelineView::pinAtCursor()
{
    if (m->model.cursorStep)
        m->togglePin(*m->model.cursorStep);
}

} // namespace plimsoll::ui
