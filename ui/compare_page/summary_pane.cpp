// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/summary_pane.h"

#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/compare_page/compare_texts.h"
#include "ui/compare_page/side_style.h"
#include "ui/profile_tables/allocation_texts.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableView>
#include <QToolButton>

namespace plimsoll::ui {

SummaryPane::SummaryPane(QWidget* parent) : QWidget{parent}, m_classes{new DiffModel{this}}
{
    setManualPage(*this, QStringLiteral("compare.md"));
    auto* column = makeColumn(this);
    for (std::size_t side = 0; side < m_cards.size(); ++side) {
        m_cards[side] = makeCard(side);
        column->addWidget(m_cards[side].widget);
    }
    column->addWidget(makeButtons());
    m_verdict = new QLabel{this};
    m_verdict->setTextFormat(Qt::PlainText);
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_verdict->setContentsMargins(12, 6, 12, 8);
    column->addWidget(m_verdict);
    m_table = makeTable(m_classes, this, tr("Classes at the peaks"));
    for (const int hidden :
         {DiffModel::ABlocksColumn, DiffModel::BBlocksColumn, DiffModel::OnlyAColumn,
          DiffModel::OnlyABlocksColumn, DiffModel::CommonColumn, DiffModel::CommonBlocksColumn,
          DiffModel::OnlyBColumn, DiffModel::OnlyBBlocksColumn})
        m_table->hideColumn(hidden);
    new ColumnFitter{*m_table, {DiffModel::NameColumn, 80}, {}};
    column->addWidget(m_table, 1);
    column->addStretch();
}

SummaryPane::Card SummaryPane::makeCard(std::size_t side)
{
    Card card;
    card.widget = new QWidget{this};
    auto* row = makeRow(card.widget, 10, {12, 8, 8, 2});
    row->addWidget(new SideBadge{side, card.widget}, 0, Qt::AlignTop);
    auto* lines = makeColumn(nullptr, 1);
    card.name = new TextLabel{{}, TextRole::Strong, Role::Text, card.widget};
    card.facts = new TextLabel{{}, TextRole::Body, Role::Muted, card.widget};
    card.devices = new QComboBox{card.widget};
    card.devices->setAccessibleName(tr("Device of %1").arg(sideLetter(side)));
    lines->addWidget(card.name);
    lines->addWidget(card.facts);
    lines->addWidget(card.devices, 0, Qt::AlignLeft);
    card.devices->hide();
    row->addLayout(lines, 1);
    auto* remove = new QToolButton{card.widget};
    remove->setIcon(icon(QStringLiteral("close")));
    remove->setToolTip(tr("Remove %1 from the comparison").arg(sideLetter(side)));
    remove->setAccessibleName(remove->toolTip());
    row->addWidget(remove, 0, Qt::AlignTop);
    connect(remove, &QToolButton::clicked, this, [this, side] { Q_EMIT removeWanted(side); });
    connect(card.devices, &QComboBox::activated, this, [this, side](int device) {
        Q_EMIT deviceChosen(side, static_cast<std::size_t>(device));
    });
    return card;
}

QWidget* SummaryPane::makeButtons()
{
    auto* buttons = new QWidget{this};
    auto* row = makeRow(buttons, 8, {12, 6, 12, 2});
    m_swap = new QPushButton{tr("Swap A and B"), buttons};
    auto* more = new QPushButton{tr("Add Profiles…"), buttons};
    row->addWidget(m_swap);
    row->addWidget(more);
    row->addStretch(1);
    connect(m_swap, &QPushButton::clicked, this, &SummaryPane::swapWanted);
    connect(more, &QPushButton::clicked, this, &SummaryPane::addWanted);
    return buttons;
}

void SummaryPane::setProfiles(const workspace::ComparedProfiles& profiles)
{
    for (std::size_t side = 0; side < m_cards.size(); ++side) {
        const Card& card = m_cards[side];
        card.widget->setVisible(side < profiles.size());
        if (side >= profiles.size())
            continue;
        const workspace::ComparedProfile& profile = profiles[side];
        card.name->setText(fileText(profile.name));
        const auto& devices = profile.trace->devices();
        card.facts->setText(deviceText(devices[profile.device]));
        card.devices->setVisible(devices.size() > 1);
        const QSignalBlocker blocker{card.devices};
        card.devices->clear();
        for (const memtrace::DeviceTrace& device : devices)
            card.devices->addItem(deviceText(device));
        card.devices->setCurrentIndex(static_cast<int>(profile.device));
    }
    m_swap->setEnabled(profiles.size() > 1);
    m_table->setVisible(profiles.size() > 1);
    if (profiles.size() < 2) {
        m_verdict->setText(tr("Choose two profiles, A and B: they are drawn over one axis, and "
                              "what they hold at their peaks is compared."));
        m_classes->setGroups({}, memtrace::LiveBy::Class);
    }
}

void SummaryPane::setPicture(const workspace::ComparisonPicture& picture)
{
    for (std::size_t side = 0; side < m_cards.size(); ++side)
        m_cards[side].facts->setText(peakText(picture, side));
    m_verdict->setText(comparisonVerdict(picture));
    m_classes->setGroups(picture.classes.groups, memtrace::LiveBy::Class);
}

QString SummaryPane::verdict() const
{
    return m_verdict->text();
}

QString SummaryPane::facts(std::size_t side) const
{
    return m_cards[side].facts->text();
}

} // namespace plimsoll::ui
