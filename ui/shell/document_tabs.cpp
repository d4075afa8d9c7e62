// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/document_tabs.h"

#include "ui/base/icons.h"
#include "ui/base/texts.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/shell/tab_titles.h"

#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr int kLeastTitle = 200; ///< of the widest, before scaling

} // namespace

DocumentTabs::DocumentTabs(QStackedWidget& stack, QWidget* parent)
    : QWidget{parent}, m_stack{stack}, m_bar{new QTabBar{this}}
{
    auto* row = makeRow(this, 4, {8, 0, 8, 0});
    m_bar->setProperty("documents", true);
    m_bar->setDrawBase(false);
    m_bar->setExpanding(false);
    m_bar->setTabsClosable(true);
    m_bar->setElideMode(Qt::ElideMiddle);
    m_bar->setAccessibleName(tr("Documents"));
    row->addWidget(m_bar);
    auto* plus = new QToolButton{this};
    plus->setIcon(icon(QStringLiteral("plus")));
    plus->setToolTip(tr("Open a file"));
    plus->setAccessibleName(tr("Open a file in a new tab"));
    connect(plus, &QToolButton::clicked, this, &DocumentTabs::openRequested);
    row->addWidget(plus);
    row->addStretch(1);
    m_bar->addTab(icon(QStringLiteral("home")), tr("Start"));
    m_bar->setTabButton(0, QTabBar::RightSide, nullptr);
    connect(m_bar, &QTabBar::currentChanged, this, &DocumentTabs::showTab);
    connect(m_bar, &QTabBar::tabCloseRequested, this, [this](int tab) {
        if (DocumentPage* page = pageAt(tab))
            Q_EMIT closeRequested(page);
        else if (m_opening != nullptr && tab == openingTab())
            Q_EMIT openingClosed();
    });
}

DocumentTabs::~DocumentTabs()
{
    m_bar->disconnect(this);
    // Deleting a page shows the next one and updates the titles, which must not use deleted pages.
    std::vector<DocumentPage*> pages = std::exchange(m_pages, {});
    m_recent.clear();
    pages.insert(pages.end(), m_closed.begin(), m_closed.end());
    for (DocumentPage* page : pages) {
        page->keeper().finish();
        delete page;
    }
}

DocumentPage* DocumentTabs::pageAt(int tab) const
{
    return tab < 1 || tab > static_cast<int>(m_pages.size())
               ? nullptr
               : m_pages[static_cast<std::size_t>(tab - 1)];
}

DocumentPage* DocumentTabs::current() const
{
    return pageAt(m_bar->currentIndex());
}

DocumentPage* DocumentTabs::lastOf(const QString& kind) const
{
    const auto last = std::find_if(m_recent.rbegin(), m_recent.rend(),
                                   [&](const DocumentPage* page) { return page->kind() == kind; });
    return last == m_recent.rend() ? nullptr : *last;
}

bool DocumentTabs::contains(const DocumentPage* page) const
{
    return std::ranges::find(m_pages, page) != m_pages.end();
}

void DocumentTabs::add(DocumentPage& page)
{
    Q_EMIT added(&page);
    addTab(page);
}

void DocumentTabs::bringBack(DocumentPage& page)
{
    std::erase(m_closed, &page);
    addTab(page);
}

void DocumentTabs::addTab(DocumentPage& page)
{
    m_stack.addWidget(&page);
    m_undo.addStack(&page.undoStack());
    const int tab = openingTab();
    m_pages.push_back(&page);
    m_bar->setCurrentIndex(
        m_bar->insertTab(tab, icon(page.iconName()), withoutMnemonic(page.title())));
}

void DocumentTabs::close(DocumentPage& page)
{
    const auto found = std::ranges::find(m_pages, &page);
    const int tab = static_cast<int>(found - m_pages.begin()) + 1;
    m_undo.removeStack(&page.undoStack());
    m_pages.erase(found);
    std::erase(m_recent, &page);
    m_stack.removeWidget(&page);
    page.hide();
    m_closed.push_back(&page);
    m_bar->removeTab(tab);
    showTab(m_bar->currentIndex());
}

void DocumentTabs::remove(DocumentPage& page)
{
    std::erase(m_closed, &page);
    // Deferred: the page may be the sender of the current signal.
    page.deleteLater();
}

void DocumentTabs::show(const DocumentPage& page)
{
    const auto found = std::ranges::find(m_pages, &page);
    if (found != m_pages.end())
        m_bar->setCurrentIndex(static_cast<int>(found - m_pages.begin()) + 1);
}

void DocumentTabs::showOpening(QWidget& page, const QString& title)
{
    if (m_opening != nullptr)
        return;
    m_beforeOpening = current();
    m_opening = &page;
    if (m_stack.indexOf(&page) < 0)
        m_stack.addWidget(&page);
    m_bar->setCurrentIndex(m_bar->addTab(icon(QStringLiteral("profile")), withoutMnemonic(title)));
}

void DocumentTabs::endOpening()
{
    if (m_opening == nullptr)
        return;
    if (isOpeningShown()) {
        const auto before = std::ranges::find(m_pages, m_beforeOpening.data());
        m_bar->setCurrentIndex(
            before == m_pages.end() ? 0 : static_cast<int>(before - m_pages.begin()) + 1);
    }
    m_opening = nullptr;
    m_bar->removeTab(openingTab());
}

bool DocumentTabs::isOpeningShown() const
{
    return m_opening != nullptr && m_bar->currentIndex() == openingTab();
}

void DocumentTabs::showNext()
{
    m_bar->setCurrentIndex((m_bar->currentIndex() + 1) % m_bar->count());
}

void DocumentTabs::showTab(int index)
{
    if (index < 0)
        return;
    DocumentPage* page = current();
    if (page != nullptr) {
        std::erase(m_recent, page);
        m_recent.push_back(page);
    }
    m_stack.setCurrentWidget(page != nullptr    ? page
                             : isOpeningShown() ? m_opening
                                                : m_stack.widget(0));
    m_undo.setActiveStack(page == nullptr ? nullptr : &page->undoStack());
    Q_EMIT currentChanged(page);
    if (page != nullptr)
        page->focusCentre();
}

void DocumentTabs::updateTitles()
{
    // With scroll buttons enabled, reserved room would separate a single tab from the "+".
    m_bar->setUsesScrollButtons(m_bar->count() > 1);
    // A bar that scrolls doesn't elide: one that is wider than the bar would show its middle only.
    const int widest = std::max(Theme::current().px(kLeastTitle), width() / 3);
    const QFontMetrics metrics{Theme::current().font(TextRole::Strong)}; // as the current tab's
    std::vector<TabName> names;
    names.reserve(m_pages.size());
    for (const DocumentPage* page : m_pages)
        names.push_back({page->title(), page->originFile()});
    const QStringList titles = distinctTitles(names);
    for (std::size_t i = 0; i < m_pages.size(); ++i) {
        const DocumentPage& page = *m_pages[i];
        const int tab = static_cast<int>(i) + 1;
        const QString dot = page.isUnsaved() ? QStringLiteral("● ") : QString{};
        const QString whole = dot + titles[static_cast<qsizetype>(i)];
        const QString shown = metrics.elidedText(whole, Qt::ElideMiddle, widest);
        if (const QString text = withoutMnemonic(shown); m_bar->tabText(tab) != text)
            m_bar->setTabText(tab, text);
        const QString file = fileText(page.originFile());
        m_bar->setTabToolTip(tab, plainTip(file.isEmpty() && shown != whole ? whole : file));
    }
}

void DocumentTabs::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    updateTitles();
}

} // namespace plimsoll::ui
