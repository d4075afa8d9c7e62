// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/selection.h"
#include "ui/timeline/timeline_data.h"

#include <QWidget>

#include <memory>

class QPainter;

namespace plimsoll::ui {

/// Memory over the step: stacked classes of the plan, the unplanned curve, and the budget line that
/// the user drags. Knows no plans: the owner answers each budgetDragged() with setTimelines(),
/// which is cheap enough to call for every mouse event.
class TimelineView : public QWidget
{
    Q_OBJECT

public:
    explicit TimelineView(QWidget* parent = nullptr);
    ~TimelineView() override;

    // What is shown. None of these moves the frame while the line is being dragged.
    void setTimelines(TimelineSet set);
    /// What was measured, over it; none: nothing is.
    void setMeasured(std::optional<MeasuredSet> measured);
    void setBudget(std::optional<base::Bytes> budget);
    void setBudgetState(BudgetState state);
    /// The pill gets "…" until the refined plan is in.
    void setStale(bool stale);
    /// The plan does not belong to the budget: drawn at 45 %.
    void setPlanPale(bool pale);
    void setLowerBound(std::optional<LowerBound> bound);
    void setSmallestFeasible(std::optional<base::Bytes> bytes);
    void setCapacityMarks(std::vector<CapacityMark> marks);
    /// Peaks of the frontier's points; devices, bounds and the unplanned peak are targets anyway.
    void setSnapTargets(std::vector<SnapTarget> targets);
    void setTitle(const QString& title);
    /// Facts, the most important one first: those without room beside the legend are left out, and
    /// a tool tip has them all.
    void setSubtitle(const QStringList& facts);
    [[nodiscard]] QString subtitle() const;
    /// What stands beside the two peaks: "lm_head, chunk 1".
    void setPeakNames(const QString& planned, const QString& unplanned);
    void setReadout(std::vector<ReadoutRow> rows);
    void setHoverProvider(HoverProvider provider);
    /// Range and step are read from and written to it; may be null.
    void setSelection(Selection* selection);

    [[nodiscard]] std::optional<base::Bytes> budget() const;
    [[nodiscard]] bool isDragging() const;
    [[nodiscard]] VisibleRange visibleRange() const;
    /// Without signal: for undo and restored sessions.
    void setVisibleRange(VisibleRange range);
    /// Planned steps whose cards are pinned, in the order of pinning.
    [[nodiscard]] std::vector<std::size_t> pinnedSteps() const;
    /// Steps that the plan doesn't have are left out.
    void setPinnedSteps(const std::vector<std::size_t>& steps);
    [[nodiscard]] base::Bytes axisTop() const;

    /// The planned step under the cursor.
    [[nodiscard]] std::optional<std::size_t> cursorStep() const;

    // Commands of the menus.
    void zoomIn();
    void zoomOut();
    void panLeft();
    void panRight();
    void showWholeStep();
    void zoomToRange();
    void goToPeak();
    /// Puts the cursor there and brings it into view; steps that the plan doesn't have are left
    /// out.
    void showStep(std::size_t step);
    void pinAtCursor();
    /// What Esc does: ends a drag, else lets go of pins, else of the range. False: there was
    /// nothing.
    bool goBack();
    void focusBudgetLine();
    /// Opens the field in the pill.
    void typeBudget();

    /// Draws the view as it is, without hover and focus, into any painter at this size: pictures,
    /// SVG.
    void renderTo(QPainter* painter, QSize size) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// Each new value while dragging.
    void budgetDragged(plimsoll::base::Bytes budget);
    /// Release, key, typed value, click on a device: one undo step from `before`.
    void budgetCommitted(plimsoll::base::Bytes budget, plimsoll::base::Bytes before);
    /// Esc while dragging; the line is back at its old value.
    void budgetDragCancelled();
    /// The user zoomed or panned.
    void visibleRangeChanged(plimsoll::ui::VisibleRange range, plimsoll::ui::VisibleRange before);
    void pinsChanged();
    /// The cursor is on this planned step, or gone.
    void stepHovered(std::optional<std::size_t> step);
    void lowerBoundClicked();
    /// The typed budget could not be read; a sentence.
    void budgetRejected(const QString& reason);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Private;
    friend class Private;
    std::unique_ptr<Private> m;
};

} // namespace plimsoll::ui
