// SPDX-License-Identifier: Apache-2.0
// The view of a measurement attached to the document.
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/document_page/pages_dock.h"
#include "ui/models/measured_model.h"
#include "ui/models/program_texts.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"
#include "ui/tables/table_look.h"

#include <QPushButton>
#include <QTableView>

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr QLatin1String kPlanMessage{"measuredPlan"};

/// The row names of core/compare as texts.
QString nameText(const std::string& name)
{
    constexpr std::array<std::pair<const char*, const char*>, 7> kNames{{
        {"allocator_peak", "Allocator peak"},
        {"live_peak", "Peak of live bytes"},
        {"resident", "Before the step"},
        {"saved", "Saved by autograd"},
        {"reserved_peak", "Reserved by the allocator"},
        {"step_time", "Step time"},
        {"time_of_ops", "Sum of the ops' times"},
    }};
    for (const auto& [key, text] : kNames)
        if (name == key)
            return QObject::tr(text);
    return fileText(name);
}

QString runText(const workspace::MeasuredRun& run)
{
    return run.run.plan ? QObject::tr("With the plan") : QObject::tr("Without a plan");
}

MeasuredRow rowOf(const compare::Gap& gap, const workspace::MeasuredRun& run,
                  const graph::Program& program)
{
    const plan::Step& step = run.predicted->schedule->steps[gap.step];
    MeasuredRow row;
    row.run = runText(run);
    const QString op = opTitle(program, step.op);
    const QString path = fileText(program.modulePath(program.op(step.op)));
    row.what = (run.run.allocatorPeak ? QObject::tr("Allocator at %1") : QObject::tr("Live at %1"))
                   .arg(step.region >= 0 ? QObject::tr("%1, recomputed").arg(op) : op);
    if (!path.isEmpty())
        row.what += QStringLiteral(" · ") + path;
    row.predicted = gap.predicted.count();
    row.measured = gap.measured.count();
    row.op = step.op;
    row.isRecomputed = step.region >= 0;
    return row;
}

/// "GPT-2 small, measured on cpu with torch 2.15.0 · gpt2.measurement.json".
QString measurementText(const workspace::Overlay& overlay)
{
    const compare::Measurement& measurement = overlay.measurement;
    return QObject::tr("%1, measured on %2 with torch %3 · %4")
        .arg(fileText(measurement.model), fileText(measurement.device), fileText(measurement.torch),
             fileText(overlay.name));
}

/// The numbers that a run measured, then the steps at which the curves differ most.
void addRows(std::vector<MeasuredRow>& rows, const workspace::MeasuredRun& run,
             const graph::Program& program)
{
    for (const compare::Row& row : run.comparison.rows)
        if (row.measured)
            rows.push_back({runText(run), nameText(row.name), row.unit, row.predicted, row.measured,
                            std::nullopt, false});
    for (const compare::Gap& gap : run.comparison.gaps)
        rows.push_back(rowOf(gap, run, program));
}

/// What was measured, and where; its numbers beside the predicted ones; where the curves differ
/// most; and a button to remove it. Docked while a measurement is attached.
class MeasuredView : public QWidget
{
public:
    explicit MeasuredView(PlannerPage& page)
        : QWidget{&page}, m_sentence{new TextLabel{{}, TextRole::Small, Role::Muted, this}}
    {
        hide();
        setObjectName(QStringLiteral("measured"));
        setManualPage(*this, QStringLiteral("window.md#measurements"));
        auto* layout = makeColumn(this);
        auto* head = makeRow(nullptr, 6, {12, 4, 8, 4});
        head->addWidget(m_sentence, 1);
        auto* remove = new QPushButton{PlannerPage::tr("Remove"), this};
        remove->setObjectName(QStringLiteral("removeMeasurement"));
        remove->setProperty("link", true);
        remove->setToolTip(PlannerPage::tr("Remove the measurement; its file stays as it is"));
        connect(remove, &QPushButton::clicked, &page.document(),
                [document = &page.document()] { document->setOverlay(nullptr); });
        head->addWidget(remove);
        layout->addLayout(head);
        QTableView* table =
            makeTable(m_model, this, PlannerPage::tr("Measured against predicted"),
                      PlannerPage::tr("Numbers of the measurement beside the predicted ones, then "
                                      "the steps at which the two differ most. Selecting the row "
                                      "of a step shows it on the timeline."));
        layout->addWidget(table, 1);
        table->horizontalHeader()->setStretchLastSection(false);
        setColumnWidths(*table->horizontalHeader(), MeasuredModel::WhatColumn,
                        {{MeasuredModel::RunColumn, 108},
                         {MeasuredModel::PredictedColumn, 92},
                         {MeasuredModel::MeasuredColumn, 92},
                         {MeasuredModel::DifferenceColumn, 150}});
        connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, &page,
                [this, &page](const QModelIndex& current) {
                    const MeasuredRow row =
                        current.isValid() ? m_model->rowAt(current.row()) : MeasuredRow{};
                    const plan::VerifiedPlan& shown = *page.state().shown;
                    if (row.op)
                        Q_EMIT page.stepWanted(
                            shown.evaluation().schedule->stepOf(*row.op, row.isRecomputed));
                });
    }

    void show(PlannerPage& page, const PlannerState& state)
    {
        const workspace::OverlayPtr& overlay = state.document.overlay;
        PagesDock& dock = page.dock(QStringLiteral("plan"));
        if (!overlay) {
            dock.takePage(this, &page);
            return;
        }
        std::vector<MeasuredRow> rows;
        for (const workspace::MeasuredRunPtr& run : {state.laid.unplanned, state.laid.planned})
            if (run)
                addRows(rows, *run, *state.planned.program());
        m_model->setRows(std::move(rows));
        const QString sentence = measurementText(*overlay);
        m_sentence->setText(
            state.laid.unplanned || state.isLaying
                ? sentence
                : PlannerPage::tr("%1. It was measured at other sizes than those chosen here.")
                      .arg(sentence));
        if (!dock.holds(this))
            dock.addPage(this, PlannerPage::tr("Measured"));
    }

private:
    TextLabel* m_sentence;
    MeasuredModel* m_model = new MeasuredModel;
};

/// A budget for which the plan is taken, a round one if possible; empty: none is known.
std::optional<base::Bytes> budgetOf(const plan::VerifiedPlan& plan, const PlanChooser& chooser)
{
    base::Bytes least = plan.evaluation().peak;
    for (const run::PlanFrom& from : chooser.plans())
        if (from.plan->plan() == plan.plan())
            least = from.budget;
    for (const base::Bytes budget : {shownCeiling(least), least}) {
        const plan::FrontierPoint taken = chooser.at(budget).plan;
        if (taken && taken->plan() == plan.plan())
            return budget;
    }
    return std::nullopt;
}

/// Once per measurement, when plans are available: offers the plan of its second run.
void offerPlan(workspace::OverlayPtr& offered, PlannerPage& page, const PlannerState& state)
{
    const workspace::OverlayPtr& overlay = state.document.overlay;
    if (!overlay || !state.laid.unplanned || overlay->measurement.runs.size() < 2
        || overlay == offered || !state.isPlanned || !state.isByRun || state.isLaying)
        return;
    offered = overlay;
    if (state.laid.planned && state.runOfShown() == state.laid.planned)
        return;
    const compare::MeasuredPlan& plan = *overlay->measurement.runs[1].plan;
    const QString made = plan.budget ? bytesText(*plan.budget) : unknownText();
    if (state.laid.plan) {
        Message message{
            kPlanMessage,
            MessageKind::Offer,
            PlannerPage::tr("The measurement has a second run, under a plan for %1.").arg(made),
            PlannerPage::tr("Its curve is shown with that plan."),
            {}};
        if (const std::optional<base::Bytes> budget =
                budgetOf(*state.laid.plan, page.document().chooser()))
            message.actions.push_back({PlannerPage::tr("Show that plan"),
                                       [document = &page.document(), budget = *budget] {
                                           document->commitBudget(budget);
                                       }});
        page.strip().post(std::move(message));
        return;
    }
    page.strip().post(
        {kPlanMessage,
         MessageKind::Warn,
         PlannerPage::tr("The second run of the measurement used a plan that isn't known here."),
         PlannerPage::tr("The plan was made by %1 (%2, %3%4) for %5. Its curve is shown once the "
                         "same settings are chosen.")
             .arg(fileText(plan.planner), fileText(plan.runtime), fileText(plan.granularity),
                  plan.freezeStats ? PlannerPage::tr(", statistics frozen") : QString{}, made),
         {}});
}

} // namespace

PlannerView makeMeasuredView(PlannerPage& page)
{
    auto* measured = new MeasuredView{page};
    return {nullptr, [measured, &page, offered = workspace::OverlayPtr{}](const PlannerState& state,
                                                                          Changes what) mutable {
                if (what & (Change::Answer | Change::Overlay)) {
                    const workspace::MeasuredRunPtr own = state.runOfShown();
                    if (!state.laid.unplanned || (own && own == state.laid.planned))
                        page.strip().withdraw(kPlanMessage);
                }
                if (what & (Change::Planned | Change::Overlay)) {
                    measured->show(page, state);
                    offerPlan(offered, page, state);
                }
            }};
}

} // namespace plimsoll::ui
