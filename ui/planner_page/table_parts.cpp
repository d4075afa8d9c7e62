// SPDX-License-Identifier: Apache-2.0
// The docks below the timeline of a planner page that show values without further logic.
#include "ui/base/help_context.h"
#include "ui/base/texts.h"
#include "ui/document_page/open_source.h"
#include "ui/document_page/pages_dock.h"
#include "ui/frontier/frontier_view.h"
#include "ui/models/program_texts.h"
#include "ui/models/run_model.h"
#include "ui/module_page/module_page.h"
#include "ui/plan_tables/access_page.h"
#include "ui/plan_tables/live_page.h"
#include "ui/plan_tables/pin_page.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTableView>

#include <algorithm>
#include <array>

namespace plimsoll::ui {

namespace {

constexpr int kLeastRunText = 90; ///< before scaling: "verified, pr…", "batch 16, s…"

/// The step selected in a table, for all views.
void select(PlannerPage& page, int step)
{
    page.selection().setStep(static_cast<std::size_t>(std::max(step, 0)));
}

/// Budget and sizes of a listed run.
void goBackTo(DocumentController& document, qint64 key)
{
    const std::vector<workspace::Run>& runs = document.document().runs;
    const auto run = std::ranges::find(runs, key, &workspace::Run::key);
    if (run == runs.end())
        return;
    workspace::Choices choices = document.document().choices;
    choices.sizes = run->sizes;
    const base::Bytes budget = run->budget;
    document.commitChoices(choices);
    document.commitBudget(budget);
}

/// What was known of the plan; whether it runs is the answer's to say.
QString runStatusText(const std::string& status)
{
    const std::array<std::pair<solve::Status, QString>, 4> texts{
        {{solve::Status::Optimal, PlannerPage::tr("verified, proved fastest")},
         {solve::Status::Feasible, PlannerPage::tr("verified")},
         {solve::Status::Infeasible, PlannerPage::tr("no plan possible")},
         {solve::Status::NotFound, PlannerPage::tr("no plan found")}}};
    for (const auto& [known, text] : texts)
        if (solve::statusName(known) == status)
            return text;
    return fileText(status);
}

std::vector<RunRow> runRows(const workspace::PlanDocument& document)
{
    std::vector<RunRow> rows;
    for (const workspace::Run& run : document.runs)
        rows.push_back({run.key, fileText(run.name), fileText(run.planner),
                        runStatusText(run.status), run.budget, run.peak, run.stepTime,
                        sizeText(*document.graph.program, run.sizes)});
    return rows;
}

/// Filters a table by the selected range, which the table can remove.
template <typename Table>
void filterByRange(Table& table, PlannerPage& page)
{
    Selection* selection = &page.selection();
    QObject::connect(selection, &Selection::rangeChanged, &table,
                     [&table, selection] { table.setRange(selection->range()); });
    QObject::connect(&table, &Table::rangeRemoved, selection,
                     [selection] { selection->setRange(std::nullopt); });
}

/// Accesses are by ops: those that the shown plan runs in the selected range.
void filterAccesses(AccessPage& accesses, PlannerPage& page)
{
    const std::optional<StepRange> range = page.selection().range();
    std::optional<std::vector<bool>> ops;
    if (range)
        ops = page.state().shown->evaluation().schedule->opsIn(range->begin, range->end + 1);
    accesses.setRange(range, std::move(ops));
}

void showPlan(PlanPage& table, const PlannerState& state)
{
    table.setHeld(state.isDragging);
    if (state.isWaiting)
        table.showNothing(PlannerPage::tr("The table appears with the first plan."));
    else if (state.outcome.best)
        table.showPlan(state.outcome.best);
    else
        table.showInfeasible(state.planned.program(), state.outcome, state.budget,
                             state.leastBudget());
}

/// While the step runs without a plan.
QString nothingToPlanText(const workspace::Planned& planned)
{
    if (planned.peakBound.bytes >= planned.unplanned->evaluation().peak)
        return PlannerPage::tr("Nothing needs to be planned, and no plan needs less memory.");
    return PlannerPage::tr("Nothing needs to be planned. Drag the budget line below %1 to see what "
                           "less memory costs.")
        .arg(bytesText(planned.unplannedNeeds, Rounding::Up));
}

} // namespace

PlannerView makeFrontierView(PlannerPage& page)
{
    auto* frontier = new FrontierView;
    frontier->setDifference(differenceText);
    DocumentController* document = &page.document();
    QObject::connect(frontier, &FrontierView::budgetDragged, document,
                     &DocumentController::previewBudget);
    QObject::connect(frontier, &FrontierView::budgetCommitted, document,
                     &DocumentController::commitBudget);
    QObject::connect(frontier, &FrontierView::budgetDragCancelled, document,
                     &DocumentController::cancelPreview);
    return {frontier, [frontier](const PlannerState& state, Changes what) {
                frontier->setEmptyText(
                    state.isDeferred ? nothingToPlanText(state.planned)
                                     : PlannerPage::tr("The curve appears with the first plan."));
                if ((what & Change::Planned) && state.hasFrontier()) {
                    frontier->setStops(state.byBudget,
                                       state.isByRun && run::hasAllocator(state.planned.problem));
                    frontier->setFrontier(state.planned.frontier,
                                          state.planned.unplanned->evaluation().stepTime,
                                          state.planned.peakBound.bytes);
                }
                if (what & Change::Answer) {
                    if (!state.isDragging)
                        frontier->endDrag();
                    frontier->setBudget(state.budget);
                    frontier->setCurrent(state.outcome.best);
                }
            }};
}

PlannerView makePlanView(PlannerPage& page)
{
    auto* table = new PlanPage;
    QObject::connect(table, &PlanPage::stepChosen, &page,
                     [&page](int step) { select(page, step); });
    Selection* selection = &page.selection();
    QObject::connect(table, &PlanPage::moduleChosen, selection, &Selection::setModule);
    QObject::connect(selection, &Selection::moduleChanged, table,
                     [=] { table->selectModule(selection->module()); });
    QObject::connect(table, &PlanPage::sourceWanted, &page,
                     [&page](const QString& source) { openSource(page, page.settings(), source); });
    QObject::connect(table, &PlanPage::pinWanted, &page, &PlannerPage::pinWanted);
    QObject::connect(table, &PlanPage::columnsChosen, &page, &PlannerPage::storeView);
    filterByRange(*table, page);
    const QString columns = QStringLiteral("planColumns");
    return {.widget = table,
            .update =
                [table, &page](const PlannerState& state, Changes what) {
                    if (!(what & Change::Answer))
                        return;
                    showPlan(*table, state);
                    page.dockOf(table)->setCounts(state.outcome.best ? table->summary()
                                                                     : QString{});
                },
            .store =
                [table, columns](QJsonObject& view) {
                    view.insert(columns, QJsonArray::fromStringList(table->optionalColumns()));
                },
            .restore =
                [table, columns](const QJsonObject& view) {
                    if (!view.contains(columns)) // the view of an older version
                        return;
                    QStringList ids;
                    for (const QJsonValue& id : view.value(columns).toArray())
                        ids << id.toString();
                    table->setOptionalColumns(ids);
                }};
}

PlannerView makeModuleView(PlannerPage& page)
{
    auto* modules = new ModulePage;
    Selection* selection = &page.selection();
    QObject::connect(modules, &ModulePage::moduleChosen, selection, &Selection::setModule);
    QObject::connect(modules, &ModulePage::stepChosen, &page,
                     [&page](int step) { select(page, step); });
    QObject::connect(modules, &ModulePage::sourceWanted, &page,
                     [&page](const QString& source) { openSource(page, page.settings(), source); });
    QObject::connect(modules, &ModulePage::pinWanted, &page, &PlannerPage::pinWanted);
    QObject::connect(selection, &Selection::moduleChanged, modules,
                     [=] { modules->selectModule(selection->module()); });
    return {.widget = modules,
            .update =
                [modules](const PlannerState& state, Changes what) {
                    if (what & (Change::Answer | Change::AtRest))
                        modules->setPlan(state.shown, state.isDragging);
                },
            .goBack =
                [selection] {
                    const bool had = selection->module().has_value();
                    selection->setModule(std::nullopt);
                    return had;
                }};
}

PlannerView makeRunView(PlannerPage& page)
{
    auto* runs = new RunModel;
    DocumentController* document = &page.document();
    QTableView* table =
        makeTable(runs, &page, PlannerPage::tr("Runs"),
                  PlannerPage::tr("Budgets tried in this session. Double-click a run to go back to "
                                  "it, press F2 to rename it or Delete to remove it."));
    table->setEditTriggers(QAbstractItemView::EditKeyPressed);
    table->setTextElideMode(Qt::ElideRight);
    new ColumnFitter{*table,
                     {RunModel::StatusColumn, kLeastRunText},
                     {{RunModel::SizeColumn, kLeastRunText},
                      {RunModel::PlannerColumn, kLeastRunText},
                      {RunModel::NameColumn, kLeastRunText}}};
    addTableAction(*table, PlannerPage::tr("Remove"), QKeySequence::Delete, [=] {
        if (const QModelIndex index = table->currentIndex(); index.isValid())
            document->runs().remove(runs->rowAt(index.row()).id);
    });
    addTableAction(*table, PlannerPage::tr("Rename"), {}, [table] {
        if (const QModelIndex index = table->currentIndex(); index.isValid())
            table->edit(index.siblingAtColumn(RunModel::NameColumn));
    });
    QObject::connect(table, &QTableView::doubleClicked, document, [=](const QModelIndex& index) {
        goBackTo(*document, runs->rowAt(index.row()).id);
    });
    QObject::connect(runs, &RunModel::renamed, &document->runs(), &DocumentRuns::rename);
    QWidget* view = makeTablePage(table, PlannerPage::tr("Plans you try are kept here."));
    setManualPage(*view, QStringLiteral("window.md#plan-and-runs"));
    return {view, [runs, table](const PlannerState& state, Changes what) {
                if (!(what & Change::Runs))
                    return;
                // Graphs traced at a single size have none to show.
                table->setColumnHidden(RunModel::SizeColumn,
                                       !state.document.graph.program->vary.has_value());
                runs->setRuns(runRows(state.document)); // fits the columns
            }};
}

PlannerView makeLiveView(PlannerPage& page)
{
    auto* live = new LivePage;
    QObject::connect(live, &LivePage::stepChosen, &page, [&page](int step) { select(page, step); });
    Selection* selection = &page.selection();
    QObject::connect(live, &LivePage::moduleChosen, selection, &Selection::setModule);
    QObject::connect(selection, &Selection::moduleChanged, live,
                     [=] { live->selectModule(selection->module()); });
    QObject::connect(live, &LivePage::pinWanted, &page, &PlannerPage::pinWanted);
    filterByRange(*live, page);
    QObject::connect(&page.selection(), &Selection::stepChanged, live,
                     [live, &page] { live->setStep(page.selection().step()); });
    return {live, [live](const PlannerState& state, Changes what) {
                if (what & Change::Answer)
                    live->setPlan(state.shown, state.isDragging);
            }};
}

PlannerView makeAccessView(PlannerPage& page)
{
    auto* accesses = new AccessPage;
    QObject::connect(accesses, &AccessPage::opChosen, &page,
                     [&page](graph::OpId op) { page.selectOp(op, false); });
    QObject::connect(&page.selection(), &Selection::rangeChanged, accesses,
                     [accesses, &page] { filterAccesses(*accesses, page); });
    QObject::connect(accesses, &AccessPage::rangeRemoved, &page.selection(),
                     [&page] { page.selection().setRange(std::nullopt); });
    return {accesses, [accesses, &page](const PlannerState& state, Changes what) {
                if (!(what & Change::Answer))
                    return;
                filterAccesses(*accesses, page);
                plan::Problem asked = state.planned.unplanned->problem();
                asked.budget = state.budget;
                accesses->setProblem(asked);
            }};
}

PlannerView makePinView(PlannerPage& page)
{
    auto* pins = new PinPage;
    DocumentController* document = &page.document();
    QObject::connect(pins, &PinPage::pinsChosen, document,
                     [document](const std::vector<std::string>& chosen) {
                         workspace::Choices choices = document->document().choices;
                         choices.pins = chosen;
                         document->commitChoices(choices);
                     });
    QObject::connect(&page, &PlannerPage::pinWanted, pins, [pins, &page](const QString& pin) {
        page.dockOf(pins)->showPage(pins); // where its price is shown, or why it failed
        pins->add(pin);
    });
    return {pins, [pins, &page](const PlannerState& state, Changes what) {
                if (!(what & (Change::Choices | Change::PinPrices | Change::AtRest)))
                    return;
                const std::vector<std::string>& chosen = state.document.choices.pins;
                pins->setProgram(state.planned.program());
                pins->setPins(chosen);
                pins->setPrices(state.isOutdated ? std::vector<workspace::PinPrice>{}
                                                 : page.document().pinPrices());
                page.dockOf(pins)->setPageTitle(
                    pins, chosen.empty() ? PlannerPage::tr("Pins")
                                         : PlannerPage::tr("Pins %1").arg(chosen.size()));
            }};
}

} // namespace plimsoll::ui
