// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/next_steps.h"

#include "ui/base/drawn_text.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"

#include <QAbstractButton>
#include <QFontMetricsF>
#include <QFrame>
#include <QPainter>

#include <algorithm>

namespace plimsoll::ui {

/// One step: budget, bytes and time; the whole row is the button.
class NextStepRow : public QAbstractButton
{
public:
    explicit NextStepRow(QWidget* parent) : QAbstractButton{parent}
    {
        setFixedHeight(Theme::current().rowHeight(22));
        setCursor(Qt::PointingHandCursor);
        setAttribute(Qt::WA_Hover);
    }

    /// `like`: gives the unit of the bytes.
    void setStep(const NextStep& step, base::Bytes like)
    {
        m_budget = ui::bytesText(step.budget, Rounding::Up);
        m_difference = bytesDifferenceText(step.difference, like);
        m_time = timeDifferenceText(step.extraTime);
        setAccessibleName(tr("Set the budget to %1: %2, %3").arg(m_budget, m_difference, m_time));
        setAccessibleDescription(step.how);
        setToolTip(plainTip(tr("Set the budget to %1. %2").arg(m_budget, step.how)));
        update();
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const Theme& theme = Theme::current();
        QPainter painter{this};
        painter.setRenderHint(QPainter::Antialiasing);
        if (isDown() || underMouse() || hasFocus()) {
            setShape(painter, hasFocus() ? QPen{theme.color(Role::Accent), 1} : QPen{Qt::NoPen},
                     theme.color(isDown() ? Role::Sel : Role::Raised));
            painter.drawRoundedRect(QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        }
        const double side = theme.px(14);
        drawIcon(painter, QRectF{theme.px(2) + 0.0, (height() - side) / 2, side, side},
                 QStringLiteral("recompute"), theme.color(Role::DecisionRecompute));
        const QFont font = theme.font(TextRole::Body);
        const double baseline = (height() + QFontMetricsF{font}.capHeight()) / 2;
        ui::setText(painter, TextRole::Body, Role::Text);
        drawNumber(painter, QPointF{theme.px(22) + 0.0, baseline}, m_budget, Qt::AlignLeft);
        const double right = width() - theme.px(2);
        // Numbers must not overlap: a narrow row omits the difference, which the budget implies.
        const double middle = right - theme.px(72);
        if (middle - numberWidth(font, m_difference) > theme.px(30) + numberWidth(font, m_budget))
            drawNumber(painter, QPointF{middle, baseline}, m_difference, Qt::AlignRight);
        painter.setPen(theme.color(Role::Muted));
        drawNumber(painter, QPointF{right, baseline}, m_time, Qt::AlignRight);
    }

private:
    QString m_budget;
    QString m_difference;
    QString m_time;
};

NextSteps::NextSteps(QWidget* parent) : QWidget{parent}
{
    const Theme& theme = Theme::current();
    auto* column = makeColumn(this);
    auto* line = new QFrame{this};
    line->setProperty("line", true);
    column->addWidget(line);
    column->addSpacing(theme.px(8));
    column->addWidget(new TextLabel{tr("Cheapest next steps"), TextRole::Strong, Role::Text, this});
    column->addSpacing(theme.px(4));
    m_none = new TextLabel{{}, TextRole::Body, Role::Muted, this};
    m_none->hide();
    column->addWidget(m_none);
    for (NextStepRow*& row : m_rows) {
        row = new NextStepRow{this};
        column->addWidget(row);
    }
    setFixedHeight(sizeHint().height()); // with any number of rows
    for (NextStepRow* row : m_rows)
        row->hide();
    column->addStretch();
    for (std::size_t i = 0; i < kRows; ++i)
        connect(m_rows.at(i), &QAbstractButton::clicked, this,
                [this, i] { Q_EMIT chosen(m_steps[i].budget); });
    QSizePolicy policy{QSizePolicy::Preferred, QSizePolicy::Fixed};
    policy.setRetainSizeWhenHidden(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Cheapest next steps"));
    hide();
}

void NextSteps::setSteps(const std::vector<NextStep>& steps, std::optional<base::Bytes> leastBudget)
{
    m_none->setText(leastBudget ? tr("Below %1 no plan runs without flushes.")
                                      .arg(ui::bytesText(*leastBudget, Rounding::Up))
                                : tr("No smaller plan is known."));
    m_steps = steps;
    if (m_steps.size() > kRows)
        m_steps.resize(kRows);
    base::Bytes largest;
    for (const NextStep& step : m_steps)
        largest = std::max(largest, base::Bytes{} - step.difference);
    for (std::size_t i = 0; i < kRows; ++i) {
        if (i < m_steps.size())
            m_rows.at(i)->setStep(m_steps[i], largest);
        m_rows.at(i)->setVisible(i < m_steps.size());
    }
    m_none->setVisible(m_steps.empty());
    show();
}

void NextSteps::clear()
{
    m_steps.clear();
    hide();
}

} // namespace plimsoll::ui
