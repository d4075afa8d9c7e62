// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_input.h"

#include "ui/timeline/timeline_hit.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kClickMoves = 4;  ///< a press that moves less is a click
constexpr double kWheelZoom = 0.8; ///< per notch
constexpr double kFineZoom = 0.95;
constexpr double kNotch = 120.0;
constexpr double kWheelPan = 0.1; ///< visible widths per notch

} // namespace

void TimelineInput::setSelection(Selection* selection)
{
    if (m_selection)
        disconnect(m_selection, nullptr, this, nullptr);
    m_selection = selection;
    if (selection == nullptr)
        return;
    const auto read = [this] {
        const Selection* from = m_selection.data();
        if (from == nullptr)
            return;
        m_model.range = from->range();
        m_model.cursorStep = from->step();
        m_canvas.update();
    };
    connect(selection, &Selection::rangeChanged, this, read);
    connect(selection, &Selection::stepChanged, this, read);
    read();
}

void TimelineInput::setCursorStep(std::optional<std::size_t> step, bool card)
{
    if (m_model.cursorStep == step && m_model.cursorCard == card)
        return;
    const bool moved = m_model.cursorStep != step;
    m_model.cursorStep = step;
    m_model.cursorCard = card && step.has_value();
    m_canvas.update();
    if (!moved)
        return;
    if (m_selection)
        m_selection->setStep(step);
    Q_EMIT stepHovered(step);
}

void TimelineInput::hoverAt(const QPointF& pos)
{
    const Hit hit = hitAt(m_model, m_canvas.frame(), m_canvas.labels(), pos);
    Q_EMIT cursorShapeChanged(cursorFor(hit));
    const bool onGrip = hit.place == Place::Overlay && hit.overlay.isGrip;
    Q_EMIT overlayHovered(onGrip ? std::optional{hit.overlay.part} : std::nullopt);
    const bool inPlot = m_canvas.frame().at.plot().contains(pos);
    setCursorStep(inPlot ? m_canvas.stepAtX(pos.x()) : std::nullopt, inPlot && !onGrip);
}

void TimelineInput::press(const QPointF& pos, Qt::MouseButton button)
{
    if (m_grab != Grab::None) // one gesture at a time
        return;
    m_rangeBeforePress = m_model.range;
    m_pressed = pos;
    m_button = button;
    m_grabbedRange = m_model.viewport.range();
    m_grabbedBytes = m_model.byteZoom;
    const Hit hit = hitAt(m_model, m_canvas.frame(), m_canvas.labels(), pos);
    if (button == Qt::MiddleButton || button == Qt::RightButton) {
        // A menu opens wherever the right button isn't moved.
        if (button == Qt::RightButton ? m_canvas.frame().at.plot().contains(pos)
                                      : hit.place == Place::Plot)
            m_grab = Grab::Pan;
        return;
    }
    if (button != Qt::LeftButton)
        return;
    switch (hit.place) {
    case Place::RangeBegin:
    case Place::RangeEnd:
        m_grab = Grab::RangeEnd;
        m_movesBegin = hit.place == Place::RangeBegin;
        return;
    case Place::Overview:
        m_grab = Grab::Overview;
        m_overviewPart = hit.part;
        return;
    case Place::MemoryAxis: m_grab = Grab::Axis; return;
    default: m_grab = Grab::Press;
    }
    if (hit.place == Place::Overlay && hit.overlay.isGrip) {
        m_grab = Grab::Overlay;
        Q_EMIT overlayGripped(hit.overlay.part, pos);
    }
}

void TimelineInput::move(const QPointF& pos, Qt::MouseButtons buttons,
                         Qt::KeyboardModifiers modifiers)
{
    if (buttons == Qt::NoButton || m_grab == Grab::None) {
        hoverAt(pos);
        return;
    }
    if (m_grab == Grab::Press && std::abs(pos.x() - m_pressed.x()) >= kClickMoves
        && m_canvas.frame().at.plot().contains(m_pressed)) {
        m_grab = Grab::Range;
        setCursorStep(std::nullopt, false);
    }
    switch (m_grab) {
    case Grab::Overlay: Q_EMIT overlayDragged(pos, modifiers); return;
    case Grab::Range:
    case Grab::RangeEnd: dragRange(pos); return;
    case Grab::Axis:
        panMemoryTo(pos);
        m_canvas.invalidateAll();
        return;
    case Grab::Pan:
        if (m_button == Qt::RightButton && isClick(pos))
            return;
        Q_EMIT cursorShapeChanged(Qt::ClosedHandCursor);
        panMemoryTo(pos);
        m_model.viewport.setRange(m_grabbedRange);
        dragTo(m_model.viewport.panned((m_pressed.x() - pos.x())
                                       / m_canvas.frame().at.plot().width()));
        return;
    case Grab::Overview: moveOverview(pos); return;
    case Grab::Press:
    case Grab::None: return;
    }
}

void TimelineInput::dragRange(const QPointF& pos)
{
    const auto step = m_canvas.stepAtX(pos.x());
    if (!step)
        return;
    if (m_grab == Grab::Range) {
        const std::size_t from = m_canvas.stepAtX(m_pressed.x()).value_or(*step);
        m_movesBegin = *step < from;
        setRange(StepRange{std::min(from, *step), std::max(from, *step)});
    } else if (m_model.range) {
        // An end that is dragged over the other one becomes that one.
        extendRangeTo(*step);
    }
}

void TimelineInput::panMemoryTo(const QPointF& pos)
{
    if (!m_grabbedBytes)
        return;
    const TimelineFrame now = m_canvas.frame();
    m_model.byteZoom =
        panned(*m_grabbedBytes, (pos.y() - m_pressed.y()) / now.at.plot().height(), now.wholeTop);
}

void TimelineInput::dragTo(VisibleRange range)
{
    m_model.viewport.setRange(range);
    m_canvas.invalidateAll();
}

void TimelineInput::moveOverview(const QPointF& pos)
{
    const TimelineFrame now = m_canvas.frame();
    m_model.viewport.setRange(m_grabbedRange);
    dragTo(draggedRange(m_model.viewport, m_overviewPart, now.overviewFraction(m_pressed.x()),
                        now.overviewFraction(pos.x())));
}

bool TimelineInput::isClick(const QPointF& pos) const
{
    return std::abs(pos.x() - m_pressed.x()) < kClickMoves
           && std::abs(pos.y() - m_pressed.y()) < kClickMoves;
}

void TimelineInput::release(const QPointF& pos, Qt::KeyboardModifiers modifiers)
{
    const Grab was = m_grab;
    m_grab = Grab::None;
    if (was == Grab::Overlay)
        Q_EMIT overlayReleased();
    else if (was == Grab::Press)
        click(pos, modifiers);
    else if (was == Grab::Pan && m_button == Qt::RightButton && isClick(pos))
        Q_EMIT menuRequested(pos);
    else if ((was == Grab::Pan || was == Grab::Overview)
             && m_model.viewport.range() != m_grabbedRange)
        Q_EMIT visibleRangeChanged(m_model.viewport.range(), m_grabbedRange);
    if ((was == Grab::Pan || was == Grab::Axis) && m_model.byteZoom != m_grabbedBytes)
        Q_EMIT byteZoomChanged();
    hoverAt(pos);
}

void TimelineInput::click(const QPointF& pos, Qt::KeyboardModifiers modifiers)
{
    const Hit hit = hitAt(m_model, m_canvas.frame(), m_canvas.labels(), pos);
    m_pinsBeforePress = m_model.pins;
    switch (hit.place) {
    case Place::Overlay: Q_EMIT overlayClicked(hit.overlay.part); return;
    case Place::Pin: togglePin(m_model.pins[hit.index]); return;
    case Place::Band: {
        const timeline::Band& band = m_model.stacked->bands()[hit.index];
        setRange(StepRange{band.begin, band.end});
        m_movesBegin = false;
        return;
    }
    case Place::Peak: goToPeak(); return;
    case Place::Plot: clickPlot(pos, modifiers); return;
    default: return;
    }
}

void TimelineInput::clickPlot(const QPointF& pos, Qt::KeyboardModifiers modifiers)
{
    const auto step = m_canvas.stepAtX(pos.x());
    if (!step)
        return;
    if ((modifiers & Qt::ShiftModifier) != 0) {
        if (!m_model.range && !m_model.pins.empty()) // from the last pin to here
            setRange(StepRange{m_model.pins.back(), m_model.pins.back()});
        extendRangeTo(*step);
        return;
    }
    // There is nothing to pin above the curve.
    if (pos.y() >= m_canvas.frame().at.yOf(m_model.stacked->totalAt(*step)))
        togglePin(*step);
    else if (!m_model.pins.empty())
        setPins({});
    else
        setRange(std::nullopt);
}

void TimelineInput::doubleClick(const QPointF& pos)
{
    const Hit hit = hitAt(m_model, m_canvas.frame(), m_canvas.labels(), pos);
    if (hit.place == Place::Overlay) {
        Q_EMIT overlayDoubleClicked(hit.overlay.part);
    } else if (hit.place == Place::Band) {
        const timeline::Band& band = m_model.stacked->bands()[hit.index];
        showSteps(band.begin, band.end);
    } else if (hit.place == Place::MemoryAxis) {
        showBytes(std::nullopt);
    } else if (hit.place == Place::Plot) {
        // The first click of the double click has pinned a step; undo that.
        setPins(m_pinsBeforePress);
        show({0.0, 1.0});
    }
}

void TimelineInput::wheel(const QPointF& pos, QPoint delta, Qt::KeyboardModifiers modifiers)
{
    if (m_grab != Grab::None) // no hover effects while a button is pressed
        return;
    const TimelineFrame now = m_canvas.frame();
    const bool shift = (modifiers & Qt::ShiftModifier) != 0;
    const bool onMemoryAxis = now.isOnMemoryAxis(pos) && (shift || delta.y() != 0);
    const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / kNotch;
    const double factor =
        std::pow((modifiers & Qt::ControlModifier) != 0 ? kFineZoom : kWheelZoom, notches);
    if (onMemoryAxis && shift)
        panBytesBy(notches * kWheelPan);
    else if (onMemoryAxis)
        zoomBytesBy(factor, now.at.bytesAt(pos.y()));
    else if (shift || delta.y() == 0)
        panBy(-notches * kWheelPan);
    else
        zoomBy(factor, now.at.positionAt(pos.x()) / now.axisLength);
    hoverAt(pos); // another step is there now
}

void TimelineInput::leave()
{
    Q_EMIT overlayHovered(std::nullopt);
    if (m_grab == Grab::None)
        setCursorStep(std::nullopt, false);
}

std::size_t TimelineInput::cursorOrMiddle() const
{
    const TimelineFrame now = m_canvas.frame();
    return m_model.cursorStep.value_or(
        m_model.axis.stepAt((now.at.visibleBegin() + now.at.visibleEnd()) / 2));
}

std::size_t TimelineInput::stepAway(std::size_t from, int moves, bool bySteps) const
{
    const std::size_t last = m_model.axis.stepCount() - 1;
    std::size_t step = from;
    if (!bySteps) {
        // At least one column, and at least one step where a step is wider than a column.
        const double x = m_canvas.frame().xOfStep(m_model.axis, step) + moves / m_canvas.ratio();
        step = m_canvas.stepAtX(x).value_or(step);
    }
    if (step == from)
        step = moves > 0 ? std::min(step + 1, last) : step - std::min<std::size_t>(step, 1);
    return step;
}

void TimelineInput::moveCursor(int moves, bool bySteps)
{
    if (m_model.axis.stepCount() > 0)
        setCursorStep(stepAway(cursorOrMiddle(), moves, bySteps), true);
}

void TimelineInput::extendRangeTo(std::size_t step)
{
    if (step >= m_model.axis.stepCount())
        return;
    const StepRange now = m_model.range.value_or(StepRange{step, step});
    const std::size_t anchor = m_movesBegin ? now.end : now.begin;
    m_movesBegin = step < anchor;
    setRange(StepRange{std::min(anchor, step), std::max(anchor, step)});
}

void TimelineInput::extendRange(int moves, bool bySteps)
{
    if (m_model.axis.stepCount() == 0)
        return;
    if (!m_model.range) {
        const std::size_t step = cursorOrMiddle();
        setRange(StepRange{step, step});
        m_movesBegin = moves < 0;
    }
    const std::size_t moved = m_movesBegin ? m_model.range->begin : m_model.range->end;
    const std::size_t step = stepAway(moved, moves, bySteps);
    reveal(step);
    extendRangeTo(step);
}

void TimelineInput::setRange(std::optional<StepRange> range)
{
    m_model.range = range;
    m_canvas.update();
    if (m_selection)
        m_selection->setRange(range);
}

void TimelineInput::togglePin(std::size_t step)
{
    std::vector<std::size_t> pins = m_model.pins;
    if (std::erase(pins, step) == 0)
        pins.push_back(step);
    setPins(std::move(pins));
}

void TimelineInput::setPins(std::vector<std::size_t> pins)
{
    if (pins == m_model.pins)
        return;
    m_model.pins = std::move(pins);
    m_canvas.update();
    Q_EMIT pinsChanged();
}

void TimelineInput::show(VisibleRange range)
{
    const VisibleRange before = m_model.viewport.range();
    m_model.viewport.setRange(range);
    if (m_model.viewport.range() == before)
        return;
    m_canvas.invalidateAll();
    Q_EMIT visibleRangeChanged(m_model.viewport.range(), before);
}

void TimelineInput::showSteps(std::size_t begin, std::size_t end)
{
    const StepAxis& axis = m_model.axis;
    show({axis.positionOf(begin) / axis.length(), axis.positionOf(end + 1) / axis.length()});
}

void TimelineInput::showStep(std::size_t step)
{
    if (step >= m_model.axis.stepCount())
        return;
    reveal(step);
    setCursorStep(step, true);
}

void TimelineInput::reveal(std::size_t step)
{
    const double at = m_model.axis.positionOf(step) / m_model.axis.length();
    const VisibleRange now = m_model.viewport.range();
    const double half = m_model.viewport.width() / 2;
    if (at < now.begin || at > now.end)
        show({at - half, at + half});
}

void TimelineInput::goToPeak()
{
    if (m_model.axis.stepCount() > 0)
        showStep(m_model.stacked->peakStep());
}

void TimelineInput::zoomBy(double factor, std::optional<double> anchor)
{
    double at = (m_model.viewport.range().begin + m_model.viewport.range().end) / 2;
    if (anchor)
        at = *anchor;
    else if (m_model.cursorStep)
        at = m_model.axis.positionOf(*m_model.cursorStep) / m_model.axis.length();
    show(m_model.viewport.zoomed(factor, at));
}

void TimelineInput::showBytes(std::optional<ByteRange> range)
{
    if (range && range->span() >= m_canvas.frame().wholeTop)
        range.reset();
    if (m_model.byteZoom == range)
        return;
    m_model.byteZoom = range;
    m_canvas.invalidateAll();
    Q_EMIT byteZoomChanged();
}

void TimelineInput::zoomBytesBy(double factor, std::optional<base::Bytes> anchor)
{
    const TimelineFrame now = m_canvas.frame();
    const ByteRange& shown = now.bytes.shown;
    if (!anchor && m_model.line && now.shows(*m_model.line))
        anchor = m_model.line;
    showBytes(zoomed(shown, factor,
                     anchor.value_or(shown.bottom + base::Bytes{shown.span().count() / 2}),
                     now.wholeTop));
}

void TimelineInput::panBytesBy(double heights)
{
    if (m_model.byteZoom)
        showBytes(panned(*m_model.byteZoom, heights, m_canvas.frame().wholeTop));
}

bool TimelineInput::goBack()
{
    const bool isRange = isDraggingRange();
    letGo();
    if (isRange || (m_model.pins.empty() && m_model.range))
        setRange(isRange ? m_rangeBeforePress : std::nullopt);
    else if (!m_model.pins.empty())
        setPins({});
    else
        return false;
    return true;
}

} // namespace plimsoll::ui
