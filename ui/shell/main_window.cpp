// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/main_window.h"

#include "ui/base/icons.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/shell/actions.h"
#include "ui/shell/finder.h"
#include "ui/shell/menus.h"
#include "ui/shell/panels.h"
#include "ui/shell/settings_dialog.h"
#include "ui/shell/status_line.h"
#include "ui/shell/view_bar.h"
#include "ui/start_page/start_page.h"

#include <QAction>
#include <QCoreApplication>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMenuBar>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace plimsoll::ui {

MainWindow::MainWindow(Settings& settings, workspace::Choices defaults, QWidget* parent)
    : QMainWindow{parent}, m_settings{settings}, m_defaults{std::move(defaults)}
{
    setWindowTitle(tr("Plimsoll"));
    setWindowIcon(applicationIcon());
    setAcceptDrops(true);
    setMinimumSize(QSize{1024, 640} * std::min(1.0, Theme::current().scale()));
    m_actions = new Actions{this};
    buildFrame();
    buildMenus(*this);
    m_bar->setActions(*m_actions);
    connect(&m_opener, &JobRunnerBase::runningChanged, this, &MainWindow::updateState);
    connect(&m_opener, &JobRunnerBase::progressed, this, &MainWindow::updateState);
    connect(m_status, &StatusLine::cancelRequested, this, [this] {
        if (m_opener.isRunning()) {
            m_queue.clear();
            m_measurements.clear();
            m_postponed.clear();
            m_opener.stop();
            return; // what was cancelled is what the status bar told of
        }
        withPage([](PlannerPage& page) { page.document().stopPlanning(); });
    });
    restoreWindow();
    updateState();
}

MainWindow::~MainWindow()
{
    // Pages and tabs would still report here while they go.
    m_tabs->disconnect(this);
    std::vector<PlannerPage*> pages = m_pages;
    pages.insert(pages.end(), m_leaving.begin(), m_leaving.end());
    for (PlannerPage* page : pages) {
        page->document().finishSaving();
        page->disconnect(this);
        page->document().disconnect(this);
        delete page;
    }
}

void MainWindow::buildFrame()
{
    const Theme& theme = Theme::current();
    auto* frame = new QWidget{this};
    frame->setProperty("ground", QStringLiteral("window"));
    auto* column = new QVBoxLayout{frame};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* tabRow = new QHBoxLayout;
    tabRow->setContentsMargins(theme.px(8), 0, theme.px(8), 0);
    tabRow->setSpacing(theme.px(4));
    m_tabs = new QTabBar{frame};
    m_tabs->setProperty("documents", true);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setTabsClosable(true);
    m_tabs->setElideMode(Qt::ElideMiddle);
    m_tabs->setAccessibleName(tr("Documents"));
    tabRow->addWidget(m_tabs);
    auto* plus = new QToolButton{frame};
    plus->setIcon(icon(QStringLiteral("plus")));
    plus->setToolTip(tr("Open a file"));
    plus->setAccessibleName(tr("Open a file in a new tab"));
    connect(plus, &QToolButton::clicked, this, &MainWindow::chooseFiles);
    tabRow->addWidget(plus);
    tabRow->addStretch(1);
    column->addLayout(tabRow);
    m_bar = new ViewBar{frame};
    column->addWidget(m_bar);
    m_finder = new Finder{m_bar->find(), this};
    m_stack = new QStackedWidget{frame};
    column->addWidget(m_stack, 1);
    m_start = new StartPage{m_settings, m_stack};
    m_stack->addWidget(m_start);
    m_tabs->addTab(icon(QStringLiteral("home")), tr("Start"));
    m_tabs->setTabButton(0, QTabBar::RightSide, nullptr);
    setCentralWidget(frame);
    m_status = new StatusLine{this};
    statusBar()->addWidget(m_status, 1);
    statusBar()->setSizeGripEnabled(false);
    connect(m_start, &StartPage::openRequested, this, &MainWindow::chooseFiles);
    connect(m_start, &StartPage::fileChosen, this,
            [this](const QString& path) { openFiles({path}); });
    connect(m_tabs, &QTabBar::currentChanged, this, &MainWindow::showTab);
    connect(m_tabs, &QTabBar::tabCloseRequested, this, &MainWindow::closePage);
}

PlannerPage* MainWindow::currentPage() const
{
    const int index = m_tabs->currentIndex();
    return index < 1 || index > static_cast<int>(m_pages.size())
               ? nullptr
               : m_pages[static_cast<std::size_t>(index - 1)];
}

int MainWindow::indexOf(const PlannerPage* page) const
{
    const auto found = std::find(m_pages.begin(), m_pages.end(), page);
    return found == m_pages.end() ? -1 : static_cast<int>(found - m_pages.begin()) + 1;
}

void MainWindow::withPage(const std::function<void(PlannerPage&)>& run)
{
    if (PlannerPage* page = currentPage())
        run(*page);
}

void MainWindow::showTab(int index)
{
    if (index < 0)
        return;
    PlannerPage* page = currentPage();
    m_finder->setPage(page);
    if (page != nullptr) {
        m_stack->setCurrentWidget(page);
        m_undo.setActiveStack(&page->document().undoStack());
        page->timeline().setFocus(Qt::OtherFocusReason);
    } else {
        m_stack->setCurrentWidget(m_start);
        m_undo.setActiveStack(nullptr);
    }
    updateState();
}

void MainWindow::updateTabs()
{
    // With them it keeps room for the buttons, which would part the only tab from the "+".
    m_tabs->setUsesScrollButtons(m_tabs->count() > 1);
    for (std::size_t i = 0; i < m_pages.size(); ++i) {
        const DocumentController& document = m_pages[i]->document();
        const int tab = static_cast<int>(i) + 1;
        const QString dot = document.isUnsaved() ? QStringLiteral("● ") : QString{};
        const QString text = withoutMnemonic(dot + document.title());
        if (m_tabs->tabText(tab) != text)
            m_tabs->setTabText(tab, text);
        m_tabs->setTabToolTip(tab, plainTip(fileText(document.document().file().string())));
    }
}

void MainWindow::updateState()
{
    updateTabs();
    PlannerPage* page = currentPage();
    m_bar->setVisible(page != nullptr);
    const bool isOutdated = page != nullptr && page->document().isOutdated();
    const bool hasPlan = page != nullptr && page->document().outcome().best != nullptr
                         && page->document().document().budget.has_value() && !isOutdated;
    for (QAction* action : m_actions->all())
        if (action->property("page").toBool())
            action->setEnabled(page != nullptr);
    for (const char* id : {"file.export", "file.picture", "file.snippet"})
        m_actions->get(QString::fromLatin1(id))->setEnabled(hasPlan);
    m_actions->get(QStringLiteral("file.no_measurement"))
        ->setEnabled(page != nullptr && page->document().document().overlay != nullptr);
    m_actions->get(QStringLiteral("file.export"))
        ->setToolTip(hasPlan || page == nullptr ? tr("Export the plan (Ctrl+E)")
                     : isOutdated               ? tr("The plan is for the previous settings.")
                                                : tr("There is no plan within this budget."));
    const bool planning = page != nullptr && page->document().isPlanning();
    m_actions->get(QStringLiteral("plan.stop"))->setEnabled(planning);
    m_status->showPage(page);
    if (m_opener.isRunning() && !m_queue.isEmpty())
        m_status->showJob(tr("Opening %1").arg(fileText(QFileInfo{m_queue.first()}.fileName())));
    else
        m_status->showJob(page == nullptr ? QString{} : page->jobText());
    setWindowTitle(page == nullptr ? tr("Plimsoll")
                                   : tr("%1 – Plimsoll").arg(page->document().title()));
}

void MainWindow::goToPanel(int by)
{
    QList<QWidget*> panels{m_tabs};
    if (const PlannerPage* page = currentPage())
        panels << m_bar << page->panels();
    else
        panels << m_start;
    ui::goToPanel(panels, by);
}

void MainWindow::showSettings()
{
    if (m_dialog.isNull())
        m_dialog = new SettingsDialog{m_settings, this};
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    PlannerPage* page = currentPage();
    // Esc goes back one level in the plot, wherever the focus is. Asked for, not sent on as an
    // event: one that the plot doesn't take would come back here.
    if (event->key() == Qt::Key_Escape && page != nullptr && page->timeline().goBack())
        return;
    QMainWindow::keyPressEvent(event);
}

} // namespace plimsoll::ui
