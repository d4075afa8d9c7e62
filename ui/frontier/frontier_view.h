// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/bound.h"
#include "core/evaluate/frontier.h"
#include "ui/frontier/frontier_tips.h"

#include <QPixmap>
#include <QWidget>

#include <functional>
#include <vector>

namespace plimsoll::ui {

/// A planner's mark and name.
struct FrontierLegendEntry
{
    QString name;
    QPointF mark; ///< its centre, in widget coordinates
};

/// Slow-down against peak: every known verified plan, as a step curve, each marked by the planner
/// that made it, with a legend of the marks above; the zone below the proven bound is hatched, the
/// budget is a vertical line, the current plan is ringed. Dragging in the plot drags the budget; a
/// click on a plan sets the budget from which on it is taken.
class FrontierView : public QWidget
{
    Q_OBJECT

public:
    explicit FrontierView(QWidget* parent = nullptr);

    /// Null frontier: shows "The curve appears with the first plan."
    void setFrontier(plan::FrontierPtr frontier, base::Nanoseconds unplannedTime,
                     base::Bytes lowerBound);
    /// What is told of a point in addition: how it differs from the next larger plan.
    using Difference =
        std::function<QString(const plan::VerifiedPlan& larger, const plan::FrontierPoint& point)>;
    void setDifference(Difference difference) { m_difference = std::move(difference); }
    /// What is said while there is no curve.
    void setEmptyText(const QString& text);
    void setBudget(base::Bytes budget);
    /// From which budget on each plan is taken: the arrow keys go there. `isByRun`: where it runs,
    /// else where its peak is within the budget.
    void setStops(run::PlansByBudget stops, bool isByRun)
    {
        m_stops = std::move(stops);
        m_isByRun = isByRun;
    }
    /// The budget was changed by other means while it was dragged here.
    void endDrag();
    /// The shown plan; null: none within the budget.
    void setCurrent(plan::VerifiedPlanPtr plan);

    [[nodiscard]] base::Bytes budget() const { return m_budget; }
    [[nodiscard]] const plan::VerifiedPlanPtr& current() const { return m_current; }
    /// Centre of a plan's marker in widget coordinates.
    [[nodiscard]] QPointF positionOf(const plan::VerifiedPlan& plan) const;
    /// Of the figures of the shown plan, in widget coordinates; empty without one. They hide no
    /// plan's mark where there is such a place beside the budget's line.
    [[nodiscard]] QRectF labelRect() const;
    [[nodiscard]] base::Bytes budgetAt(double x) const;
    /// The planners that made the plans, each mark once, as far as there is room. Planners without
    /// a mark of their own share one, "others".
    [[nodiscard]] std::vector<FrontierLegendEntry> legend() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void budgetDragged(plimsoll::base::Bytes budget);
    void budgetCommitted(plimsoll::base::Bytes budget);
    void budgetDragCancelled();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    [[nodiscard]] FrontierAxes axes() const;
    [[nodiscard]] double slowerOf(const plan::VerifiedPlan& plan) const;
    void paintAxes(QPainter& painter, const FrontierAxes& range) const;
    static void paintBreak(QPainter& painter, const FrontierAxes& range);
    void paintCurve(QPainter& painter, const FrontierAxes& range) const;
    void paintMarks(QPainter& painter, const FrontierAxes& range,
                    const std::vector<plan::FrontierPoint>& plans) const;
    void paintLegend(QPainter& painter) const;
    void paintBudget(QPainter& painter, const FrontierAxes& range) const;
    [[nodiscard]] NearPlan nearTo(QPointF position) const;
    [[nodiscard]] const run::PlanFrom* stopOf(const plan::FrontierPoint& point) const;
    [[nodiscard]] QString currentText() const;
    [[nodiscard]] double budgetX(const FrontierAxes& range) const;
    /// Of the shown plan's ring.
    [[nodiscard]] QPointF ringCenter(const FrontierAxes& range) const;
    void updateToolTip(QPointF position);
    void describe();
    void redraw(); ///< including the cached part

    plan::FrontierPtr m_frontier;
    plan::VerifiedPlanPtr m_current;
    base::Nanoseconds m_unplannedTime;
    base::Bytes m_lowerBound;
    Difference m_difference;
    QString m_emptyText = tr("The curve appears with the first plan.");
    run::PlansByBudget m_stops;
    bool m_isByRun = false;
    base::Bytes m_budget;
    bool m_dragging = false;
    QPointF m_pressed;      ///< where the drag began
    bool m_hasRing = false; ///< the focus came by keyboard

    QPixmap m_still; ///< axes and curve, which don't depend on the budget
    bool m_stillDirty = true;
};

} // namespace plimsoll::ui
