// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/run_page.h"

#include "ui/base/help_context.h"
#include "ui/plan_tables/table_look.h"

#include <QHeaderView>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

RunPage::RunPage(QWidget* parent)
    : QWidget{parent}, m_model{new RunModel{this}}, m_table{new QTableView{this}}
{
    setManualPage(*this, QStringLiteral("window.md#plan-and-runs"));
    m_table->setModel(m_model);
    m_table->setAccessibleName(QStringLiteral("Runs"));
    m_table->setAccessibleDescription(
        QStringLiteral("Budgets tried in this session. A double click goes back to one, F2 renames "
                       "it, Delete removes it."));
    applyTableLook(*m_table);
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_table->horizontalHeader()->setStretchLastSection(true);
    layOutTable(*this, *m_table, QStringLiteral("Plans you try are kept here."));
    addTableAction(*m_table, QStringLiteral("Remove"), QKeySequence::Delete, [this] {
        if (const QModelIndex index = m_table->currentIndex(); index.isValid())
            Q_EMIT runRemoved(m_model->rowAt(index.row()).id);
    });
    addTableAction(*m_table, QStringLiteral("Rename"), {}, [this] {
        if (const QModelIndex index = m_table->currentIndex(); index.isValid())
            m_table->edit(index.siblingAtColumn(RunModel::NameColumn));
    });
    connect(m_table, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { Q_EMIT runChosen(m_model->rowAt(index.row()).id); });
    connect(m_model, &RunModel::renamed, this, &RunPage::runRenamed);
}

void RunPage::setRuns(std::vector<RunRow> runs)
{
    const bool hasSizes =
        std::ranges::any_of(runs, [](const RunRow& run) { return !run.size.isEmpty(); });
    m_model->setRuns(std::move(runs));
    m_table->setColumnHidden(RunModel::SizeColumn, !hasSizes);
}

} // namespace plimsoll::ui
