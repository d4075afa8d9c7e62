// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/find_field.h"

#include "ui/base/drawn_text.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/theme.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QPainter>
#include <QStyle>

#include <cmath>

namespace plimsoll::ui {

namespace {
constexpr int kWidth = 300;
constexpr int kCountMargin = 8;
} // namespace

FindField::FindField(QWidget* parent) : QLineEdit{parent}
{
    setPlaceholderText(tr("Find tensor, module, op, source…"));
    setAccessibleName(tr("Find"));
    addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    connect(&Theme::current(), &Theme::changed, this, &FindField::relabel);
    showNoCount();
    relabel();
}

void FindField::relabel()
{
    const Theme& theme = Theme::current();
    setFixedWidth(theme.px(kWidth));
    const double room = m_count.isEmpty() ? 0
                                          : numberWidth(theme.font(TextRole::Small), m_count)
                                                + theme.px(kCountMargin);
    setTextMargins(0, 0, static_cast<int>(std::ceil(room)), 0);
    update();
}

void FindField::setCount(const QString& text, bool isFault)
{
    setAccessibleDescription(text.isEmpty()
                                 ? tr("Looks through the ops, tensors, modules and source lines "
                                      "of the step. Enter goes to the next one.")
                                 : tr("%1. Enter goes to the next one.").arg(text));
    m_count = text;
    relabel();
    if (isFault == m_isFault)
        return;
    m_isFault = isFault;
    setProperty("fault", isFault);
    style()->unpolish(this);
    style()->polish(this);
}

void FindField::showHits(std::size_t position, std::size_t total)
{
    if (total == 0)
        setCount(tr("0 hits"), true);
    else
        setCount(tr("%1 of %2").arg(countText(position), countText(total)), false);
}

void FindField::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Escape: Q_EMIT cancelled(); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT hitRequested(event->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
        return;
    case Qt::Key_Down: Q_EMIT hitRequested(1); return;
    case Qt::Key_Up: Q_EMIT hitRequested(-1); return;
    default: QLineEdit::keyPressEvent(event);
    }
}

void FindField::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    if (m_count.isEmpty())
        return;
    const Theme& theme = Theme::current();
    const QFont font = theme.font(TextRole::Small);
    const QFontMetricsF metrics{font};
    QPainter painter{this};
    painter.setFont(font);
    painter.setPen(theme.color(m_isFault ? Role::Danger : Role::Muted));
    drawNumber(painter,
               {static_cast<double>(width() - theme.px(kCountMargin)),
                (height() + metrics.ascent() - metrics.descent()) / 2},
               m_count, Qt::AlignRight);
}

} // namespace plimsoll::ui
