// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/answer_head.h"

#include "ui/base/numbers.h"
#include "ui/base/widgets.h"

#include <QGridLayout>

namespace plimsoll::ui {

AnswerHead::AnswerHead(QWidget* parent) : QWidget{parent}
{
    m_layout = makeColumn(this, 8, {12, 10, 12, 10});
    m_verdict = new VerdictBox{this};
    m_layout->addWidget(m_verdict, 5);
    auto* grid = new QGridLayout;
    grid->setVerticalSpacing(Theme::current().px(2));
    m_peak = new TextLabel{unknownText(), TextRole::Figure, Role::Text, this};
    m_peakDifference = new TextLabel{{}, TextRole::SmallMedium, Role::Muted, this};
    m_time = new TextLabel{unknownText(), TextRole::Figure, Role::Text, this};
    m_timeDifference = new TextLabel{{}, TextRole::SmallMedium, Role::Muted, this};
    m_peak->setObjectName(QStringLiteral("peak"));
    m_time->setObjectName(QStringLiteral("stepTime"));
    // The grid distributes the width by the columns' stretch.
    for (TextLabel* label : {m_peak, m_peakDifference, m_time, m_timeDifference})
        label->setSteady();
    grid->addWidget(new TextLabel{tr("Peak"), TextRole::Body, Role::Muted, this}, 0, 0);
    grid->addWidget(new TextLabel{tr("Step time"), TextRole::Body, Role::Muted, this}, 0, 1);
    grid->addWidget(m_peak, 1, 0);
    grid->addWidget(m_time, 1, 1);
    grid->addWidget(m_peakDifference, 2, 0);
    grid->addWidget(m_timeDifference, 2, 1);
    // "−13.48 GiB from 15.66 GiB" is longer than any "+69.5 ms (+116.7 %)".
    grid->setColumnStretch(0, 4);
    grid->setColumnStretch(1, 3);
    m_layout->addLayout(grid, 3);
}

void AnswerHead::setWide(bool isWide)
{
    m_layout->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_verdict->setWide(isWide);
}

void AnswerHead::showVerdict(Verdict verdict, const QString& sentence)
{
    m_verdict->show(verdict, sentence);
}

void AnswerHead::showFigures(const plan::Evaluation& evaluation, const plan::Evaluation& unplanned)
{
    m_peak->setText(ui::bytesText(evaluation.peak, Rounding::Up));
    m_time->setText(ui::timeText(evaluation.stepTime));
    const base::Bytes less = evaluation.peak - unplanned.peak;
    m_peakDifference->setText(
        less.count() == 0
            ? tr("as unplanned")
            : tr("%1 from %2")
                  .arg(bytesDifferenceText(less), ui::bytesText(unplanned.peak, Rounding::Up)));
    m_peakDifference->setColor(less.count() < 0 ? Role::Ok : Role::Muted);
    const base::Nanoseconds more = evaluation.stepTime - unplanned.stepTime;
    m_timeDifference->setText(
        more.count() == 0 ? tr("as unplanned")
                          : tr("%1 (%2)").arg(timeDifferenceText(more),
                                              percentDifferenceText(slowDown(evaluation.stepTime,
                                                                             unplanned.stepTime))));
    m_timeDifference->setColor(more.count() > 0 ? Role::Warn : Role::Muted);
}

void AnswerHead::showOnlyUnplanned(const plan::Evaluation& unplanned)
{
    for (TextLabel* figure : {m_peak, m_time})
        figure->setText(unknownText());
    for (TextLabel* difference : {m_peakDifference, m_timeDifference})
        difference->setColor(Role::Muted);
    m_peakDifference->setText(tr("unplanned %1").arg(ui::bytesText(unplanned.peak, Rounding::Up)));
    m_timeDifference->setText(tr("unplanned %1").arg(ui::timeText(unplanned.stepTime)));
}

} // namespace plimsoll::ui
