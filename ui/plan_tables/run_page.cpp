// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/run_page.h"

#include "ui/base/help_context.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/plan_tables/table_look.h"

#include <QAction>
#include <QHeaderView>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

RunPage::RunPage(QWidget* parent)
    : QWidget{parent}, m_model{new RunModel{this}}, m_table{new QTableView{this}}
{
    setManualPage(*this, QStringLiteral("window.md#plan-and-runs"));
    auto* pages = new QStackedWidget{this};
    auto* empty = new TextLabel{QStringLiteral("Plans you try are kept here."), TextRole::Body,
                                Role::Muted, pages};
    empty->setAlignment(Qt::AlignCenter);
    pages->addWidget(empty);
    pages->addWidget(m_table);
    auto* layout = new QVBoxLayout{this};
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages);
    m_table->setModel(m_model);
    m_table->setAccessibleName(QStringLiteral("Runs"));
    m_table->setAccessibleDescription(
        QStringLiteral("Budgets tried in this session. A double click goes back to one, F2 renames "
                       "it, Delete removes it."));
    applyTableLook(*m_table);
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto* remove = new QAction{QStringLiteral("Remove"), m_table};
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    m_table->addAction(remove);
    connect(remove, &QAction::triggered, this, &RunPage::removeCurrent);
    auto* rename = new QAction{QStringLiteral("Rename"), m_table};
    m_table->addAction(rename);
    connect(rename, &QAction::triggered, this, [this] {
        if (m_table->currentIndex().isValid())
            m_table->edit(m_table->currentIndex().siblingAtColumn(RunModel::NameColumn));
    });
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(m_table, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { Q_EMIT runChosen(m_model->runAt(index.row()).id); });
    connect(m_model, &RunModel::renamed, this, &RunPage::runRenamed);
    connect(m_model, &QAbstractItemModel::modelReset, pages,
            [this, pages] { pages->setCurrentIndex(m_model->rowCount() > 0 ? 1 : 0); });
}

void RunPage::setRuns(std::vector<RunRow> runs)
{
    const bool hasSizes = std::any_of(runs.begin(), runs.end(),
                                      [](const RunRow& run) { return !run.size.isEmpty(); });
    m_model->setRuns(std::move(runs));
    m_table->setColumnHidden(RunModel::SizeColumn, !hasSizes);
}

void RunPage::removeCurrent()
{
    if (m_table->currentIndex().isValid())
        Q_EMIT runRemoved(m_model->runAt(m_table->currentIndex().row()).id);
}

} // namespace plimsoll::ui
