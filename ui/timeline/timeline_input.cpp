// SPDX-License-Identifier: Apache-2.0
// What mouse and keys do in the view, apart from the budget line's own keys.
#include "ui/timeline/timeline_view_p.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kLineHit = 6;
constexpr double kRangeHit = 5;
constexpr double kClickMoves = 4; ///< a press that moves less is a click
constexpr double kMarkHit = 10;
constexpr double kWheelZoom = 0.8; ///< per notch
constexpr double kFineZoom = 0.95;
constexpr double kNotch = 120.0;
constexpr double kWheelPan = 0.1; ///< visible widths per notch

bool isNear(const std::optional<PeakMark>& mark, const QPointF& pos, double scale)
{
    if (!mark)
        return false;
    const QPointF middle = mark->apex + QPointF{0, (mark->below ? 5 : -5) * scale};
    return std::abs(middle.x() - pos.x()) <= kMarkHit * scale
           && std::abs(middle.y() - pos.y()) <= kMarkHit * scale;
}

} // namespace

std::optional<std::size_t> TimelineView::Private::stepAtX(double x) const
{
    if (model.axis.stepCount() == 0)
        return std::nullopt;
    const TimelineFrame now = frame();
    const QRectF& plot = now.at.plot();
    const double inside = std::clamp(x, plot.left(), plot.right() - 1);
    // The step that the picture shows in this device column.
    const double left = std::floor((inside - plot.left()) * ratio()) / ratio() + plot.left();
    const StepSpan span =
        stepsIn(model.axis, now.at.positionAt(left), now.at.positionAt(left + 1 / ratio()));
    return shownStep(*model.set.planned, span);
}

Hit TimelineView::Private::hitAt(const QPointF& pos) const
{
    const TimelineFrame now = frame();
    const QRectF& plot = now.at.plot();
    const double scale = now.layout.scale;
    if (model.budget) {
        if (markRect(model, now).contains(pos)
            || pillRect(model, now, Theme::current()).contains(pos))
            return {Place::BudgetPill, 0, {}};
        if (pos.x() >= plot.left() - 6 && pos.x() <= plot.right() + 20
            && std::abs(now.at.yOf(*model.budget) - pos.y()) <= kLineHit * scale)
            return {Place::BudgetLine, 0, {}};
    }
    const std::size_t pinned = std::min(model.pins.size(), labels.cards.size());
    for (std::size_t i = 0; i < pinned; ++i)
        if (hoverCardPin(Theme::current(), labels.cards[i]).contains(pos))
            return {Place::Pin, i, {}};
    if (model.range && plot.contains(pos)) {
        const double begin = now.at.xOf(model.axis.positionOf(model.range->begin));
        const double end = now.at.xOf(model.axis.positionOf(model.range->end + 1));
        if (std::abs(pos.x() - begin) <= kRangeHit * scale)
            return {Place::RangeBegin, 0, {}};
        if (std::abs(pos.x() - end) <= kRangeHit * scale)
            return {Place::RangeEnd, 0, {}};
    }
    const OverviewPart part = overviewPartAt(model, now, pos);
    if (part != OverviewPart::None)
        return {Place::Overview, 0, part};
    if (now.layout.bands.contains(pos) && model.set.planned) {
        const double at = now.at.positionAt(pos.x());
        const std::vector<timeline::Band>& bands = model.set.planned->bands();
        for (std::size_t i = 0; i < bands.size(); ++i)
            if (at >= model.axis.positionOf(bands[i].begin)
                && at < model.axis.positionOf(std::size_t{bands[i].end} + 1))
                return {Place::Band, i, {}};
    }
    if (isNear(plannedPeakMark(model, now), pos, scale)
        || isNear(unplannedPeakMark(model, now), pos, scale))
        return {Place::Peak, 0, {}};
    if (labels.bound && labels.bound->contains(pos))
        return {Place::Bound, 0, {}};
    if (now.layout.gutter.contains(pos))
        for (const CapacityLabel& label : capacityLabels(model, now))
            if (std::abs(label.tickY - pos.y()) <= 8 * scale
                || std::abs(label.textY + 6 * scale - pos.y()) <= 13 * scale)
                return {Place::Capacity, label.index, {}};
    return {plot.contains(pos) ? Place::Plot : Place::Nothing, 0, {}};
}

void TimelineView::Private::showCursorFor(const Hit& hit)
{
    switch (hit.place) {
    case Place::BudgetLine:
    case Place::BudgetPill: view.setCursor(Qt::SizeVerCursor); return;
    case Place::RangeBegin:
    case Place::RangeEnd: view.setCursor(Qt::SizeHorCursor); return;
    case Place::Overview:
        view.setCursor(hit.part == OverviewPart::Window    ? Qt::OpenHandCursor
                       : hit.part == OverviewPart::Outside ? Qt::CrossCursor
                                                           : Qt::SizeHorCursor);
        return;
    case Place::Band:
    case Place::Peak:
    case Place::Capacity:
    case Place::Bound:
    case Place::Pin: view.setCursor(Qt::PointingHandCursor); return;
    case Place::Plot: view.setCursor(Qt::CrossCursor); return;
    case Place::Nothing: view.setCursor(Qt::ArrowCursor); return;
    }
}

void TimelineView::Private::setCursorStep(std::optional<std::size_t> step, bool card)
{
    if (model.cursorStep == step && model.cursorCard == card)
        return;
    const bool moved = model.cursorStep != step;
    model.cursorStep = step;
    model.cursorCard = card && step.has_value();
    view.update();
    if (!moved)
        return;
    if (selection)
        selection->setStep(step);
    Q_EMIT view.stepHovered(step);
}

void TimelineView::Private::hoverAt(const QPointF& pos)
{
    const Hit hit = hitAt(pos);
    showCursorFor(hit);
    const bool onLine = hit.place == Place::BudgetLine || hit.place == Place::BudgetPill;
    if (onLine != model.lineHovered) {
        model.lineHovered = onLine;
        view.update();
    }
    const bool inPlot = frame().at.plot().contains(pos);
    setCursorStep(inPlot ? stepAtX(pos.x()) : std::nullopt, inPlot && !onLine);
}

void TimelineView::Private::press(const QPointF& pos, Qt::MouseButton button)
{
    pressed = pos;
    grabbedRange = model.viewport.range();
    closeField();
    const Hit hit = hitAt(pos);
    if (button == Qt::MiddleButton || button == Qt::RightButton) {
        if (hit.place == Place::Plot) {
            grab = Grab::Pan;
            view.setCursor(Qt::ClosedHandCursor);
        }
        return;
    }
    if (button != Qt::LeftButton)
        return;
    switch (hit.place) {
    case Place::BudgetLine:
    case Place::BudgetPill: beginDrag(pos); return;
    case Place::RangeBegin: grab = Grab::RangeBegin; return;
    case Place::RangeEnd: grab = Grab::RangeEnd; return;
    case Place::Overview:
        grab = Grab::Overview;
        overviewPart = hit.part;
        return;
    default: grab = Grab::Press;
    }
}

void TimelineView::Private::move(const QPointF& pos, Qt::MouseButtons buttons,
                                 Qt::KeyboardModifiers modifiers)
{
    if (buttons == Qt::NoButton || grab == Grab::None) {
        hoverAt(pos);
        return;
    }
    if (grab == Grab::Press && std::abs(pos.x() - pressed.x()) >= kClickMoves
        && frame().at.plot().contains(pressed)) {
        grab = Grab::Range;
        setCursorStep(std::nullopt, false);
    }
    switch (grab) {
    case Grab::Budget: dragTo(pos, modifiers); return;
    case Grab::Range: {
        const auto one = stepAtX(pressed.x());
        const auto two = stepAtX(pos.x());
        if (one && two)
            setRange(StepRange{std::min(*one, *two), std::max(*one, *two)});
        return;
    }
    case Grab::RangeBegin:
    case Grab::RangeEnd: {
        const auto step = stepAtX(pos.x());
        if (!step || !model.range)
            return;
        StepRange range = *model.range;
        if (grab == Grab::RangeBegin)
            range.begin = std::min(*step, range.end);
        else
            range.end = std::max(*step, range.begin);
        setRange(range);
        return;
    }
    case Grab::Pan: {
        const double widths = (pressed.x() - pos.x()) / frame().at.plot().width();
        model.viewport.setRange(grabbedRange);
        model.viewport.setRange(model.viewport.panned(widths));
        invalidateAll();
        return;
    }
    case Grab::Overview: moveOverview(pos); return;
    case Grab::Press:
    case Grab::None: return;
    }
}

void TimelineView::Private::moveOverview(const QPointF& pos)
{
    const TimelineFrame now = frame();
    const double from = now.overviewFraction(pressed.x());
    const double to = std::clamp(now.overviewFraction(pos.x()), 0.0, 1.0);
    VisibleRange range = grabbedRange;
    switch (overviewPart) {
    case OverviewPart::Window:
        model.viewport.setRange(grabbedRange);
        range = model.viewport.panned((to - from) / model.viewport.width());
        break;
    case OverviewPart::Left: range.begin = std::min(to, range.end); break;
    case OverviewPart::Right: range.end = std::max(to, range.begin); break;
    case OverviewPart::Outside:
        range = {std::clamp(std::min(from, to), 0.0, 1.0),
                 std::clamp(std::max(from, to), 0.0, 1.0)};
        break;
    case OverviewPart::None: return;
    }
    model.viewport.setRange(range);
    invalidateAll();
}

void TimelineView::Private::release(const QPointF& pos, Qt::MouseButton /*button*/)
{
    const Grab was = grab;
    grab = Grab::None;
    if (was == Grab::Budget && model.drag) {
        endDrag();
    } else if (was == Grab::Press) {
        click(pos);
    } else if ((was == Grab::Pan || was == Grab::Overview)
               && model.viewport.range() != grabbedRange) {
        Q_EMIT view.visibleRangeChanged(model.viewport.range(), grabbedRange);
    }
    hoverAt(pos);
}

void TimelineView::Private::click(const QPointF& pos)
{
    const Hit hit = hitAt(pos);
    pinsBeforePress = model.pins;
    switch (hit.place) {
    case Place::Pin: togglePin(model.pins[hit.index]); return;
    case Place::Band: {
        const timeline::Band& band = model.set.planned->bands()[hit.index];
        setRange(StepRange{band.begin, band.end});
        return;
    }
    case Place::Capacity: commit(model.capacities[hit.index].size); return;
    case Place::Peak: view.goToPeak(); return;
    case Place::Bound: Q_EMIT view.lowerBoundClicked(); return;
    case Place::Plot: {
        const auto step = stepAtX(pos.x());
        if (!step)
            return;
        // Above the curve there is nothing to pin.
        if (pos.y() >= frame().at.yOf(model.set.planned->totalAt(*step)))
            togglePin(*step);
        else if (!model.pins.empty())
            setPins({});
        else
            setRange(std::nullopt);
        return;
    }
    default: return;
    }
}

void TimelineView::Private::doubleClick(const QPointF& pos)
{
    const Hit hit = hitAt(pos);
    if (hit.place == Place::BudgetPill) {
        openField();
    } else if (hit.place == Place::Band) {
        const timeline::Band& band = model.set.planned->bands()[hit.index];
        showUser({model.axis.positionOf(band.begin) / model.axis.length(),
                  model.axis.positionOf(std::size_t{band.end} + 1) / model.axis.length()});
    } else if (hit.place == Place::Plot) {
        // The first click of the two has pinned something; that was not meant.
        setPins(pinsBeforePress);
        view.showWholeStep();
    }
}

void TimelineView::Private::setRange(std::optional<StepRange> range)
{
    model.range = range;
    view.update();
    if (selection)
        selection->setRange(range);
}

void TimelineView::Private::togglePin(std::size_t step)
{
    std::vector<std::size_t> pins = model.pins;
    if (std::erase(pins, step) == 0)
        pins.push_back(step);
    setPins(std::move(pins));
}

void TimelineView::Private::setPins(std::vector<std::size_t> pins)
{
    if (pins == model.pins)
        return;
    model.pins = std::move(pins);
    view.update();
    Q_EMIT view.pinsChanged();
}

void TimelineView::Private::showUser(VisibleRange range)
{
    const VisibleRange before = model.viewport.range();
    model.viewport.setRange(range);
    if (model.viewport.range() == before)
        return;
    invalidateAll();
    Q_EMIT view.visibleRangeChanged(model.viewport.range(), before);
}

void TimelineView::Private::zoomBy(double factor, std::optional<double> anchor)
{
    double at = (model.viewport.range().begin + model.viewport.range().end) / 2;
    if (anchor)
        at = *anchor;
    else if (model.cursorStep)
        at = model.axis.positionOf(*model.cursorStep) / model.axis.length();
    showUser(model.viewport.zoomed(factor, at));
}

void TimelineView::Private::moveCursor(int moves, bool byEvent)
{
    if (model.axis.stepCount() == 0)
        return;
    const std::size_t last = model.axis.stepCount() - 1;
    const TimelineFrame now = frame();
    std::size_t step = model.cursorStep.value_or(
        model.axis.stepAt((now.at.visibleBegin() + now.at.visibleEnd()) / 2));
    const std::size_t from = step;
    if (!byEvent) {
        // At least one column on, and on to the next step where a step is wider than that.
        const double x = now.xOfStep(model.axis, step) + moves / ratio();
        step = stepAtX(x).value_or(step);
    }
    if (step == from)
        step = moves > 0 ? std::min(step + 1, last) : step - std::min<std::size_t>(step, 1);
    setCursorStep(step, true);
}

bool TimelineView::Private::escape()
{
    if (model.drag) {
        cancelDrag();
        return true;
    }
    if (!model.pins.empty())
        setPins({});
    else if (model.range)
        setRange(std::nullopt);
    else
        return false;
    return true;
}

void TimelineView::mousePressEvent(QMouseEvent* event)
{
    // One gesture at a time.
    if (m->grab == Private::Grab::None)
        m->press(event->position(), event->button());
}

void TimelineView::mouseMoveEvent(QMouseEvent* event)
{
    m->move(event->position(), event->buttons(), event->modifiers());
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event)
{
    m->release(event->position(), event->button());
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    m->doubleClick(event->position());
}

void TimelineView::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m->model.lineHovered = false;
    if (m->grab == Private::Grab::None)
        m->setCursorStep(std::nullopt, false);
    update();
}

void TimelineView::wheelEvent(QWheelEvent* event)
{
    if (m->grab != Private::Grab::None) // nothing moves below a pressed button
        return;
    const TimelineFrame now = m->frame();
    const QPoint delta = event->angleDelta();
    const bool sideways = (event->modifiers() & Qt::ShiftModifier) != 0 || delta.y() == 0;
    const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / kNotch;
    if (sideways) {
        m->showUser(m->model.viewport.panned(-notches * kWheelPan));
    } else {
        const bool fine = (event->modifiers() & Qt::ControlModifier) != 0;
        m->zoomBy(std::pow(fine ? kFineZoom : kWheelZoom, notches),
                  now.at.positionAt(event->position().x()) / now.axisLength);
    }
    event->accept();
}

void TimelineView::keyPressEvent(QKeyEvent* event)
{
    const bool byEvent = (event->modifiers() & Qt::ControlModifier) != 0;
    switch (event->key()) {
    case Qt::Key_Left: m->moveCursor(-1, byEvent); return;
    case Qt::Key_Right: m->moveCursor(1, byEvent); return;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomIn(); return;
    case Qt::Key_Minus: zoomOut(); return;
    case Qt::Key_Home: m->setCursorStep(std::size_t{0}, true); return;
    case Qt::Key_End:
        if (m->model.axis.stepCount() > 0)
            m->setCursorStep(m->model.axis.stepCount() - 1, true);
        return;
    case Qt::Key_Space:
    case Qt::Key_Return: pinAtCursor(); return;
    case Qt::Key_Escape:
        if (goBack())
            return;
        break;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

} // namespace plimsoll::ui
