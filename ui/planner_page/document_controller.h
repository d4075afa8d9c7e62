// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/plan_document.h"
#include "core/workspace/planner_summaries.h"
#include "ui/base/job_runner.h"
#include "ui/plan_tables/pin_pricer.h"
#include "ui/planner_page/document_runs.h"
#include "ui/planner_page/plan_chooser.h"

#include <QObject>
#include <QTimer>
#include <QUndoStack>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::ui {

class SessionKeeper;
class PlannedSoFar;

/// The controller of one open document: plans in the background, answers for the budget, undo,
/// runs, and the session file. All state is on the GUI thread; everything slow runs in jobs.
class DocumentController : public QObject
{
    Q_OBJECT

public:
    DocumentController(workspace::PlanDocument& document, SessionKeeper& keeper,
                       QObject* parent = nullptr);
    ~DocumentController() override;

    [[nodiscard]] const workspace::PlanDocument& document() const { return m_document; }
    /// Never null: the latest available plans, of earlier settings while new ones are being
    /// planned.
    [[nodiscard]] const workspace::PlannedPtr& planned() const { return m_planned; }
    /// The shown step: the recorded one at the sizes of planned().
    [[nodiscard]] const graph::ProgramPtr& program() const { return m_planned->program(); }
    /// Whether the plans are those of the current settings.
    [[nodiscard]] bool isPlanned() const { return m_complete; }
    /// Whether it isn't planned because the step runs as it is, until the budget is lowered.
    [[nodiscard]] bool isDeferred() const { return m_isDeferred; }
    /// Whether what is shown is for other settings than the current ones: another GPU, reserve,
    /// planner. Its numbers are then no promise.
    [[nodiscard]] bool isOutdated() const { return m_planned->choices != m_document.choices; }
    [[nodiscard]] bool isPlanning() const { return m_planner.isRunning() || m_sizer.isRunning(); }
    /// How long the running job has been planning, milliseconds; 0: it isn't.
    [[nodiscard]] qint64 planningFor() const;
    /// Of the running job.
    [[nodiscard]] int perMille() const { return m_perMille; }
    /// The current state of all planners under the current settings.
    [[nodiscard]] std::vector<workspace::PlannerSummary> plannerSummaries() const;
    /// The budget under the pointer while dragging, else the document's.
    [[nodiscard]] base::Bytes budget() const;
    [[nodiscard]] bool isDragging() const { return m_preview.has_value(); }
    /// The answer at budget(). Bounds are available once isRefined().
    [[nodiscard]] const solve::Outcome& outcome() const { return m_outcome; }
    [[nodiscard]] bool isRefined() const { return m_refined; }
    /// The same plan, and whether it runs, as far as that is known.
    [[nodiscard]] const run::PlanChoice& choice() const { return m_choice; }
    /// The plan to draw: the answer's, or the smallest known one.
    [[nodiscard]] plan::VerifiedPlanPtr shownPlan() const;
    /// The cost of each pin at budget(), in order; empty until it is known.
    [[nodiscard]] auto pinPrices() const { return m_pricer.prices(m_choice.plan, budget()); }
    /// The budgets that were tried.
    [[nodiscard]] DocumentRuns& runs() { return m_runs; }
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }
    [[nodiscard]] QString title() const;

    // The user's actions.
    void previewBudget(base::Bytes budget);
    void cancelPreview();
    /// One undo step, unless the document already has this budget.
    void commitBudget(base::Bytes budget);
    /// One undo step. Sizes to which the graph can't be resized change nothing and emit failed().
    void commitChoices(const workspace::Choices& choices);
    /// Tells from which budget on each plan is taken.
    [[nodiscard]] const PlanChooser& chooser() const { return m_chooser; }
    /// Of PyTorch's allocator, in which plans are to run.
    void setAllocator(const allocator::AllocatorSettings& settings);
    [[nodiscard]] const allocator::AllocatorSettings& allocator() const
    {
        return m_chooser.settings();
    }
    /// A measurement to overlay; null removes it.
    void setOverlay(workspace::OverlayPtr overlay);
    void planNow() { plan(std::nullopt); }
    void stopPlanning();
    /// Prepares closing: cancels planning; becameIdle() follows once nothing of it runs any more.
    void stopJobs();
    [[nodiscard]] bool isIdle() const;

Q_SIGNALS:
    /// Budget, plan or bounds changed: repaint.
    void answerChanged();
    /// The frontier, the bound or the unplanned step changed.
    void plannedChanged();
    void planningChanged(bool running);
    void planningProgressed(int perMille);
    void choicesChanged();
    void pinPricesChanged();
    void overlayChanged();
    /// Title, or whether there are changes.
    void titleChanged();
    /// No thread works for the document any more.
    void becameIdle();
    /// Something could not be done; a sentence.
    void failed(const QString& id, const QString& sentence);

private:
    void applyBudget(base::Bytes budget);
    void applyChoices(const workspace::Choices& choices);
    void pushChoices(const workspace::Choices& choices);
    void trySizes(const workspace::Choices& choices);
    void planIfNeeded();
    /// With `unlessWithin`, not if the step runs without a plan within that budget.
    void plan(std::optional<base::Bytes> unlessWithin);
    void takeUnplanned(workspace::PlannedPtr unplanned);
    void takePlanned(workspace::PlannedPtr planned);
    void takeSoFar();
    [[nodiscard]] bool runsUnplanned() const;
    void answer();
    void refine();
    void recordRun();
    void changed();
    void notifyIdle();

    workspace::PlanDocument& m_document;
    SessionKeeper& m_keeper;
    DocumentRuns m_runs;
    workspace::PlannedPtr m_planned;
    std::vector<workspace::PlannedPtr> m_known; ///< of earlier settings: undo answers at once
    bool m_complete = false;
    std::vector<workspace::PlannedPtr> m_unplanned; ///< where nothing needed to be planned
    bool m_isDeferred = false; ///< not planned, since the step runs without a plan
    std::optional<base::Bytes> m_preview;
    PlanChooser m_chooser;
    run::PlanChoice m_choice;
    solve::Outcome m_outcome;
    bool m_refined = false;
    qint64 m_planningSince = 0;
    int m_perMille = 0;
    std::string m_refusal; ///< why the last job made no plans; empty: it made some, or is running
    QUndoStack m_undo;
    QTimer m_refineTimer;
    std::shared_ptr<PlannedSoFar> m_soFar; ///< of the running job
    QTimer m_soFarTimer;
    std::optional<workspace::Choices> m_wanted; ///< while their sizes are being applied
    JobRunner<bool> m_sizer;
    JobRunner<workspace::PlannedPtr> m_planner;
    JobRunner<workspace::Answer> m_refiner;
    PinPricer m_pricer;
    const std::array<JobRunnerBase*, 6> m_jobs{&m_sizer,           &m_planner,
                                               &m_refiner,         &m_pricer.planner(),
                                               &m_pricer.pricer(), &m_chooser.job()};
};

} // namespace plimsoll::ui
