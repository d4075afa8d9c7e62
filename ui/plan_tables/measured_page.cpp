// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/measured_page.h"

#include "ui/base/help_context.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/plan_tables/table_look.h"

#include <QHeaderView>
#include <QPushButton>
#include <QTableView>

#include <utility>

namespace plimsoll::ui {

MeasuredPage::MeasuredPage(QWidget* parent)
    : QWidget{parent}, m_model{new MeasuredModel{this}}, m_table{new QTableView{this}}
{
    setManualPage(*this, QStringLiteral("window.md#measurements"));
    const Theme& theme = Theme::current();
    auto* row = new QHBoxLayout;
    row->setContentsMargins(theme.px(12), theme.px(4), theme.px(8), theme.px(4));
    m_sentence = new TextLabel{{}, TextRole::Small, Role::Muted, this};
    row->addWidget(m_sentence, 1);
    auto* remove = new QPushButton{tr("Remove"), this};
    remove->setObjectName(QStringLiteral("removeMeasurement"));
    remove->setProperty("link", true);
    remove->setToolTip(tr("Take the measurement away; its file stays as it is"));
    connect(remove, &QPushButton::clicked, this, &MeasuredPage::removeRequested);
    row->addWidget(remove);
    auto* layout = makeColumn(this);
    layout->addLayout(row);
    layout->addWidget(m_table, 1);
    m_table->setModel(m_model);
    applyTableLook(*m_table);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->setAccessibleName(tr("Measured against predicted"));
    m_table->setAccessibleDescription(
        tr("Numbers of the measurement beside the predicted ones, then the steps at which the two "
           "lie furthest apart. A row of a step goes there."));
    QHeaderView* header = m_table->horizontalHeader();
    header->setStretchLastSection(false);
    setColumnWidths(*header, MeasuredModel::WhatColumn,
                    {{MeasuredModel::RunColumn, 108},
                     {MeasuredModel::PredictedColumn, 92},
                     {MeasuredModel::MeasuredColumn, 92},
                     {MeasuredModel::DifferenceColumn, 150}});
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid() && m_model->rowAt(current.row()).op)
                    Q_EMIT rowChosen(m_model->rowAt(current.row()));
            });
}

void MeasuredPage::showRows(const QString& sentence, std::vector<MeasuredRow> rows)
{
    m_sentence->setText(sentence);
    m_model->setRows(std::move(rows));
}

} // namespace plimsoll::ui
