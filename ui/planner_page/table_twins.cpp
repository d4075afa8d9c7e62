// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/table_twins.h"

#include "ui/base/theme.h"
#include "ui/document_page/pages_dock.h"
#include "ui/models/point_model.h"
#include "ui/models/step_model.h"
#include "ui/plan_tables/table_look.h"
#include "ui/planner_page/plan_texts.h"

#include <QHeaderView>
#include <QTableView>

#include <algorithm>
#include <chrono>
#include <utility>

namespace plimsoll::ui {

namespace {
constexpr std::chrono::milliseconds kRest{60};
constexpr int kFigureWidth = 96;
constexpr int kNameWidth = 160;
} // namespace

TableTwins::TableTwins(PagesDock& dock, QWidget* owner)
    : QObject{owner}
    , m_dock{dock}
    , m_owner{owner}
    , m_stepModel{new StepModel{this}}
    , m_pointModel{new PointModel{this}}
{
    m_steps = makeTable(m_stepModel, tr("Steps"),
                        tr("The timeline as a table. A row goes to its step on the timeline."));
    m_points = makeTable(m_pointModel, tr("Points of the frontier"),
                         tr("The frontier as a table. Enter sets the budget to the row's peak."));
    const Theme& theme = Theme::current();
    for (const int column : {StepModel::OpColumn, StepModel::ModuleColumn})
        m_steps->horizontalHeader()->resizeSection(column, theme.px(kNameWidth));
    connect(m_steps->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid() && !m_isFilling)
                    Q_EMIT stepChosen(static_cast<std::size_t>(current.row()));
            });
    connect(m_points, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT budgetChosen(shownCeiling(m_pointModel->pointAt(index.row())->evaluation().peak));
    });
    m_later.setSingleShot(true);
    m_later.setInterval(kRest);
    connect(&m_later, &QTimer::timeout, this, &TableTwins::bringUpToDate);
}

QTableView* TableTwins::makeTable(QAbstractItemModel* model, const QString& name,
                                  const QString& sentence)
{
    auto* table = new QTableView{m_owner};
    table->hide();
    table->setModel(model);
    applyTableLook(*table);
    table->horizontalHeader()->setDefaultSectionSize(Theme::current().px(kFigureWidth));
    table->setAccessibleName(name);
    table->setAccessibleDescription(sentence);
    return table;
}

void TableTwins::show(plan::VerifiedPlanPtr plan, plan::FrontierPtr frontier,
                      base::Nanoseconds unplannedTime)
{
    m_plan = std::move(plan);
    m_frontier = std::move(frontier);
    m_unplannedTime = unplannedTime;
    if (m_dock.holds(m_steps) || m_dock.holds(m_points))
        m_later.start();
}

void TableTwins::showMeasured(std::shared_ptr<const compare::MeasuredRun> run,
                              plan::EvaluationPtr predicted)
{
    m_run = std::move(run);
    m_predicted = std::move(predicted);
    if (m_dock.holds(m_steps))
        m_later.start();
}

/// Measured bytes belong beside the predicted ones, not behind all classes.
void TableTwins::orderColumns()
{
    QHeaderView* header = m_steps->horizontalHeader();
    for (int column = StepModel::MeasuredColumn; column < m_stepModel->columnCount(); ++column)
        header->moveSection(header->visualIndex(column),
                            StepModel::FirstClassColumn + column - StepModel::MeasuredColumn);
}

void TableTwins::bringUpToDate()
{
    if (m_dock.holds(m_steps)) {
        const int row = m_steps->currentIndex().row();
        m_stepModel->setPlan(m_plan, {m_run, m_predicted});
        orderColumns();
        // Another plan has other steps, but mostly the same ones at the same place.
        if (row >= 0 && row < m_stepModel->rowCount()) {
            m_isFilling = true;
            m_steps->setCurrentIndex(m_stepModel->index(row, 0));
            m_isFilling = false;
        }
    }
    if (m_dock.holds(m_points))
        m_pointModel->setFrontier(m_frontier, m_unplannedTime);
}

void TableTwins::toggle(Twin twin, std::size_t step)
{
    QTableView& page = table(twin);
    if (m_dock.holds(&page) && page.isVisible()) {
        m_dock.takePage(&page, m_owner);
        return;
    }
    if (!m_dock.holds(&page))
        m_dock.addPage(&page, twin == Twin::Steps ? tr("Steps") : tr("Points"));
    bringUpToDate();
    m_dock.showPage(&page);
    page.setFocus(Qt::ShortcutFocusReason);
    const int row = twin == Twin::Steps ? static_cast<int>(step) : 0;
    page.setCurrentIndex(page.model()->index(std::min(row, page.model()->rowCount() - 1), 0));
}

} // namespace plimsoll::ui
