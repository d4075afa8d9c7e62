// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/problem_page.h"

#include "ui/base/help_context.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/plan_tables/table_look.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

ProblemPage::ProblemPage(QWidget* parent)
    : QWidget{parent}, m_model{new ProblemModel{this}}, m_table{new QTableView{this}}
{
    setManualPage(*this, QStringLiteral("window.md#plan-and-runs"));
    auto* pages = new QStackedWidget{this};
    auto* empty = new TextLabel{tr("Nothing to report."), TextRole::Body, Role::Muted, pages};
    empty->setAlignment(Qt::AlignCenter);
    pages->addWidget(empty);
    pages->addWidget(m_table);
    auto* layout = new QVBoxLayout{this};
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages);
    m_table->setModel(m_model);
    applyTableLook(*m_table);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->setAccessibleName(tr("Problems"));
    const Theme& theme = Theme::current();
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(ProblemModel::SentenceColumn, QHeaderView::Stretch);
    header->resizeSection(ProblemModel::CountColumn, theme.px(64));
    header->resizeSection(ProblemModel::WhereColumn, theme.px(190));
    auto* copy = new QAction{tr("Copy"), m_table};
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    m_table->addAction(copy);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copy, &QAction::triggered, this, [this] {
        if (const QModelIndex index = m_table->currentIndex(); index.isValid())
            QGuiApplication::clipboard()->setText(m_model->problemAt(index.row()).sentence);
    });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const Problem& problem = m_model->problemAt(index.row()); problem.op)
            Q_EMIT placeChosen(problem);
    });
    connect(m_model, &QAbstractItemModel::modelReset, pages,
            [this, pages] { pages->setCurrentIndex(m_model->rowCount() > 0 ? 1 : 0); });
}

void ProblemPage::setProblems(std::vector<Problem> problems)
{
    const bool hasPlace = std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
        return problem.op.has_value();
    });
    m_table->setColumnHidden(ProblemModel::WhereColumn, !hasPlace);
    m_model->setProblems(std::move(problems));
}

} // namespace plimsoll::ui
