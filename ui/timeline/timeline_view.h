// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/timeline/timeline_input.h"

#include <QMouseEvent>
#include <QWidget>

namespace plimsoll::ui {

/// A place in the plot.
struct TimelineSpot
{
    std::size_t step = 0;
    base::Bytes bytes;
    std::optional<std::size_t> layer; ///< of the stack there; none: above it
};

/// Memory over time: the layers of a timeline as a stack, with cursor, range, pins, zoom and an
/// overview. Views for a kind of document derive from it and add an overlay.
class TimelineView : public QWidget
{
    Q_OBJECT

public:
    explicit TimelineView(QWidget* parent = nullptr);

    void setTimeline(timeline::TimelinePtr stacked);
    [[nodiscard]] const timeline::TimelinePtr& timeline() const { return m_model.stacked; }
    void setTitle(const QString& title);
    /// Facts, the most important one first: those for which there is no room beside the legend are
    /// omitted, and a tool tip has all.
    void setSubtitle(const QStringList& facts);
    [[nodiscard]] QString subtitle() const { return wholeSubtitle(m_model); }
    /// Reads and writes range and step there; may be null.
    void setSelection(Selection* selection) { m_input.setSelection(selection); }

    /// Runs of steps to mark at the foot of the plot, in order.
    void setMarked(std::vector<StepRange> runs);
    [[nodiscard]] const std::vector<StepRange>& marked() const { return m_model.marked; }

    [[nodiscard]] VisibleRange visibleRange() const { return m_model.viewport.range(); }
    /// Without signal: for undo and restored sessions.
    void setVisibleRange(VisibleRange range);
    /// Steps whose cards are pinned, in the order of pinning.
    [[nodiscard]] std::vector<std::size_t> pinnedSteps() const { return m_model.pins; }
    /// Ignores steps that the timeline doesn't have.
    void setPinnedSteps(const std::vector<std::size_t>& steps);
    /// Upper end of the whole memory axis.
    [[nodiscard]] base::Bytes axisTop() const { return frame().wholeTop; }
    /// The part of the memory axis that is shown.
    [[nodiscard]] ByteRange shownBytes() const { return frame().bytes.shown; }
    /// None: all of it, whatever the curves need. A part stays as it is when they change.
    [[nodiscard]] std::optional<ByteRange> byteZoom() const { return m_model.byteZoom; }
    /// Without signal: for restored sessions.
    void setByteZoom(std::optional<ByteRange> range);
    /// Nanoseconds or steps, as StepAxis::length(): of the shown step, or longer during a drag.
    [[nodiscard]] double axisLength() const { return m_model.axisLength(); }
    /// The plot without its axes.
    [[nodiscard]] QRectF plotRect() const { return frame().at.plot(); }
    /// The step under the cursor.
    [[nodiscard]] std::optional<std::size_t> cursorStep() const { return m_model.cursorStep; }
    /// The selected range.
    [[nodiscard]] std::optional<StepRange> range() const { return m_model.range; }

    // Commands of the menus.
    void zoomIn() { m_input.zoomBy(kKeyZoom); }
    void zoomOut() { m_input.zoomBy(1 / kKeyZoom); }
    void panLeft() { m_input.panBy(-kKeyPan); }
    void panRight() { m_input.panBy(kKeyPan); }
    void showWholeStep() { m_input.show({0.0, 1.0}); }
    void zoomToRange();
    void zoomInBytes() { m_input.zoomBytesBy(kKeyZoom); }
    void zoomOutBytes() { m_input.zoomBytesBy(1 / kKeyZoom); }
    void showWholeMemoryAxis() { m_input.showBytes(std::nullopt); }
    void goToPeak() { m_input.goToPeak(); }
    /// Moves the cursor there and scrolls it into view; ignores steps that the timeline doesn't
    /// have.
    void showStep(std::size_t step) { m_input.showStep(step); }
    /// Both included.
    void showSteps(std::size_t begin, std::size_t end) { m_input.showSteps(begin, end); }
    void pinStep(std::size_t step) { m_input.togglePin(step); }
    void pinAtCursor();
    /// The action of Esc: clears the pins, else the range. False if there was nothing to clear.
    virtual bool goBack() { return m_input.goBack(); }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The user zoomed or panned.
    void visibleRangeChanged(plimsoll::ui::VisibleRange range, plimsoll::ui::VisibleRange before);
    void byteZoomChanged(); ///< by the user
    void pinsChanged();
    /// A menu is wanted by mouse or keyboard, about what is there.
    void menuRequested(const plimsoll::ui::TimelineSpot& spot, const QPoint& globalPos);
    void painted(); ///< for views that share the axis: it may have changed
    /// The cursor is on this step, or has left.
    void stepHovered(std::optional<std::size_t> step);

protected:
    [[nodiscard]] TimelineModel& model() { return m_model; }
    [[nodiscard]] const TimelineModel& model() const { return m_model; }
    [[nodiscard]] TimelineInput& input() { return m_input; }
    [[nodiscard]] TimelineFrame frame() const { return m_canvas.frame(); }
    /// Fixes the frame while an overlay is dragged, with an axis of at least `length`, on which
    /// what is shown stays visible.
    void holdAxis(double length);
    void releaseAxis();
    /// Repaints everything; while an overlay is dragged, only the stack.
    void invalidate();
    /// The frame may have changed: moves child widgets to their places.
    virtual void placeChildren() {}
    /// For screen readers.
    [[nodiscard]] virtual QString description() const;

    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override
    {
        m_input.press(event->position(), event->button());
    }
    void mouseMoveEvent(QMouseEvent* event) override
    {
        m_input.move(event->position(), event->buttons(), event->modifiers());
    }
    void mouseReleaseEvent(QMouseEvent* event) override
    {
        m_input.release(event->position(), event->modifiers());
    }
    void contextMenuEvent(QContextMenuEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override
    {
        m_input.doubleClick(event->position());
    }
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void requestMenu(const QPointF& pos);
    bool extendByKey(const QKeyEvent& event);

    static constexpr double kKeyZoom = 0.5;
    static constexpr double kKeyPan = 0.25;
    static constexpr double kKeyPanBytes = 0.125;

    TimelineModel m_model;
    bool m_heldWhole = false; ///< the whole step was visible when the axis was held
    TimelineCanvas m_canvas{*this, m_model};
    TimelineInput m_input{m_model, m_canvas};
};

} // namespace plimsoll::ui
