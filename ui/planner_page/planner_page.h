// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/overlay.h"
#include "ui/base/job_runner.h"
#include "ui/base/selection.h"
#include "ui/base/settings.h"
#include "ui/document_page/document_page.h"
#include "ui/planner_page/document_controller.h"
#include "ui/planner_page/plan_export.h"
#include "ui/planner_page/planner_view.h"
#include "ui/planner_page/times_chooser.h"

#include <QTimer>

#include <memory>
#include <utility>
#include <vector>

namespace plimsoll::ui {

struct ProgramIndex;

/// The page of one planned step: passes changes of the document to its views, and the document's
/// state to the window. Each document has its own docks, so that a session restores its layout.
class PlannerPage : public DocumentPage
{
    Q_OBJECT

public:
    PlannerPage(workspace::DocumentPtr plan, Settings& settings, const PlannerLayout& layout,
                QWidget* parent = nullptr);
    ~PlannerPage() override;

    [[nodiscard]] DocumentController& document() { return m_document; }
    [[nodiscard]] Selection& selection() { return m_selection; }
    [[nodiscard]] Settings& settings() { return m_settings; }
    [[nodiscard]] PlanExport& exporter() { return m_exporter; }
    [[nodiscard]] TimesChooser& times() { return m_times; }
    [[nodiscard]] PlannerState state() const;
    /// Raises a view of the table in its dock.
    void showView(const QString& id);
    /// Asks for the file to overlay.
    void chooseMeasurement();
    /// The step at which the shown plan runs it; `recomputed`: at which it recomputes it.
    void selectOp(graph::OpId op, bool recomputed);

    [[nodiscard]] QString title() const override { return m_document.title(); }
    [[nodiscard]] QUndoStack& undoStack() override { return m_document.undoStack(); }
    [[nodiscard]] StatusText status() const override { return state().status(); }
    [[nodiscard]] QString jobText() const override;
    void cancelJob() override
    {
        m_times.stop();
        m_document.stopPlanning();
    }
    [[nodiscard]] bool isSettled() const override
    {
        return !m_document.isPlanning() && m_document.isRefined();
    }
    [[nodiscard]] QString cursorText() const override;
    /// "1,672 ops · 2,381 tensors · A100 80GB SXM times, estimated"; with times of a profile
    /// "… · times of 1,668 ops from run.pt.trace.json".
    [[nodiscard]] QString factsText() const override;
    void clearSelection() override { m_selection.clear(); }
    bool goBack() override;
    void toggleTable() override { Q_EMIT tableWanted(); }
    [[nodiscard]] QString findHint() const override
    {
        return tr("Find tensor, module, op, source…");
    }
    [[nodiscard]] Search searchFor(const QString& query) override;
    /// Moves the cursor to the first execution of the op in the shown plan.
    void showHit(std::size_t op) override;
    [[nodiscard]] bool accepts(readers::FileKind file) const override
    {
        return file == readers::FileKind::Measurement;
    }
    [[nodiscard]] Addition addition(const QString& path) override;
    void showAdditionError(const QString& path, const base::Error& error) override;
    void beginClose() override;
    [[nodiscard]] bool isIdle() const override;

Q_SIGNALS:
    /// A view asks the timeline to go there.
    void stepWanted(std::size_t step);
    /// Shows a plot as a table, or closes the table.
    void tableWanted();
    /// "keep:h.0.mlp", from a row's menu.
    void pinWanted(const QString& pin);

protected:
    void addToView(QJsonObject& view) const override;
    void restoreFrom(const QJsonObject& view) override;

private:
    void connectDocument();
    /// Aligns the measurement's runs with the planned step; the first run is available at once.
    void alignMeasurement();
    void show(Changes what);
    void showPlanned();
    void showAnswer();
    [[nodiscard]] bool isWaiting() const;

    Settings& m_settings;
    DocumentController m_document;
    Selection m_selection;
    workspace::AlignedRuns m_laid; ///< of the measurement; all null: none is overlaid
    JobRunner<workspace::AlignedRuns> m_aligner;
    PlanExport m_exporter;
    TimesChooser m_times;
    std::shared_ptr<ProgramIndex> m_index;
    plan::VerifiedPlanPtr m_shown;
    bool m_isMeasured = false; ///< the step that is shown has times from the trace
    QTimer m_restTimer;        ///< expires when a drag pauses
    std::vector<std::pair<QString, PlannerView>> m_views; ///< by id
};

} // namespace plimsoll::ui
