// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/differences_pane.h"

#include "ui/base/help_context.h"
#include "ui/base/widgets.h"
#include "ui/compare_page/compare_texts.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QLabel>
#include <QSignalBlocker>
#include <QTableView>

namespace plimsoll::ui {

DifferencesPane::DifferencesPane(QWidget* parent) : QWidget{parent}, m_model{new DiffModel{this}}
{
    setManualPage(*this, QStringLiteral("compare.md#what-the-peaks-hold"));
    auto* column = makeColumn(this);
    auto* head = new QWidget{this};
    auto* row = makeRow(head, 8, {12, 6, 12, 4});
    m_text = new QLabel{head};
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_text, 1);
    m_by = new QComboBox{head};
    m_by->setAccessibleName(tr("Group by"));
    m_by->addItems({tr("by frame"), tr("by stack"), tr("by class"), tr("by module"),
                    tr("by stream"), tr("by pool")}); // in the order of LiveBy
    row->addWidget(m_by, 0, Qt::AlignTop);
    column->addWidget(head);
    m_table = makeTable(m_model, this, tr("Differences"));
    new ColumnFitter{*m_table, {DiffModel::NameColumn, 120}, {}};
    column->addWidget(m_table, 1);
    connect(m_by, &QComboBox::currentIndexChanged, this,
            [this](int by) { Q_EMIT groupingChosen(static_cast<memtrace::LiveBy>(by)); });
}

void DifferencesPane::setPicture(const workspace::ComparisonPicture& picture)
{
    const QSignalBlocker blocker{m_by};
    m_by->setCurrentIndex(static_cast<int>(picture.by));
    m_text->setText(sharesText(picture.groups));
    m_model->setGroups(picture.groups.groups, picture.by);
}

void DifferencesPane::clear()
{
    m_text->clear();
    m_model->setGroups({}, static_cast<memtrace::LiveBy>(m_by->currentIndex()));
}

QString DifferencesPane::text() const
{
    return m_text->text();
}

} // namespace plimsoll::ui
