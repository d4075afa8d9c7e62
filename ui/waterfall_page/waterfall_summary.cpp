// SPDX-License-Identifier: Apache-2.0
#include "ui/waterfall_page/waterfall_summary.h"

#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/compare_page/side_style.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"
#include "ui/waterfall_page/waterfall_texts.h"

#include <QLabel>
#include <QTableView>

namespace plimsoll::ui {

WaterfallSummary::WaterfallSummary(QWidget* parent)
    : QWidget{parent}, m_classes{new ClassModel{this}}
{
    setManualPage(*this, QStringLiteral("compare.md#predicted-against-measured"));
    auto* column = makeColumn(this);
    for (std::size_t side = 0; side < m_cards.size(); ++side)
        column->addWidget(makeCard(side));
    m_verdict = new QLabel{this};
    m_verdict->setTextFormat(Qt::PlainText);
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_verdict->setContentsMargins(12, 8, 12, 8);
    column->addWidget(m_verdict);
    m_table = makeTable(m_classes, this, tr("Classes at the peaks"));
    new ColumnFitter{*m_table, {ClassModel::NameColumn, 80}, {}};
    column->addWidget(m_table, 1);
    column->addStretch();
}

QWidget* WaterfallSummary::makeCard(std::size_t side)
{
    auto* card = new QWidget{this};
    auto* row = makeRow(card, 10, {12, 8, 8, 2});
    row->addWidget(new SideBadge{side, card}, 0, Qt::AlignTop);
    auto* lines = makeColumn(nullptr, 1);
    m_cards[side].name = new TextLabel{{}, TextRole::Strong, Role::Text, card};
    m_cards[side].facts = new TextLabel{{}, TextRole::Body, Role::Muted, card};
    lines->addWidget(m_cards[side].name);
    lines->addWidget(m_cards[side].facts);
    row->addLayout(lines, 1);
    return card;
}

void WaterfallSummary::setSides(const workspace::WaterfallDocument& document)
{
    const auto& step = document.prediction();
    const auto& profile = document.profile();
    m_step = step;
    m_cards[0].name->setText(step ? fileText(step->name(true)) : tr("No graph"));
    m_cards[0].facts->setText(step ? (step->plan ? tr("plan, predicted") : tr("graph, predicted"))
                                   : tr("Drop a traced step here."));
    m_cards[1].name->setText(profile ? fileText(profile->name) : tr("No profile"));
    m_cards[1].facts->setText(profile ? tr("memory profile") : tr("Drop a memory profile here."));
}

void WaterfallSummary::setPicture(const workspace::WaterfallPicturePtr& picture)
{
    m_table->setVisible(picture != nullptr);
    if (!picture) {
        m_classes->clear();
        m_verdict->setText({});
        return;
    }
    const waterfall::Waterfall& of = *picture->waterfall;
    m_cards[0].name->setText(fileText(m_step->name(picture->isPlanned)));
    m_cards[0].facts->setText((m_step->plan && !picture->isPlanned
                                   ? tr("predicted without the plan, peak %1")
                                   : tr("predicted, peak %1"))
                                  .arg(bytesText(of.predictedPeak)));
    m_cards[1].facts->setText(
        tr("%1, peak %2").arg(fileText(of.window.text()), bytesText(of.measuredPeak)));
    QStringList sentences{waterfallVerdict(of)};
    for (const std::string& note : of.notes)
        sentences << QString::fromStdString(note);
    m_verdict->setText(sentences.join(u'\n'));
    m_classes->setWaterfall(of);
}

void WaterfallSummary::setFault(const QString& sentence)
{
    m_verdict->setText(sentence);
}

QString WaterfallSummary::verdict() const
{
    return m_verdict->text();
}

QString WaterfallSummary::cardText(std::size_t side) const
{
    return m_cards[side].name->text() + QLatin1Char{'\n'} + m_cards[side].facts->text();
}

} // namespace plimsoll::ui
