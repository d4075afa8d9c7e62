// SPDX-License-Identifier: Apache-2.0
#include "ui/document_page/docked_page.h"

#include "ui/base/widgets.h"
#include "ui/document_page/pages_dock.h"

#include <QAction>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

namespace {
constexpr int kLayoutVersion = 1;
constexpr int kLeastCentre = 560;
constexpr int kNarrowWidth = 1200;
constexpr int kRightPercent = 10; ///< of the width, on screens where that is more
constexpr int kBottomHeight = 236;
constexpr int kBelowPercent = 28; ///< of the height, likewise
constexpr int kLeastBottomHeight = 150;
constexpr int kLeftWidth = 372; ///< of the first of several docks below
} // namespace

DockedPage::DockedPage(QWidget* parent) : QMainWindow{parent}
{
    setWindowFlags(Qt::Widget);
    connect(&Theme::current(), &Theme::changed, this, &DockedPage::followScale);
    setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks
                   | QMainWindow::AllowNestedDocks);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    auto* centre = new QWidget{this};
    centre->setProperty("ground", QStringLiteral("panel"));
    centre->setMinimumWidth(kLeastCentre);
    m_body = new QWidget{centre};
    makeColumn(centre)->addWidget(m_body, 1);
    makeColumn(m_body);
    m_strip = new MessageStrip{m_body};
    setCentralWidget(centre);
    m_centre = centre;
}

DockedPage::~DockedPage()
{
    delete m_strip; // which may be in the window
    // The docks outlive the members and would still report here while they are destroyed.
    for (const auto& [dock, area] : m_docks)
        dock->disconnect(this);
}

void DockedPage::setCentre(QWidget* plot)
{
    static_cast<QVBoxLayout*>(m_body->layout())->addWidget(plot, 1);
    m_centre = plot;
}

void DockedPage::placeAbove(QWidget* widget)
{
    static_cast<QVBoxLayout*>(centralWidget()->layout())->insertWidget(0, widget);
}

void DockedPage::addDock(const DockKind& kind)
{
    auto* dock = new PagesDock{kind.id, kind.title, this};
    m_docks.emplace_back(dock, kind.area);
    placeDocks();
    connect(dock, &PagesDock::pageChanged, this, &DockedPage::storeView);
    connect(dock, &QDockWidget::visibilityChanged, this, &DockedPage::storeView);
    connect(dock, &QDockWidget::dockLocationChanged, this, [this] {
        m_isLaidByHand = true; // moved by the user, or restored from a session
        storeView();
    });
}

void DockedPage::addView(const QString& dock, QWidget* view, const QString& title,
                         const QString& narrowTitle)
{
    PagesDock& to = this->dock(dock);
    to.addPage(view, title);
    if (!narrowTitle.isEmpty())
        m_sideViews.push_back({&to, view, title, narrowTitle});
}

PagesDock& DockedPage::dock(const QString& id) const
{
    return *findChild<PagesDock*>(id);
}

PagesDock* DockedPage::dockOf(const QWidget* view) const
{
    for (const auto& [dock, area] : m_docks)
        if (dock->holds(view))
            return dock;
    return nullptr;
}

QList<QDockWidget*> DockedPage::docksAt(Qt::DockWidgetArea area) const
{
    QList<QDockWidget*> docks;
    for (const auto& [dock, place] : m_docks)
        if (place == area)
            docks << dock;
    return docks;
}

PagesDock* DockedPage::lastBelow() const
{
    const QList<QDockWidget*> below = docksAt(Qt::BottomDockWidgetArea);
    return below.isEmpty() ? nullptr : static_cast<PagesDock*>(below.last());
}

QList<QAction*> DockedPage::dockActions() const
{
    QList<QAction*> actions;
    for (const auto& [dock, area] : m_docks)
        actions << dock->toggleViewAction();
    return actions;
}

QList<QWidget*> DockedPage::panels() const
{
    QList<QWidget*> docks;
    for (const auto& [dock, area] : m_docks)
        if (dock->isVisible())
            docks << dock;
    // The right dock is placed before those below, which are placed from left to right.
    std::ranges::sort(docks, {}, [this](QWidget* dock) {
        const bool isBelow =
            dockWidgetArea(static_cast<PagesDock*>(dock)) == Qt::BottomDockWidgetArea;
        return std::pair{isBelow, isBelow ? dock->x() : dock->y()};
    });
    return QList<QWidget*>{centralWidget()} + docks;
}

void DockedPage::placeDocks()
{
    PagesDock* leftBelow = nullptr;
    for (const auto& [dock, area] : m_docks) {
        addDockWidget(area, dock);
        if (area != Qt::BottomDockWidgetArea)
            continue;
        if (leftBelow != nullptr)
            splitDockWidget(leftBelow, dock, Qt::Horizontal);
        leftBelow = dock;
    }
}

void DockedPage::resetLayout()
{
    m_isFocused = false;
    for (const auto& [dock, area] : m_docks)
        dock->setFloating(false);
    placeDocks();
    for (const auto& [dock, area] : m_docks)
        dock->setVisible(area == Qt::BottomDockWidgetArea || !m_isNarrow);
    sizeDocks();
    m_isLaidByHand = false;
}

/// In a low window the centre keeps the larger part; on a large screen the docks get more rows.
int DockedPage::roomBelow() const
{
    const Theme& theme = Theme::current();
    const int wanted = std::max(theme.px(kBottomHeight), height() * kBelowPercent / 100);
    return std::max(theme.px(kLeastBottomHeight), std::min(wanted, height() / 3));
}

void DockedPage::sizeDocks()
{
    const Theme& theme = Theme::current();
    const int right = std::max(theme.px(m_rightWidth), width() * kRightPercent / 100);
    const int across = width() - (m_isNarrow ? 0 : right + theme.px(6));
    const int left = std::min(std::max(theme.px(kLeftWidth), across / 4), across * 2 / 5);
    sizeDocks(right, roomBelow(), left);
}

void DockedPage::sizeDocks(int right, int below, int left)
{
    if (!m_isNarrow)
        for (QDockWidget* dock : docksAt(Qt::RightDockWidgetArea))
            resizeDocks({dock}, {right}, Qt::Horizontal);
    const QList<QDockWidget*> docks = docksAt(Qt::BottomDockWidgetArea);
    if (docks.isEmpty())
        return;
    resizeDocks({docks.first()}, {below}, Qt::Vertical);
    const int across = width() - (m_isNarrow ? 0 : right + Theme::current().px(6));
    const int others =
        std::max(1, (across - left) / std::max(1, static_cast<int>(docks.size()) - 1));
    QList<int> widths{left};
    widths.resize(docks.size(), others);
    resizeDocks(docks, widths, Qt::Horizontal);
}

void DockedPage::setFocused(bool focused)
{
    if (std::exchange(m_isFocused, focused) == focused)
        return;
    if (focused) {
        m_unfocusedLayout = saveState(kLayoutVersion);
        for (const auto& [dock, area] : m_docks)
            dock->hide();
    } else {
        const bool isLaidByHand = m_isLaidByHand;
        restoreState(m_unfocusedLayout, kLayoutVersion);
        adaptToWidth();
        m_isLaidByHand = isLaidByHand;
    }
}

/// In a narrow window the pages of the right dock become the first tabs of the last dock below.
void DockedPage::adaptToWidth()
{
    const bool narrow = width() < Theme::current().px(kNarrowWidth);
    PagesDock* below = lastBelow();
    if (narrow == m_isNarrow || below == nullptr)
        return;
    m_isNarrow = narrow;
    int place = 0;
    QWidget* shown = nullptr; // of the views at the right
    for (const SideView& side : m_sideViews) {
        if (narrow) {
            if (shown == nullptr && side.dock->currentWidget() == side.view)
                shown = side.view;
            side.dock->takePage(side.view);
            below->insertPage(place++, side.view, side.narrowTitle);
        } else {
            below->takePage(side.view);
            side.dock->addPage(side.view, side.title);
        }
    }
    if (shown != nullptr)
        below->showPage(shown);
    for (QDockWidget* dock : docksAt(Qt::RightDockWidgetArea))
        dock->setVisible(!narrow && !m_isFocused);
    Q_EMIT narrowChanged(narrow);
}

/// The contents of the docks have been rescaled: scale the docks, too.
void DockedPage::followScale()
{
    const double ratio =
        Theme::current().scale() / std::exchange(m_scale, Theme::current().scale());
    if (ratio == 1 || !m_wasShown)
        return;
    const auto scaled = [ratio](int length, int most) {
        return std::clamp(static_cast<int>(std::lround(length * ratio)), 1, std::max(1, most));
    };
    const QList<QDockWidget*> side = docksAt(Qt::RightDockWidgetArea);
    const QList<QDockWidget*> below = docksAt(Qt::BottomDockWidgetArea);
    const int right = side.isEmpty() ? 1 : scaled(side.first()->width(), width() / 2);
    const int bottom = below.isEmpty() ? 1 : scaled(below.first()->height(), height() / 2);
    const int left = below.isEmpty() ? 1 : scaled(below.first()->width(), width() / 3);
    adaptToWidth();
    sizeDocks(right, bottom, left);
}

bool DockedPage::event(QEvent* event)
{
    if (event->type() == QEvent::MouseButtonPress
        && isSeparator(static_cast<QMouseEvent*>(event)->position().toPoint()))
        m_isLaidByHand = true;
    return QMainWindow::event(event);
}

void DockedPage::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    if (!m_wasShown)
        return;
    adaptToWidth();
    if (!m_isFocused && !m_isLaidByHand)
        sizeDocks();
}

void DockedPage::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (m_wasShown)
        return;
    // Dock sizes are meaningful only from here on.
    adaptToWidth();
    resetLayout();
    restoreView();
    m_wasShown = true;
}

void DockedPage::restoreView()
{
    const QJsonObject view =
        QJsonDocument::fromJson(QByteArray::fromStdString(savedView())).object();
    if (view.value(QStringLiteral("version")).toInt() != kLayoutVersion)
        return;
    restoreFrom(view);
    const QByteArray docks =
        QByteArray::fromBase64(view.value(QStringLiteral("docks")).toString().toLatin1());
    if (docks.isEmpty() || view.value(QStringLiteral("narrow")).toBool() != m_isNarrow)
        return;
    restoreState(docks, kLayoutVersion);
    const QJsonArray pages = view.value(QStringLiteral("pages")).toArray();
    for (std::size_t i = 0; i < m_docks.size(); ++i)
        if (const QJsonValue page = pages.at(static_cast<qsizetype>(i)); page.isDouble())
            m_docks[i].first->setCurrentPage(page.toInt());
}

void DockedPage::storeView()
{
    // Nothing to store before the page was first shown, or in a layout that isn't the user's.
    if (!m_wasShown || m_isFocused || !isVisible())
        return;
    QJsonArray pages; // in front, of each dock
    for (const auto& [dock, area] : m_docks)
        pages.append(dock->currentPage());
    QJsonObject view{
        {QStringLiteral("version"), kLayoutVersion},
        {QStringLiteral("narrow"), m_isNarrow},
        {QStringLiteral("pages"), pages},
        {QStringLiteral("docks"), QString::fromLatin1(saveState(kLayoutVersion).toBase64())},
    };
    addToView(view);
    saveView(QJsonDocument{view}.toJson(QJsonDocument::Compact).toStdString());
}

} // namespace plimsoll::ui
