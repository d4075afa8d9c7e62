// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/verdict_box.h"

#include "ui/base/icons.h"
#include "ui/base/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace plimsoll::ui {

VerdictBox::VerdictBox(QWidget* parent) : QWidget{parent}, m_text{new QLabel{this}}
{
    const Theme& theme = Theme::current();
    auto* layout = new QHBoxLayout{this};
    layout->setContentsMargins(theme.px(30), theme.px(8), theme.px(10), theme.px(8));
    layout->addWidget(m_text);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setMinimumHeight(theme.px(60)); // three lines: the box keeps its height while sentences change
    connect(&Theme::current(), &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

void VerdictBox::show(Verdict verdict, const QString& sentence)
{
    m_verdict = verdict;
    m_text->setText(sentence);
    update();
}

QString VerdictBox::sentence() const
{
    return m_text->text();
}

void VerdictBox::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const bool good = m_verdict == Verdict::Good;
    const bool bad = m_verdict == Verdict::Bad;
    painter.setBrush(theme.color(good ? Role::OkBg : bad ? Role::DangerBg : Role::Raised));
    painter.drawRoundedRect(rect(), 4, 4);
    const QRectF spot{static_cast<double>(theme.px(10)), static_cast<double>(theme.px(10)),
                      static_cast<double>(theme.px(14)), static_cast<double>(theme.px(14))};
    drawIcon(painter, spot,
             good  ? QStringLiteral("verified")
             : bad ? QStringLiteral("error")
                   : QStringLiteral("info"),
             theme.color(good  ? Role::Ok
                         : bad ? Role::Danger
                               : Role::Muted));
}

} // namespace plimsoll::ui
