// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/budget_timeline/budget_handle.h"
#include "ui/budget_timeline/budget_overlay.h"
#include "ui/timeline/timeline_view.h"

class QLineEdit;

namespace plimsoll::ui {

/// Memory over the step of a plan: stacked classes, the unplanned curve, and the budget line that
/// the user drags. Independent of plans: the owner answers each budgetDragged() with
/// setTimelines(), which is cheap enough to call for every mouse event.
class BudgetTimelineView : public TimelineView
{
    Q_OBJECT

public:
    explicit BudgetTimelineView(QWidget* parent = nullptr);
    ~BudgetTimelineView() override;

    // The content. None of these setters moves the frame while the line is being dragged.
    void setTimelines(TimelineSet set);
    /// The measurement shown over it; none: no measurement.
    void setMeasured(std::optional<MeasuredSet> measured);
    void setBudget(std::optional<base::Bytes> budget);
    void setBudgetState(BudgetState state);
    /// The pill shows "…" until the refined plan is available.
    void setStale(bool stale)
    {
        m_budget.stale = stale;
        update();
    }
    /// The plan does not belong to the budget: drawn at 45 %.
    void setPlanPale(bool pale)
    {
        model().pale = pale;
        update();
    }
    void setLowerBound(std::optional<LowerBound> bound)
    {
        m_budget.bound = std::move(bound);
        changed();
    }
    void setSmallestFeasible(std::optional<base::Bytes> bytes)
    {
        m_budget.smallestFeasible = bytes;
    }
    /// A little more than where plans differ: from the smallest peak of a plan to the unplanned
    /// peak, or to the largest budget that takes a plan of its own. None if that isn't known, or if
    /// there is nothing to plan.
    [[nodiscard]] std::optional<ByteRange> plannableRange() const;
    void setCapacityMarks(std::vector<CapacityMark> marks)
    {
        m_budget.capacities = std::move(marks);
        changed();
    }
    /// The slowest step that may be shown while the line is dragged, which has the smallest peak:
    /// the axis has room for it.
    void setLongest(timeline::TimelinePtr longest) { m_longest = std::move(longest); }
    /// Peaks of the frontier's points; devices, bounds and the unplanned peak are always targets.
    void setSnapTargets(std::vector<SnapTarget> targets)
    {
        m_budget.extraTargets = std::move(targets);
    }
    /// The labels of the two peaks: "lm_head, chunk 1".
    void setPeakNames(const QString& planned, const QString& unplanned)
    {
        model().peakName = planned;
        m_budget.unplannedPeakName = unplanned;
        update();
    }
    void setReadout(std::vector<ReadoutRow> rows)
    {
        m_budget.readout = std::move(rows);
        update();
    }
    /// About planned steps.
    void setHoverProvider(HoverProvider provider);

    [[nodiscard]] std::optional<base::Bytes> budget() const { return model().line; }
    [[nodiscard]] bool isDragging() const { return m_budget.drag.has_value(); }

    /// Lets the line go without telling anyone: the budget was changed by other means.
    void endDragAt(base::Bytes budget);
    /// Ends a drag first.
    bool goBack() override;
    void focusBudgetLine();
    /// The budget at which a line dragged to this place would be: rounded, or at a snap target.
    [[nodiscard]] base::Bytes snapped(base::Bytes bytes) const;
    /// One undo step, as if the line had been dragged there.
    void commitBudget(base::Bytes budget) { commit(budget); }
    /// Zooms the memory axis in on the plannable range.
    void fitToPlannableRange();
    /// Opens the field in the pill.
    void typeBudget();

Q_SIGNALS:
    /// Emitted for each new value while dragging.
    void budgetDragged(plimsoll::base::Bytes budget);
    /// Release, key, typed value, click on a device: one undo step from `before`.
    void budgetCommitted(plimsoll::base::Bytes budget, plimsoll::base::Bytes before);
    /// Esc while dragging; the line is back at its old value.
    void budgetDragCancelled();
    void lowerBoundClicked();
    /// The typed budget could not be read; a sentence.
    void budgetRejected(const QString& reason);

protected:
    void placeChildren() override;
    [[nodiscard]] QString description() const override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void connectHandle();
    void connectInput();
    /// Updates what may change the memory axis.
    void changed();
    void beginDrag(const QPointF& pos);
    void dragTo(const QPointF& pos, Qt::KeyboardModifiers modifiers);
    void endDrag();
    void letGo();
    void click(int part);
    void commit(base::Bytes budget);
    void readField();
    void closeField();

    timeline::TimelinePtr m_longest;
    BudgetModel m_budget{model()};
    BudgetOverlay m_overlay{m_budget};
    BudgetHandle* m_handle;
    QLineEdit* m_field;
};

} // namespace plimsoll::ui
