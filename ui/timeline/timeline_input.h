// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/timeline/overview.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_overlay.h"

#include <QObject>
#include <QPointer>

namespace plimsoll::ui {

/// What mouse, wheel and commands do to a timeline's model: cursor, range, pins, visible part.
/// Emits what they do to the overlay.
class TimelineInput : public QObject
{
    Q_OBJECT

public:
    /// Both must outlive it.
    TimelineInput(TimelineModel& model, TimelineCanvas& canvas) : m_model{model}, m_canvas{canvas}
    {
    }

    /// Reads and writes range and step there; may be null.
    void setSelection(Selection* selection);

    void press(const QPointF& pos, Qt::MouseButton button);
    void move(const QPointF& pos, Qt::MouseButtons buttons, Qt::KeyboardModifiers modifiers);
    void release(const QPointF& pos, Qt::KeyboardModifiers modifiers);
    void doubleClick(const QPointF& pos);
    /// `delta` in eighths of a degree.
    void wheel(const QPointF& pos, QPoint delta, Qt::KeyboardModifiers modifiers);
    void leave();
    [[nodiscard]] bool isDraggingRange() const
    {
        return m_grab == Grab::Range || m_grab == Grab::RangeEnd;
    }
    /// Cancels or ends what the pressed button drags.
    void letGo() { m_grab = Grab::None; }

    void setCursorStep(std::optional<std::size_t> step, bool card);
    /// By columns of the picture, or by steps.
    void moveCursor(int moves, bool bySteps);
    void setRange(std::optional<StepRange> range);
    /// Moves the end of the range that was moved last there, as Shift extends a selection. Without
    /// a range it begins at the cursor.
    void extendRangeTo(std::size_t step);
    /// The same by columns of the picture, or by steps.
    void extendRange(int moves, bool bySteps);
    void togglePin(std::size_t step);
    void setPins(std::vector<std::size_t> pins);
    void show(VisibleRange range);
    void showSteps(std::size_t begin, std::size_t end); ///< both included
    void showStep(std::size_t step);
    void goToPeak();
    void zoomBy(double factor, std::optional<double> anchor = std::nullopt);
    void panBy(double widths) { show(m_model.viewport.panned(widths)); }
    // The same for the memory axis. None: the whole axis.
    void showBytes(std::optional<ByteRange> range);
    /// Without an anchor around the overlay's line if it is shown.
    void zoomBytesBy(double factor, std::optional<base::Bytes> anchor = std::nullopt);
    void panBytesBy(double heights);
    /// Cancels the dragging of a range: the one from before is there again. Else clears the pins,
    /// else the range. False if there was nothing to do.
    bool goBack();

Q_SIGNALS:
    /// The user zoomed or panned.
    void visibleRangeChanged(plimsoll::ui::VisibleRange range, plimsoll::ui::VisibleRange before);
    void byteZoomChanged(); ///< by the user
    void pinsChanged();
    void menuRequested(const QPointF& pos); ///< by the right button
    void stepHovered(std::optional<std::size_t> step);
    void cursorShapeChanged(Qt::CursorShape shape);
    // The overlay's parts, by their numbers.
    void overlayHovered(std::optional<int> part); ///< of grips only
    void overlayGripped(int part, const QPointF& pos);
    void overlayDragged(const QPointF& pos, Qt::KeyboardModifiers modifiers);
    void overlayReleased();
    void overlayClicked(int part);
    void overlayDoubleClicked(int part);

private:
    enum class Grab : std::uint8_t { None, Overlay, Press, Range, RangeEnd, Pan, Axis, Overview };

    void hoverAt(const QPointF& pos);
    void click(const QPointF& pos, Qt::KeyboardModifiers modifiers);
    void clickPlot(const QPointF& pos, Qt::KeyboardModifiers modifiers);
    /// The step some columns or steps away.
    [[nodiscard]] std::size_t stepAway(std::size_t from, int moves, bool bySteps) const;
    /// Scrolls the step into view.
    void reveal(std::size_t step);
    /// The step under the cursor, or in the middle of what is shown.
    [[nodiscard]] std::size_t cursorOrMiddle() const;
    void dragRange(const QPointF& pos);
    void moveOverview(const QPointF& pos);
    /// Whether the pressed button was hardly moved.
    [[nodiscard]] bool isClick(const QPointF& pos) const;
    /// While a button is down: without signals.
    void dragTo(VisibleRange range);
    /// From where the button was pressed.
    void panMemoryTo(const QPointF& pos);

    TimelineModel& m_model;
    TimelineCanvas& m_canvas;
    QPointer<Selection> m_selection;
    Grab m_grab = Grab::None;
    OverviewPart m_overviewPart = OverviewPart::None;
    bool m_movesBegin = false;               ///< of the range: its begin was moved last
    Qt::MouseButton m_button = Qt::NoButton; ///< of m_grab
    QPointF m_pressed;
    VisibleRange m_grabbedRange;
    std::optional<ByteRange> m_grabbedBytes;
    std::vector<std::size_t> m_pinsBeforePress;
    std::optional<StepRange> m_rangeBeforePress;
};

} // namespace plimsoll::ui
