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
#include <utility>

namespace plimsoll::ui {

namespace {
constexpr int kWidth = 300;
constexpr int kCountMargin = 8;
} // namespace

FindField::FindField(QWidget* parent) : QLineEdit{parent}
{
    setAccessibleName(tr("Find"));
    addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    connect(&Theme::current(), &Theme::changed, this, &FindField::relabel);
    connect(this, &QLineEdit::textChanged, this, &FindField::search);
    setCount({});
}

void FindField::setPage(DocumentPage* page)
{
    if (page == m_page)
        return;
    m_page = page;
    clear();
    if (page != nullptr)
        setPlaceholderText(page->findHint());
    setEnabled(page == nullptr || !page->findHint().isEmpty());
}

void FindField::search(const QString& query)
{
    m_searcher.stop();
    DocumentPage* page = m_page.data();
    DocumentPage::Search work =
        page == nullptr || query.trimmed().isEmpty() ? nullptr : page->searchFor(query);
    if (!work) {
        m_hits.clear();
        setCount({});
        return;
    }
    m_searcher.start(std::move(work), [this, query, page](base::Result<DocumentPage::Hits> found) {
        if (!found || page != m_page || query != text())
            return;
        m_hits = *std::move(found);
        m_position = 0;
        showHit();
    });
}

void FindField::go(int by)
{
    if (m_hits.empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(m_hits.size());
    const auto at = static_cast<std::ptrdiff_t>(m_position) + by;
    m_position = static_cast<std::size_t>((at + count) % count);
    showHit();
}

void FindField::showHit()
{
    setCount(m_hits.empty()
                 ? tr("0 hits")
                 : tr("%1 of %2").arg(countText(m_position + 1), countText(m_hits.size())));
    if (DocumentPage* page = m_page.data(); page != nullptr && !m_hits.empty())
        page->showHit(m_hits[m_position]);
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

void FindField::setCount(const QString& text)
{
    setAccessibleDescription(text.isEmpty()
                                 ? tr("Looks through the ops, tensors, modules and source lines "
                                      "of the step. Enter goes to the next one.")
                                 : tr("%1. Enter goes to the next one.").arg(text));
    m_count = text;
    relabel();
    const bool isFault = !text.isEmpty() && m_hits.empty();
    if (std::exchange(m_isFault, isFault) == isFault)
        return;
    setProperty("fault", isFault);
    style()->unpolish(this);
    style()->polish(this);
}

void FindField::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Escape:
        clear();
        if (DocumentPage* page = m_page.data())
            page->focusCentre();
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter: go(event->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1); return;
    case Qt::Key_Down: go(1); return;
    case Qt::Key_Up: go(-1); return;
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
