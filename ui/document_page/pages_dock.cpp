// SPDX-License-Identifier: Apache-2.0
#include "ui/document_page/pages_dock.h"

#include "ui/base/icons.h"
#include "ui/base/widgets.h"
#include "ui/menus/mnemonics.h"

#include <QMenu>
#include <QPaintEvent>
#include <QPainter>
#include <QTabBar>
#include <QToolButton>

namespace plimsoll::ui {

namespace {

constexpr int kCountsWidth = 120;
constexpr int kMenuWidth = 72;  ///< of the button for pages without a tab
constexpr int kBesideTabs = 64; ///< margins, spacing, and the dock's menu

/// Background of a dock's title bar: panel colour, rounded at the top, with a line below.
class TitleBar : public QWidget
{
public:
    explicit TitleBar(QWidget* parent) : QWidget{parent}
    {
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        connect(&Theme::current(), &Theme::changed, this, [this] { updateGeometry(); });
    }
    // Without a size hint, Qt gives a title bar no height.
    [[nodiscard]] QSize sizeHint() const override
    {
        return {QWidget::sizeHint().width(), Theme::current().rowHeight(31)};
    }
    [[nodiscard]] QSize minimumSizeHint() const override { return {60, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const Theme& theme = Theme::current();
        QPainter painter{this};
        painter.fillRect(rect(), theme.color(Role::Window));
        setShape(painter, Qt::NoPen, theme.color(Role::Panel));
        const double radius = theme.px(6);
        painter.drawRoundedRect(QRectF{rect()}.adjusted(0, 0, 0, radius), radius, radius);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(QRect{0, height() - 1, width(), 1}, theme.color(Role::Border));
    }
};

/// Background of a dock's body: panel colour, rounded at the bottom.
class Body : public QStackedWidget
{
public:
    explicit Body(QWidget* parent) : QStackedWidget{parent}
    {
        // Otherwise every change inside would repaint everything behind it.
        setAttribute(Qt::WA_OpaquePaintEvent);
    }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        const Theme& theme = Theme::current();
        const int radius = theme.px(6);
        QPainter painter{this};
        if (event->rect().bottom() < height() - radius) { // as when a drag updates its content
            painter.fillRect(event->rect(), theme.color(Role::Panel));
            return;
        }
        painter.fillRect(rect(), theme.color(Role::Window));
        setShape(painter, Qt::NoPen, theme.color(Role::Panel));
        painter.drawRoundedRect(QRectF{rect()}.adjusted(0, -radius, 0, 0), radius, radius);
    }
};

} // namespace

/// Tabs that tell how wide they want to be.
class TabRow : public QTabBar
{
public:
    using QTabBar::QTabBar;
    [[nodiscard]] int widthOf(int index) const { return tabSizeHint(index).width(); }
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }
};

PagesDock::PagesDock(const QString& name, const QString& title, QWidget* parent)
    : QDockWidget{title, parent}
{
    setObjectName(name);
    setAccessibleName(title);
    auto* bar = new TitleBar{this};
    auto* row = makeRow(bar, 8, {12, 0, 6, 0});
    m_title = new TextLabel{title, TextRole::Strong, Role::Text, bar};
    m_title->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_title);
    m_tabs = new TabRow{bar};
    m_tabs->setUsesScrollButtons(false);
    m_tabs->setElideMode(Qt::ElideNone);
    m_tabs->setProperty("pages", true);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(title);
    row->addWidget(m_tabs);
    m_others = new QToolButton{bar};
    m_others->setAutoRaise(true);
    m_others->setPopupMode(QToolButton::InstantPopup);
    m_others->setAccessibleName(tr("More pages of %1").arg(title));
    m_others->setMenu(new QMenu{m_others});
    connect(m_others->menu(), &QMenu::aboutToShow, this, &PagesDock::fillOthers);
    addMnemonics(*m_others->menu());
    m_others->hide();
    row->addWidget(m_others);
    row->addStretch(1);
    m_counts = new TextLabel{{}, TextRole::Body, Role::Muted, bar};
    m_counts->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_counts->setSteady(kCountsWidth);
    m_counts->hide(); // until there is something to count
    row->addWidget(m_counts);
    auto* more = new QToolButton{bar};
    more->setIcon(icon(QStringLiteral("more")));
    more->setAutoRaise(true);
    more->setAccessibleName(tr("Menu of %1").arg(title));
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu{more};
    menu->addAction(tr("&Float"), this, [this] { setFloating(!isFloating()); });
    menu->addAction(tr("&Hide"), this, &QWidget::hide);
    more->setMenu(menu);
    row->addWidget(more);
    setTitleBarWidget(bar);
    bar->installEventFilter(this);
    m_pages = new Body{this};
    setWidget(m_pages);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0 && index < m_pages->count())
            m_pages->setCurrentIndex(index);
        arrangeTabs(); // the current tab's bold title is wider
        Q_EMIT pageChanged();
    });
    updateTitle();
}

void PagesDock::insertPage(int index, QWidget* page, const QString& title)
{
    // Set the page first: a new tab may become current at once.
    m_pages->insertWidget(index, page);
    m_tabs->insertTab(index, title);
    m_pages->setCurrentIndex(m_tabs->currentIndex());
    updateTitle();
}

void PagesDock::takePage(QWidget* page, QWidget* owner)
{
    const int index = m_pages->indexOf(page);
    if (index < 0)
        return;
    m_pages->removeWidget(page);
    page->setParent(owner);
    if (owner != nullptr)
        page->hide();
    m_tabs->removeTab(index);
    m_pages->setCurrentIndex(m_tabs->currentIndex());
    updateTitle();
}

void PagesDock::showPage(QWidget* page)
{
    const int index = m_pages->indexOf(page);
    if (index >= 0)
        m_tabs->setCurrentIndex(index);
    show();
    raise();
}

void PagesDock::setPageTitle(QWidget* page, const QString& title)
{
    const int index = m_pages->indexOf(page);
    if (index < 0 || m_tabs->tabText(index) == title)
        return;
    m_tabs->setTabText(index, title);
    updateTitle();
}

void PagesDock::setCurrentPage(int index)
{
    if (index >= 0 && index < m_tabs->count())
        m_tabs->setCurrentIndex(index);
}

void PagesDock::setCounts(const QString& counts)
{
    m_counts->setText(counts);
    if (m_hasCounts || counts.isEmpty())
        return;
    m_hasCounts = true;
    m_counts->show();
    arrangeTabs();
}

void PagesDock::updateTitle()
{
    m_title->setVisible(m_tabs->count() < 2);
    m_tabs->setVisible(m_tabs->count() >= 2);
    if (m_tabs->count() == 1)
        m_title->setText(m_tabs->tabText(0));
    arrangeTabs();
}

QWidget* PagesDock::currentWidget() const
{
    return m_pages->currentWidget();
}

int PagesDock::currentPage() const
{
    return m_tabs->currentIndex();
}

bool PagesDock::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == titleBarWidget()
        && (event->type() == QEvent::Resize || event->type() == QEvent::Show))
        arrangeTabs();
    return QDockWidget::eventFilter(watched, event);
}

void PagesDock::arrangeTabs()
{
    const Theme& theme = Theme::current();
    const int count = m_tabs->count();
    const int menu = theme.px(kMenuWidth);
    const int room = titleBarWidget()->width() - theme.px(kBesideTabs)
                     - (m_hasCounts ? m_counts->sizeHint().width() : 0);
    int all = 0;
    for (int i = 0; i < count; ++i)
        all += m_tabs->widthOf(i);
    const bool fits = all <= room;
    int left = room - (fits ? 0 : menu) - (count > 0 ? m_tabs->widthOf(currentPage()) : 0);
    for (int i = 0; i < count; ++i) {
        const bool isCurrent = i == currentPage();
        const int width = m_tabs->widthOf(i);
        const bool isShown = fits || isCurrent || width <= left;
        if (!isCurrent)
            left -= isShown ? width : left + 1; // the tabs behind one that is hidden are, too
        m_tabs->setTabVisible(i, isShown);
    }
    m_others->setVisible(!fits && count > 1);
    int hidden = 0;
    for (int i = 0; i < count; ++i)
        hidden += m_tabs->isTabVisible(i) ? 0 : 1;
    m_others->setText(tr("%1 more").arg(hidden) + QStringLiteral(" ▾"));
    m_tabs->updateGeometry();
}

void PagesDock::fillOthers()
{
    m_others->menu()->clear();
    for (int i = 0; i < m_tabs->count(); ++i)
        if (!m_tabs->isTabVisible(i))
            m_others->menu()->addAction(m_tabs->tabText(i), m_tabs,
                                        [this, i] { m_tabs->setCurrentIndex(i); });
}

} // namespace plimsoll::ui
