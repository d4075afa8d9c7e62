// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_browser.h"

#include "ui/base/theme.h"
#include "ui/manual/manual_look.h"
#include "ui/manual/manual_pages.h"

#include <QDesktopServices>
#include <QResizeEvent>
#include <QScrollBar>
#include <QTextDocument>

#include <algorithm>

namespace plimsoll::ui {

ManualBrowser::ManualBrowser(QWidget* parent) : QTextBrowser{parent}
{
    setOpenLinks(false);
    setAccessibleName(tr("Page"));
    // Going back also sets the source, and scrolls only after this signal.
    connect(this, &QTextBrowser::sourceChanged, this, &ManualBrowser::take);
    // Queued: a link followed with Enter must stay in view while the key is handled.
    connect(this, &QTextBrowser::anchorClicked, this, &ManualBrowser::follow, Qt::QueuedConnection);
    connect(&Theme::current(), &Theme::changed, this, &ManualBrowser::restyle);
}

void ManualBrowser::showPage(const QString& target)
{
    setSource(manualUrl(target), QTextDocument::MarkdownResource);
}

void ManualBrowser::setMarkedWords(const QStringList& words)
{
    m_words = words;
    mark();
}

void ManualBrowser::take(const QUrl& url)
{
    m_target = manualPath(url);
    if (!isManualStyled(*document())) // Qt reloads a page even for some links within it
        restyle();
    if (url.hasFragment())
        scrollToAnchor(url.fragment());
    Q_EMIT pageShown(m_target);
}

void ManualBrowser::restyle()
{
    if (m_target.isEmpty())
        return;
    const int position = verticalScrollBar()->value();
    styleManual(*document());
    fitToWidth();
    mark();
    verticalScrollBar()->setValue(position);
}

void ManualBrowser::mark()
{
    QList<ExtraSelection> marks;
    QTextCharFormat look;
    look.setBackground(Theme::current().color(Role::WarnBg));
    for (const QString& word : m_words)
        for (QTextCursor at = document()->find(word); !at.isNull(); at = document()->find(word, at))
            marks << ExtraSelection{at, look};
    setExtraSelections(marks);
}

void ManualBrowser::fitToWidth()
{
    const int width = viewport()->width() - 2 * static_cast<int>(document()->documentMargin());
    fitPictures(*document(), pagePath(), std::max(width, 1), devicePixelRatioF());
}

void ManualBrowser::follow(const QUrl& link)
{
    const QUrl target = link.isRelative() ? manualUrl(m_target).resolved(link) : link;
    if (target.scheme() == QLatin1String("qrc"))
        showPage(manualPath(target));
    else
        QDesktopServices::openUrl(target);
}

void ManualBrowser::resizeEvent(QResizeEvent* event)
{
    QTextBrowser::resizeEvent(event);
    if (!m_target.isEmpty() && event->size().width() != event->oldSize().width())
        fitToWidth();
}

} // namespace plimsoll::ui
