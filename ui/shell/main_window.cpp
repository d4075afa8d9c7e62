// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/main_window.h"

#include "ui/base/icons.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/manual/manual_window.h"
#include "ui/shell/field_undo.h"
#include "ui/shell/find_field.h"
#include "ui/shell/menus.h"
#include "ui/shell/status_line.h"
#include "ui/shell/view_bar.h"
#include "ui/shell/wheel_guard.h"
#include "ui/start_page/start_page.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>

#include <algorithm>

namespace plimsoll::ui {

namespace {

QStringList localFiles(const QMimeData* data)
{
    QStringList files;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile())
            files << url.toLocalFile();
    return files;
}

} // namespace

MainWindow::MainWindow(Settings& settings, PageRegistry kinds, QWidget* parent)
    : QMainWindow{parent}, m_settings{settings}, m_kinds{std::move(kinds)}
{
    setWindowTitle(tr("Plimsoll"));
    setWindowIcon(applicationIcon());
    setAcceptDrops(true);
    setMinimumSize(QSize{1024, 640} * std::min(1.0, Theme::current().scale()));
    buildFrame();
    connectParts();
    new FieldUndo{this};
    new WheelGuard{this};
    m_menus = std::make_unique<Menus>(
        MenuTargets{*menuBar(), m_settings, m_kinds, *m_tabs, *m_opener, *m_keeper, *m_bar});
    m_bar->setActions(*this);
    for (const WindowCommand& command : m_kinds.window)
        m_start->addCommand(*findChild<QAction*>(QString::fromLatin1(command.id)));
    showActivities();
    const QByteArray geometry = m_settings.windowGeometry();
    if (geometry.isEmpty() || !restoreGeometry(geometry))
        resize(1440, 900);
    updateState();
}

MainWindow::~MainWindow()
{
    // Pages write their pending changes and report errors here.
    delete m_tabs;
}

void MainWindow::buildFrame()
{
    auto* frame = new QWidget{this};
    frame->setProperty("ground", QStringLiteral("window"));
    auto* stack = new QStackedWidget; // gets its parent last, which determines the tab order
    m_tabs = new DocumentTabs{*stack, frame};
    m_bar = new ViewBar{frame};
    auto* column = makeColumn(frame);
    column->addWidget(m_tabs);
    column->addWidget(m_bar);
    column->addWidget(stack, 1);
    m_start = new StartPage{m_settings, stack};
    connect(m_start, &StartPage::manualRequested, this,
            [this](const QString& page) { showManual(*this, page); });
    stack->addWidget(m_start);
    setCentralWidget(frame);
    m_status = new StatusLine{this};
    statusBar()->addWidget(m_status, 1);
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::connectParts()
{
    m_opener = new FileOpener{m_kinds, m_settings, *m_tabs, *m_start, this};
    m_keeper = new PageKeeper{m_settings, *m_tabs, this};
    connect(m_opener, &FileOpener::stateChanged, this, &MainWindow::updateState);
    connect(m_opener, &FileOpener::opened, this, &MainWindow::opened);
    connect(m_opener, &FileOpener::added, this, &MainWindow::fileAdded);
    connect(m_opener, &FileOpener::failed, this, &MainWindow::openFailed);
    connect(m_opener, &FileOpener::dropOffered, m_start, &StartPage::setDropOffer);
    connect(m_tabs, &DocumentTabs::added, this, [this](DocumentPage* page) { connectPage(*page); });
    connect(m_tabs, &DocumentTabs::currentChanged, this, [this](DocumentPage* page) {
        m_bar->find().setPage(page);
        if (m_inBar)
            m_inBar->placeStrip(nullptr);
        m_inBar = page;
        if (page != nullptr)
            page->placeStrip(&m_bar->messageRoom());
        updateState();
    });
    connect(m_keeper, &PageKeeper::pageGone, m_opener, &FileOpener::openNext);
    connect(m_keeper, &PageKeeper::allGone, this, [this](bool isWritten) {
        m_isGone = isWritten;
        if (isWritten)
            close();
        else
            show();
    });
    connect(m_status, &StatusLine::cancelRequested, this, [this] {
        if (m_opener->isRunning())
            m_opener->stop(); // the status bar was showing the opener's progress
        else if (DocumentPage* page = currentPage())
            page->cancelJob();
    });
}

void MainWindow::showActivities()
{
    for (const WindowCommand& command : m_kinds.window)
        if (const auto& activity = command.activity)
            activity->watch(*this, [this, activity] { m_status->showActivity(activity->text()); });
}

bool MainWindow::mayEndActivities()
{
    return std::ranges::all_of(m_kinds.window, [this](const WindowCommand& command) {
        const auto& activity = command.activity;
        return !activity || activity->text().isEmpty() || activity->mayEnd(*this);
    });
}

void MainWindow::connectPage(DocumentPage& page)
{
    connect(&page, &DocumentPage::stateChanged, this, &MainWindow::updateState);
    connect(&page, &DocumentPage::noted, m_status, &StatusLine::showNote);
    connect(&page, &DocumentPage::sessionSaved, this, [this](const QString& file, bool first) {
        if (!first)
            return;
        m_settings.addRecentFile(absolutePath(file));
        m_status->showNote(tr("Saved in %1.").arg(fileText(QFileInfo{file}.fileName())));
    });
}

void MainWindow::updateState()
{
    m_tabs->updateTitles();
    const DocumentPage* page = currentPage();
    m_bar->setVisible(page != nullptr);
    m_menus->update(page);
    m_status->showPage(page);
    const QString opening = m_opener->jobText();
    m_status->showJob(!opening.isEmpty() || page == nullptr ? opening : page->jobText());
    setWindowTitle(page == nullptr ? tr("Plimsoll") : tr("%1 – Plimsoll").arg(page->title()));
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    DocumentPage* page = currentPage();
    // Esc goes back one level in the plot, wherever the focus is. A direct call rather than a
    // forwarded event, since an event that the plot ignores would return here.
    if (event->key() == Qt::Key_Escape && page != nullptr && page->goBack())
        return;
    QMainWindow::keyPressEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!m_isGone) {
        // At the end of the desktop's session nobody answers.
        if (!(qGuiApp->isSavingSession() || mayEndActivities()) || !m_keeper->closeAll()) {
            event->ignore();
            return;
        }
        m_settings.setWindowGeometry(saveGeometry());
        // When the desktop session ends, don't wait here; the destructor waits.
        if (!m_keeper->isIdle() && !qGuiApp->isSavingSession()) {
            hide();
            event->ignore();
            return;
        }
        m_isGone = true;
    }
    event->accept();
    Q_EMIT closed();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (localFiles(event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    m_start->setDropActive(true);
    m_opener->considerDrop(localFiles(event->mimeData()));
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent* event)
{
    m_start->setDropActive(false);
    QMainWindow::dragLeaveEvent(event);
}

void MainWindow::dropEvent(QDropEvent* event)
{
    m_start->setDropActive(false);
    m_opener->drop(localFiles(event->mimeData()));
    event->acceptProposedAction();
}

} // namespace plimsoll::ui
