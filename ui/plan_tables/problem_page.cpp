// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/problem_page.h"

#include "ui/base/help_context.h"
#include "ui/plan_tables/table_look.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

ProblemPage::ProblemPage(QWidget* parent)
    : QWidget{parent}, m_model{new ProblemModel{this}}, m_table{new QTableView{this}}
{
    setManualPage(*this, QStringLiteral("window.md#plan-and-runs"));
    m_table->setModel(m_model);
    applyTableLook(*m_table);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->setAccessibleName(tr("Problems"));
    setColumnWidths(*m_table->horizontalHeader(), ProblemModel::SentenceColumn,
                    {{ProblemModel::CountColumn, 64}, {ProblemModel::WhereColumn, 190}});
    layOutTable(*this, *m_table, tr("Nothing to report."));
    addTableAction(*m_table, tr("Copy"), QKeySequence::Copy, [this] {
        if (const QModelIndex index = m_table->currentIndex(); index.isValid())
            QGuiApplication::clipboard()->setText(m_model->rowAt(index.row()).sentence);
    });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const Problem& problem = m_model->rowAt(index.row()); problem.op)
            Q_EMIT placeChosen(problem);
    });
}

void ProblemPage::setProblems(std::vector<Problem> problems)
{
    const bool hasPlace = std::ranges::any_of(
        problems, [](const Problem& problem) { return problem.op.has_value(); });
    m_table->setColumnHidden(ProblemModel::WhereColumn, !hasPlace);
    m_model->setProblems(std::move(problems));
}

} // namespace plimsoll::ui
