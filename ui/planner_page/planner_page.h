// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/base/message_strip.h"
#include "ui/base/selection.h"
#include "ui/base/theme.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/planner_page/document_controller.h"
#include "ui/planner_page/problem_log.h"

#include <QMainWindow>
#include <QTimer>

#include <memory>

class QScrollArea;

namespace plimsoll::ui {

class AccessPage;
class BudgetPanel;
class FrontierView;
class LivePage;
class MeasuredPage;
struct MeasuredRow;
class PagesDock;
class PinPage;
class PlanPage;
class ProblemPage;
class RunPage;
class TableTwins;

/// What the status bar says about a plan.
struct StatusText
{
    QString text;
    QString icon;
    bool isDanger = false;
};

/// The Planner view of one document: timeline in the centre, docks around it. Each document has its
/// own docks, so that a session brings its layout along.
class PlannerPage : public QMainWindow
{
    Q_OBJECT

public:
    explicit PlannerPage(workspace::PlanDocument opened, QWidget* parent = nullptr);
    ~PlannerPage() override;

    [[nodiscard]] DocumentController& document() { return m_document; }
    [[nodiscard]] BudgetTimelineView& timeline() { return *m_timeline; }
    [[nodiscard]] MessageStrip& strip() { return *m_strip; }
    [[nodiscard]] BudgetPanel& budgetPanel() { return *m_panel; }
    [[nodiscard]] PlanPage& planPage() { return *m_plan; }
    [[nodiscard]] RunPage& runPage() { return *m_runs; }
    /// In the dock while a measurement is laid over.
    [[nodiscard]] MeasuredPage& measuredPage() { return *m_measured; }
    [[nodiscard]] LivePage& livePage() { return *m_live; }
    [[nodiscard]] AccessPage& accessPage() { return *m_accesses; }
    [[nodiscard]] PinPage& pinPage() { return *m_pins; }
    [[nodiscard]] ProblemPage& problemPage() { return *m_problems; }
    /// The dock of the plan, its runs and what is live.
    [[nodiscard]] PagesDock& planDock() { return *m_planDock; }
    [[nodiscard]] FrontierView& frontier() { return *m_frontier; }
    /// Show and hide actions of the docks.
    [[nodiscard]] QList<QAction*> dockActions() const;
    /// What F6 goes through: the centre, then the visible docks by place.
    [[nodiscard]] QList<QWidget*> panels() const;
    /// The layout as drawn in the design.
    void resetLayout();
    /// Only the centre, or the docks as they were.
    void setFocused(bool focused);
    [[nodiscard]] bool isFocused() const { return m_isFocused; }
    void clearSelection() { m_selection.clear(); }
    /// The plot that has the focus, else the timeline, as a table; again: away with it.
    void toggleTable();
    /// Puts the cursor on the op, where the shown plan first runs it.
    void showOp(graph::OpId op);
    /// Puts zoom and layout into the document.
    void storeView();
    /// Verified plan, or why there is none.
    [[nodiscard]] StatusText status() const;
    /// "Planning: 47.0 %"; empty when nothing runs.
    [[nodiscard]] QString jobText() const;
    [[nodiscard]] QString cursorText() const;
    /// "1,672 ops · 2,381 tensors · A100 80GB SXM times, estimated".
    [[nodiscard]] QString factsText() const;

Q_SIGNALS:
    /// Something the frame of the window shows: status, actions.
    void stateChanged();
    /// The measurement's runs are over what is planned, as far as they belong there.
    void runsLaid();

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildDocks();
    void connectDocument();
    void connectViews();
    void restoreView();
    void showPlanned();
    void showAnswer();
    void showTimeline();
    void showPlanTable();
    void showAtRest(); ///< what needs not follow the hand: next steps, problems
    void showStrip();
    void showRuns();
    [[nodiscard]] QString runSize(const workspace::Run& run) const;
    /// Budget and sizes of a run of the list.
    void goBackTo(qint64 key);
    void showProblems();
    void connectPins();
    void showPins();
    // planner_comparison.cpp
    void showStandings();
    void showPlanners();
    // planner_measured.cpp
    void layRuns();
    void showMeasured();
    void showMeasuredPage();
    void goToMeasured(const MeasuredRow& row);
    void offerMeasuredPlan();
    [[nodiscard]] workspace::MeasuredRunPtr runOfShown() const;
    void adaptToWidth();
    void sizeDocks();
    [[nodiscard]] int roomBelow() const;
    void followScale();
    [[nodiscard]] QStringList subtitle() const;
    [[nodiscard]] bool isWaiting() const;

    DocumentController m_document;
    ProblemLog m_log;
    Selection m_selection;
    BudgetTimelineView* m_timeline = nullptr;
    MessageStrip* m_strip = nullptr;
    BudgetPanel* m_panel = nullptr;
    QScrollArea* m_panelArea = nullptr;
    FrontierView* m_frontier = nullptr;
    PlanPage* m_plan = nullptr;
    RunPage* m_runs = nullptr;
    TableTwins* m_twins = nullptr;
    LivePage* m_live = nullptr;
    AccessPage* m_accesses = nullptr;
    MeasuredPage* m_measured = nullptr;
    ProblemPage* m_problems = nullptr;
    PinPage* m_pins = nullptr;
    QTimer m_restTimer; ///< runs out when the hand that drags the line rests
    PagesDock* m_rightDock = nullptr;
    PagesDock* m_frontierDock = nullptr;
    PagesDock* m_planDock = nullptr;
    plan::EvaluationPtr m_drawn;   ///< what the timeline shows
    plan::EvaluationPtr m_against; ///< the unplanned step it is drawn against
    plan::VerifiedPlanPtr m_shown;
    workspace::LaidRuns m_laid; ///< of the measurement; all null: none is laid over
    JobRunner<workspace::LaidRuns> m_layer;
    workspace::OverlayPtr m_offered; ///< whose second run's plan the strip has told of
    std::shared_ptr<const std::vector<std::uint32_t>> m_unplannedStepAt; ///< as in TimelineSet
    QByteArray m_unfocusedLayout;
    bool m_isMeasured = false; ///< the step that is shown has times from the trace
    bool m_isFocused = false;
    bool m_isNarrow = false;
    bool m_wasShown = false;
    bool m_isLaidByHand = false;               ///< the docks keep the sizes that a person gave them
    double m_scale = Theme::current().scale(); ///< that the docks' sizes are of
};

} // namespace plimsoll::ui
