// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_view.h"

#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"

#include <QHelpEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

TimelineView::TimelineView(QWidget* parent) : QWidget{parent}
{
    setManualPage(*this, QStringLiteral("window.md#timeline"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Memory over the step"));
    connect(&Theme::current(), &Theme::changed, this, [this] {
        m_canvas.setTheme();
        placeChildren();
    });
    connect(&m_input, &TimelineInput::visibleRangeChanged, this,
            &TimelineView::visibleRangeChanged);
    connect(&m_input, &TimelineInput::byteZoomChanged, this, [this] {
        placeChildren();
        Q_EMIT byteZoomChanged();
    });
    connect(&m_input, &TimelineInput::pinsChanged, this, &TimelineView::pinsChanged);
    connect(&m_input, &TimelineInput::menuRequested, this, &TimelineView::requestMenu);
    connect(&m_input, &TimelineInput::stepHovered, this, &TimelineView::stepHovered);
    connect(&m_input, &TimelineInput::cursorShapeChanged, this,
            [this](Qt::CursorShape shape) { setCursor(shape); });
}

void TimelineView::holdAxis(double length)
{
    const double before = m_model.axis.length();
    const VisibleRange range = m_model.viewport.range();
    m_heldWhole = range == VisibleRange{};
    m_model.heldLength = std::max(before, length);
    if (!m_heldWhole) {
        const double scale = before / *m_model.heldLength;
        m_model.viewport.setRange({range.begin * scale, range.end * scale});
    }
    m_canvas.invalidateAll();
    placeChildren();
}

void TimelineView::releaseAxis()
{
    if (!m_model.heldLength)
        return;
    const double scale = *std::exchange(m_model.heldLength, std::nullopt) / m_model.axis.length();
    const VisibleRange range = m_model.viewport.range();
    m_model.viewport.setRange(m_heldWhole && range == VisibleRange{}
                                  ? VisibleRange{}
                                  : VisibleRange{range.begin * scale, range.end * scale});
}

void TimelineView::invalidate()
{
    if (m_model.heldLength) {
        // The frame and the overlay's curves don't change while the line is dragged.
        m_canvas.invalidateStack();
        return;
    }
    // Nothing of another graph would be seen.
    if (m_model.byteZoom && m_model.stacked && m_model.byteZoom->bottom >= m_model.reach())
        m_model.byteZoom.reset();
    m_canvas.invalidateAll();
    placeChildren();
    setAccessibleDescription(description());
}

QString TimelineView::description() const
{
    if (!m_model.stacked || m_model.stacked->stepCount() == 0)
        return {};
    QString text = tr("Peak %1").arg(bytesText(m_model.stacked->peak(), m_model.rounding));
    if (!m_model.peakName.isEmpty())
        text += tr(" at %1").arg(m_model.peakName);
    return text + u'.';
}

void TimelineView::setTimeline(timeline::TimelinePtr stacked)
{
    m_model.stacked = std::move(stacked);
    m_model.axis = StepAxis{m_model.stacked, m_model.mark};
    if (m_model.stacked)
        m_model.layers = m_model.stacked->layersPtr();
    const std::size_t steps = m_model.axis.stepCount();
    m_model.viewport.setSmallest(steps == 0 ? 1.0
                                            : std::min(1.0, 4.0 / static_cast<double>(steps)));
    std::vector<std::size_t> pins = m_model.pins;
    std::erase_if(pins, [steps](std::size_t pin) { return pin >= steps; });
    m_input.setPins(std::move(pins));
    if (m_model.cursorStep && *m_model.cursorStep >= steps)
        m_model.cursorStep.reset();
    if (m_model.range && m_model.range->end >= steps)
        m_input.setRange(std::nullopt);
    invalidate();
}

void TimelineView::setTitle(const QString& title)
{
    m_model.title = title;
    update();
}

void TimelineView::setSubtitle(const QStringList& facts)
{
    m_model.subtitle = facts;
    update();
}

void TimelineView::setVisibleRange(VisibleRange range)
{
    m_model.viewport.setRange(range);
    m_canvas.invalidateAll();
}

void TimelineView::setByteZoom(std::optional<ByteRange> range)
{
    m_model.byteZoom = range;
    invalidate();
}

void TimelineView::setPinnedSteps(const std::vector<std::size_t>& steps)
{
    m_model.pins.clear();
    for (const std::size_t step : steps)
        if (step < m_model.axis.stepCount())
            m_model.pins.push_back(step);
    invalidate();
}

void TimelineView::setMarked(std::vector<StepRange> runs)
{
    if (runs == m_model.marked)
        return;
    m_model.marked = std::move(runs);
    m_canvas.update();
}

void TimelineView::zoomToRange()
{
    if (m_model.range)
        m_input.showSteps(m_model.range->begin, m_model.range->end);
}

void TimelineView::pinAtCursor()
{
    if (m_model.cursorStep)
        m_input.togglePin(*m_model.cursorStep);
}

QSize TimelineView::sizeHint() const
{
    const Theme& theme = Theme::current();
    return {theme.px(1100), theme.px(520)};
}

QSize TimelineView::minimumSizeHint() const
{
    const Theme& theme = Theme::current();
    return {theme.px(560), theme.px(230)};
}

bool TimelineView::event(QEvent* event)
{
    if (followFocus(*event, m_model.plotFocused))
        update();
    // Undo in the middle of a drag takes the drag back, and nothing that was done before it.
    if (event->type() == QEvent::ShortcutOverride && m_input.isDraggingRange()
        && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Undo)) {
        event->accept();
        return true;
    }
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto& help = *static_cast<QHelpEvent*>(event);
    const ShownSubtitle shown = shownSubtitle(m_model, frame(), Theme::current());
    if (m_canvas.frame().layout.bands.contains(help.pos()))
        QToolTip::showText(help.globalPos(),
                           tr("Click to select the steps of a phase, double-click to zoom to them. "
                              "Drag in the plot to select any range."),
                           this);
    else if (frame().isOnMemoryAxis(help.pos()))
        QToolTip::showText(help.globalPos(),
                           tr("Turn the wheel to zoom in on a range of bytes, drag to move it, "
                              "double-click for the whole axis."),
                           this);
    else if (!shown.isWhole && shown.rect.contains(help.pos()))
        QToolTip::showText(help.globalPos(), plainTip(subtitle()), this, shown.rect.toRect());
    else
        QToolTip::hideText();
    return true;
}

void TimelineView::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter{this};
    m_canvas.paint(painter);
    Q_EMIT painted();
}

void TimelineView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_canvas.invalidateAll();
    placeChildren();
}

void TimelineView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::EnabledChange)
        m_canvas.invalidateAll();
}

void TimelineView::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    m_input.leave();
    update();
}

void TimelineView::wheelEvent(QWheelEvent* event)
{
    m_input.wheel(event->position(), event->angleDelta(), event->modifiers());
    event->accept();
}

void TimelineView::requestMenu(const QPointF& pos)
{
    const std::optional<std::size_t> step = m_canvas.stepAtX(pos.x());
    if (!step)
        return;
    TimelineSpot spot{*step, frame().at.bytesAt(pos.y()), {}};
    const timeline::Stack stack = m_model.stacked->stackAt(*step);
    base::Bytes sum;
    for (std::size_t layer = 0; layer < stack.size() && !spot.layer; ++layer) {
        sum += stack[layer];
        if (spot.bytes < sum)
            spot.layer = layer;
    }
    Q_EMIT menuRequested(spot, mapToGlobal(pos.toPoint()));
}

/// The menu of the right button opens when it is released: until then it may drag.
void TimelineView::contextMenuEvent(QContextMenuEvent* event)
{
    if (event->reason() != QContextMenuEvent::Keyboard || !m_model.cursorStep)
        return;
    const TimelineFrame now = frame();
    const base::Bytes top = m_model.stacked->totalAt(*m_model.cursorStep);
    // A little below the curve, that is, in the stack.
    const double y = std::min(now.at.yOf(now.bytes.shown.clamped(top)) + 2, now.at.plot().bottom());
    requestMenu({now.xOfStep(m_model.axis, *m_model.cursorStep), y});
}

bool TimelineView::extendByKey(const QKeyEvent& event)
{
    const bool bySteps = (event.modifiers() & Qt::ControlModifier) != 0;
    switch (event.key()) {
    case Qt::Key_Left: m_input.extendRange(-1, bySteps); return true;
    case Qt::Key_Right: m_input.extendRange(1, bySteps); return true;
    case Qt::Key_Home: m_input.extendRangeTo(0); return true;
    case Qt::Key_End: m_input.extendRangeTo(m_model.axis.stepCount() - 1); return true;
    default: return false;
    }
}

void TimelineView::keyPressEvent(QKeyEvent* event)
{
    if ((event->modifiers() & Qt::ShiftModifier) != 0 && extendByKey(*event))
        return;
    if (m_input.isDraggingRange() && event->matches(QKeySequence::Undo)) {
        m_input.goBack();
        return;
    }
    const bool bySteps = (event->modifiers() & Qt::ControlModifier) != 0;
    switch (event->key()) {
    case Qt::Key_Left: m_input.moveCursor(-1, bySteps); return;
    case Qt::Key_Right: m_input.moveCursor(1, bySteps); return;
    case Qt::Key_Up: m_input.panBytesBy(kKeyPanBytes); return;
    case Qt::Key_Down: m_input.panBytesBy(-kKeyPanBytes); return;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomIn(); return;
    case Qt::Key_Minus: zoomOut(); return;
    case Qt::Key_Home: m_input.setCursorStep(std::size_t{0}, true); return;
    case Qt::Key_End:
        if (m_model.axis.stepCount() > 0)
            m_input.setCursorStep(m_model.axis.stepCount() - 1, true);
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
