// SPDX-License-Identifier: Apache-2.0
// The docks of a planner page: sizes, narrow windows, what a session remembers.
#include "ui/base/theme.h"
#include "ui/frontier/frontier_view.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_panel/memory_lines.h"
#include "ui/plan_tables/access_page.h"
#include "ui/plan_tables/live_page.h"
#include "ui/plan_tables/measured_page.h"
#include "ui/plan_tables/pin_page.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/plan_tables/problem_page.h"
#include "ui/plan_tables/run_page.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/table_twins.h"
#include "ui/shell/pages_dock.h"

#include <QAction>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMouseEvent>
#include <QScrollArea>
#include <QTableView>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

namespace {
constexpr int kLayoutVersion = 1;
constexpr int kNarrowWidth = 1200;
constexpr int kRightWidth = 318;
constexpr int kRightPercent = 10; ///< of the width, on screens where that is more
constexpr int kBottomHeight = 236;
constexpr int kBelowPercent = 28; ///< of the height, likewise
constexpr int kLeastBottomHeight = 150;
constexpr int kFrontierWidth = 372;
} // namespace

void PlannerPage::buildDocks()
{
    m_panel = new BudgetPanel;
    m_panelArea = new QScrollArea;
    m_panelArea->setWidget(m_panel);
    m_panelArea->setWidgetResizable(true);
    // The scroll area would fill it with the window's colour.
    m_panel->setAutoFillBackground(false);
    m_panelArea->setFocusPolicy(Qt::NoFocus); // it follows the focus of what is in it
    m_panelArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_panelArea->setFrameShape(QFrame::NoFrame);
    m_frontier = new FrontierView;
    m_plan = new PlanPage;
    m_runs = new RunPage;
    m_live = new LivePage;
    m_accesses = new AccessPage;
    m_measured = new MeasuredPage{this}; // the dock gets it when there is something in it
    m_measured->hide();
    m_problems = new ProblemPage;
    m_rightDock = new PagesDock{QStringLiteral("budget"), tr("Budget and planner"), this};
    m_rightDock->addPage(m_panelArea, tr("Budget and planner"));
    m_frontierDock = new PagesDock{QStringLiteral("frontier"), tr("Frontier"), this};
    m_frontierDock->addPage(m_frontier, tr("Frontier"));
    m_planDock = new PagesDock{QStringLiteral("plan"), tr("Plan and runs"), this};
    m_planDock->addPage(m_plan, tr("Plan"));
    m_planDock->addPage(m_runs, tr("Runs"));
    m_planDock->addPage(m_live, tr("Live at cursor"));
    m_planDock->addPage(m_problems, tr("Problems"));
    m_planDock->addPage(m_accesses, tr("Accesses"));
    m_pins = new PinPage;
    m_planDock->addPage(m_pins, tr("Pins"));
    m_twins = new TableTwins{*m_planDock, this};
    addDockWidget(Qt::RightDockWidgetArea, m_rightDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_frontierDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_planDock);
    splitDockWidget(m_frontierDock, m_planDock, Qt::Horizontal);
}

QList<QAction*> PlannerPage::dockActions() const
{
    QList<QAction*> actions;
    for (PagesDock* dock : {m_rightDock, m_frontierDock, m_planDock})
        actions << dock->toggleViewAction();
    return actions;
}

QList<QWidget*> PlannerPage::panels() const
{
    QList<QWidget*> docks;
    for (PagesDock* dock : findChildren<PagesDock*>())
        if (dock->isVisible())
            docks << dock;
    // The right dock goes before those below; they go from left to right.
    const auto place = [this](QWidget* dock) {
        const bool below =
            dockWidgetArea(static_cast<PagesDock*>(dock)) == Qt::BottomDockWidgetArea;
        return std::pair{below ? dock->x() : dock->y(), below};
    };
    std::sort(docks.begin(), docks.end(), [&](QWidget* a, QWidget* b) {
        const auto [first, firstBelow] = place(a);
        const auto [second, secondBelow] = place(b);
        return firstBelow == secondBelow ? first < second : secondBelow;
    });
    return QList<QWidget*>{centralWidget()} + docks;
}

void PlannerPage::resetLayout()
{
    m_isFocused = false;
    for (PagesDock* dock : {m_rightDock, m_frontierDock, m_planDock})
        dock->setFloating(false);
    addDockWidget(Qt::RightDockWidgetArea, m_rightDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_frontierDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_planDock);
    splitDockWidget(m_frontierDock, m_planDock, Qt::Horizontal);
    m_frontierDock->show();
    m_planDock->show();
    m_rightDock->setVisible(!m_isNarrow);
    sizeDocks();
    m_isLaidByHand = false;
}

/// In a low window the timeline keeps the larger part, on a large screen the tables get more rows.
int PlannerPage::roomBelow() const
{
    const Theme& theme = Theme::current();
    const int wanted = std::max(theme.px(kBottomHeight), height() * kBelowPercent / 100);
    return std::max(theme.px(kLeastBottomHeight), std::min(wanted, height() / 3));
}

void PlannerPage::sizeDocks()
{
    const Theme& theme = Theme::current();
    resizeDocks({m_frontierDock}, {roomBelow()}, Qt::Vertical);
    const int right = std::max(theme.px(kRightWidth), width() * kRightPercent / 100);
    if (!m_isNarrow)
        resizeDocks({m_rightDock}, {right}, Qt::Horizontal);
    const int across = width() - (m_isNarrow ? 0 : right + theme.px(6));
    const int left = std::min(std::max(theme.px(kFrontierWidth), across / 4), across * 2 / 5);
    resizeDocks({m_frontierDock, m_planDock}, {left, std::max(1, across - left)}, Qt::Horizontal);
}

void PlannerPage::setFocused(bool focused)
{
    if (focused == m_isFocused)
        return;
    m_isFocused = focused;
    if (focused) {
        m_unfocusedLayout = saveState(kLayoutVersion);
        for (PagesDock* dock : {m_rightDock, m_frontierDock, m_planDock})
            dock->hide();
    } else {
        const bool isLaidByHand = m_isLaidByHand;
        restoreState(m_unfocusedLayout, kLayoutVersion);
        adaptToWidth();
        m_isLaidByHand = isLaidByHand;
    }
}

void PlannerPage::toggleTable()
{
    const bool points =
        m_frontier->hasFocus() || m_twins->table(TableTwins::Twin::Points).hasFocus();
    m_twins->toggle(points ? TableTwins::Twin::Points : TableTwins::Twin::Steps,
                    m_timeline->cursorStep().value_or(0));
}

void PlannerPage::showOp(graph::OpId op)
{
    const std::vector<std::int32_t>& steps = m_shown->evaluation().schedule->stepOfOp;
    if (op.index() < steps.size() && steps[op.index()] >= 0)
        m_timeline->showStep(static_cast<std::size_t>(steps[op.index()]));
}

void PlannerPage::adaptToWidth()
{
    const bool narrow = width() < Theme::current().px(kNarrowWidth);
    if (narrow == m_isNarrow)
        return;
    m_isNarrow = narrow;
    if (narrow) {
        m_rightDock->takePage(m_panelArea);
        m_planDock->insertPage(0, m_panelArea, tr("Budget"));
        m_planDock->setCurrentPage(0);
        m_rightDock->hide();
    } else {
        m_planDock->takePage(m_panelArea);
        m_rightDock->addPage(m_panelArea, tr("Budget and planner"));
        m_rightDock->setVisible(!m_isFocused);
    }
}

/// Everything in the docks has grown or shrunk; so do they.
void PlannerPage::followScale()
{
    const double ratio =
        Theme::current().scale() / std::exchange(m_scale, Theme::current().scale());
    if (ratio == 1 || !m_wasShown)
        return;
    const auto scaled = [ratio](int length, int most) {
        return std::clamp(static_cast<int>(std::lround(length * ratio)), 1, std::max(1, most));
    };
    const int right = scaled(m_rightDock->width(), width() / 2);
    const int bottom = scaled(m_frontierDock->height(), height() / 2);
    const int left = scaled(m_frontierDock->width(), width() / 3);
    adaptToWidth();
    if (!m_isNarrow)
        resizeDocks({m_rightDock}, {right}, Qt::Horizontal);
    resizeDocks({m_frontierDock}, {bottom}, Qt::Vertical);
    const int across = width() - (m_isNarrow ? 0 : right);
    resizeDocks({m_frontierDock, m_planDock}, {left, std::max(1, across - left)}, Qt::Horizontal);
}

bool PlannerPage::event(QEvent* event)
{
    if (event->type() == QEvent::MouseButtonPress
        && isSeparator(static_cast<QMouseEvent*>(event)->position().toPoint()))
        m_isLaidByHand = true;
    return QMainWindow::event(event);
}

void PlannerPage::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    if (!m_wasShown)
        return;
    adaptToWidth();
    if (!m_isFocused && !m_isLaidByHand)
        sizeDocks();
}

void PlannerPage::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (m_wasShown)
        return;
    // Sizes of docks mean something only from here on.
    adaptToWidth();
    resetLayout();
    restoreView();
    m_wasShown = true;
}

void PlannerPage::restoreView()
{
    const QByteArray text = QByteArray::fromStdString(m_document.document().view);
    const QJsonObject view = QJsonDocument::fromJson(text).object();
    if (view.value(QStringLiteral("version")).toInt() != kLayoutVersion)
        return;
    const VisibleRange range{view.value(QStringLiteral("begin")).toDouble(0.0),
                             view.value(QStringLiteral("end")).toDouble(1.0)};
    if (range.begin >= 0 && range.begin < range.end && range.end <= 1)
        m_timeline->setVisibleRange(range);
    std::vector<std::size_t> pins;
    for (const QJsonValue& pin : view.value(QStringLiteral("pins")).toArray())
        if (pin.toInt(-1) >= 0)
            pins.push_back(static_cast<std::size_t>(pin.toInt()));
    m_timeline->setPinnedSteps(pins);
    const QByteArray docks =
        QByteArray::fromBase64(view.value(QStringLiteral("docks")).toString().toLatin1());
    if (!docks.isEmpty() && view.value(QStringLiteral("narrow")).toBool() == m_isNarrow)
        restoreState(docks, kLayoutVersion);
    m_planDock->setCurrentPage(view.value(QStringLiteral("page")).toInt());
    m_panel->memoryLines().setExpandable(view.value(QStringLiteral("expandable")).toBool());
}

void PlannerPage::storeView()
{
    // Before the first showing, and in a layout that is not the user's, there is nothing to keep.
    if (!m_wasShown || m_isFocused || !isVisible())
        return;
    const VisibleRange range = m_timeline->visibleRange();
    QJsonArray pins;
    for (const std::size_t pin : m_timeline->pinnedSteps())
        pins.append(static_cast<qint64>(pin));
    const QJsonObject view{
        {QStringLiteral("version"), kLayoutVersion},
        {QStringLiteral("begin"), range.begin},
        {QStringLiteral("end"), range.end},
        {QStringLiteral("pins"), pins},
        {QStringLiteral("narrow"), m_isNarrow},
        {QStringLiteral("page"), m_planDock->currentPage()},
        {QStringLiteral("expandable"), m_panel->memoryLines().isExpandable()},
        {QStringLiteral("docks"), QString::fromLatin1(saveState(kLayoutVersion).toBase64())},
    };
    m_document.setView(QJsonDocument{view}.toJson(QJsonDocument::Compact).toStdString());
}

} // namespace plimsoll::ui
