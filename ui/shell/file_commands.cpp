// SPDX-License-Identifier: Apache-2.0
// What the window does with files: open, save, export, drop.
#include "core/workspace/export.h"
#include "core/writers/python_writer.h"
#include "core/writers/registry.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/shell/main_window.h"
#include "ui/shell/status_line.h"
#include "ui/start_page/start_page.h"

#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMimeData>
#include <QStackedWidget>
#include <QTabBar>

#include <algorithm>

namespace plimsoll::ui {

namespace {

QString absolutePath(const QString& path)
{
    const QFileInfo info{path};
    const QString canonical = info.canonicalFilePath();
    return canonical.isEmpty() ? info.absoluteFilePath() : canonical;
}

QString fileOf(PlannerPage& page)
{
    return absolutePath(QString::fromStdString(page.document().document().file().string()));
}

QStringList localFiles(const QMimeData* data)
{
    QStringList files;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile())
            files << url.toLocalFile();
    return files;
}

QString exportFilters()
{
    QStringList filters;
    for (const writers::PlanWriter& writer : writers::planWriters())
        filters << QStringLiteral("%1 (*%2)")
                       .arg(QString::fromStdString(writer.name),
                            QString::fromStdString(writer.extension));
    return filters.join(QStringLiteral(";;"));
}

} // namespace

void MainWindow::openFiles(const QStringList& paths)
{
    for (const QString& given : paths) {
        const QString path = absolutePath(given);
        const auto open = std::find_if(m_pages.begin(), m_pages.end(),
                                       [&](PlannerPage* page) { return fileOf(*page) == path; });
        if (open != m_pages.end())
            m_tabs->setCurrentIndex(indexOf(*open));
        else
            queueFile(path);
    }
    openNext();
}

void MainWindow::queueFile(const QString& path)
{
    if (!m_queue.contains(path))
        m_queue << path;
}

void MainWindow::openNext()
{
    if (m_opener.isRunning() || m_queue.isEmpty())
        return;
    const QString path = m_queue.first();
    // A session that is still being written is opened when it is whole.
    if (std::any_of(m_leaving.begin(), m_leaving.end(),
                    [&](PlannerPage* page) { return fileOf(*page) == path; }))
        return;
    m_opener.start(opening(path),
                   [this, path, over = currentPage()](base::Result<OpenedFile> opened) {
                       m_queue.removeAll(path);
                       if (opened)
                           takeOpened(*std::move(opened), path, over);
                       else if (opened.error().kind != base::ErrorKind::Cancelled)
                           showOpenError(path, QString::fromStdString(opened.error().message));
                       updateState();
                       openNext();
                   });
    updateState();
}

void MainWindow::takeOpened(OpenedFile opened, const QString& path, PlannerPage* over)
{
    if (auto* documents = std::get_if<Documents>(&opened))
        for (workspace::DocumentPtr& document : *documents)
            addPage(std::move(document), path);
    else if (const auto* overlay = std::get_if<workspace::OverlayPtr>(&opened))
        takeOverlay(*overlay, over, path);
    else
        showMeasurementError(path, std::get<base::Error>(opened));
}

void MainWindow::addPage(workspace::DocumentPtr opened, const QString& path)
{
    auto& plan = dynamic_cast<workspace::PlanDocument&>(*opened);
    if (m_firstBudget && !plan.budget)
        plan.budget = m_firstBudget->of(plan.first->unplanned->evaluation().peak);
    m_start->hideError();
    auto* page = new PlannerPage{std::move(plan), m_stack};
    connect(page, &PlannerPage::stateChanged, this, &MainWindow::updateState);
    connect(&page->document(), &DocumentController::sessionSaved, this,
            [this](const QString& file, bool first) {
                if (!first)
                    return;
                m_settings.addRecentFile(absolutePath(file));
                m_status->showNote(
                    tr("Session saved, %1.").arg(bytesText(base::Bytes{QFileInfo{file}.size()})));
            });
    connectLeaving(*page);
    connectDevices(*page);
    addTab(page);
    m_settings.addRecentFile(path);
    m_settings.setLastFolder(QFileInfo{path}.absolutePath());
    Q_EMIT this->opened(page);
}

void MainWindow::addTab(PlannerPage* page)
{
    m_pages.push_back(page);
    m_stack->addWidget(page);
    m_undo.addStack(&page->document().undoStack());
    m_tabs->setCurrentIndex(
        m_tabs->addTab(icon(QStringLiteral("planner")), withoutMnemonic(page->document().title())));
}

void MainWindow::showOpenError(const QString& path, const QString& sentence)
{
    const QString first = tr("%1 could not be opened").arg(fileText(QFileInfo{path}.fileName()));
    if (PlannerPage* page = currentPage())
        page->strip().post({QStringLiteral("open"),
                            MessageKind::Danger,
                            first + u'.',
                            sentence,
                            {{tr("Choose another file…"), [this] { chooseFiles(); }}}});
    else
        m_start->showError(first, sentence, path + u'\n' + sentence);
    Q_EMIT openFailed(path, sentence);
}

void MainWindow::chooseFiles()
{
    const QStringList files = QFileDialog::getOpenFileNames(
        this, tr("Open"), m_settings.lastFolder(),
        tr("Graphs, sessions and measurements (*.json *.json.gz *.plimsoll);;All files (*)"));
    if (!files.isEmpty())
        openFiles(files);
}

void MainWindow::save(PlannerPage& page)
{
    if (!page.document().document().session.file)
        saveAs(page);
    else
        page.document().saveNow();
}

void MainWindow::saveAs(PlannerPage& page)
{
    const workspace::PlanDocument& document = page.document().document();
    const QString proposal = !document.session.file
                                 ? m_settings.lastFolder() + u'/'
                                       + QString::fromStdString(document.graph.name)
                                       + QStringLiteral(".plimsoll")
                                 : QString::fromStdString(document.file().string());
    QString path = QFileDialog::getSaveFileName(this, tr("Save session"), proposal,
                                                tr("Plimsoll session (*.plimsoll)"));
    if (path.isEmpty())
        return;
    if (QFileInfo{path}.suffix().isEmpty())
        path += QStringLiteral(".plimsoll");
    saveTo(page, path);
}

void MainWindow::saveTo(PlannerPage& page, const QString& path)
{
    // The other tab would go on writing into a file that is no longer there.
    const QString target = absolutePath(path);
    for (PlannerPage* other : m_pages)
        if (other != &page && other->document().document().session.file
            && fileOf(*other) == target) {
            page.strip().post({QStringLiteral("save"),
                               MessageKind::Danger,
                               tr("The session could not be saved."),
                               tr("%1 is open in another tab; close it there, or choose another "
                                  "name.")
                                   .arg(fileText(QFileInfo{path}.fileName())),
                               {}});
            return;
        }
    page.storeView();
    page.document().saveAs(path);
}

void MainWindow::chooseExport(PlannerPage& page)
{
    const QString proposal = m_settings.lastFolder() + u'/'
                             + QString::fromStdString(page.document().document().graph.name)
                             + QStringLiteral(".plan.json");
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export plan"), proposal, exportFilters());
    if (!path.isEmpty())
        exportTo(page, path);
}

void MainWindow::choosePicture(PlannerPage& page)
{
    const QString proposal = m_settings.lastFolder() + u'/'
                             + QString::fromStdString(page.document().document().graph.name)
                             + QStringLiteral(".svg");
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export picture"), proposal, tr("Picture (*.svg)"));
    if (!path.isEmpty())
        exportTo(page, path);
}

void MainWindow::exportTo(PlannerPage& page, const QString& path)
{
    const plan::FrontierPoint plan = page.document().outcome().best;
    if (!plan || page.document().isOutdated())
        return;
    std::vector<std::filesystem::path> graphs;
    for (PlannerPage* open : m_pages)
        graphs.push_back(open->document().document().graph.path);
    m_exporter.start(
        [plan, path, graphs](const base::JobContext&) -> base::Result<bool> {
            if (const base::Result<void> done =
                    workspace::exportPlan(plan, path.toStdString(), graphs);
                !done)
                return tl::unexpected{done.error()};
            return true;
        },
        [this, path, strip = &page.strip(), shown = &page](const base::Result<bool>& done) {
            if (done) {
                m_status->showNote(tr("Exported %1.").arg(fileText(QFileInfo{path}.fileName())));
                if (indexOf(shown) > 0)
                    strip->withdraw(QStringLiteral("export"));
                Q_EMIT exported(path);
            } else if (indexOf(shown) > 0) {
                strip->post({QStringLiteral("export"),
                             MessageKind::Danger,
                             tr("The plan could not be exported."),
                             QString::fromStdString(done.error().message),
                             {}});
            }
        });
}

void MainWindow::copySnippet(PlannerPage& page)
{
    const plan::FrontierPoint plan = page.document().outcome().best;
    if (!plan)
        return;
    QGuiApplication::clipboard()->setText(QString::fromStdString(writers::pythonSnippet(plan)));
    m_status->showNote(tr("Python lines copied."));
}

void MainWindow::restoreWindow()
{
    const QByteArray geometry = m_settings.windowGeometry();
    if (geometry.isEmpty() || !restoreGeometry(geometry))
        resize(1440, 900);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (localFiles(event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    m_start->setDropActive(true);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent* event)
{
    m_start->setDropActive(false);
    QMainWindow::dragLeaveEvent(event);
}

void MainWindow::dropEvent(QDropEvent* event)
{
    m_start->setDropActive(false);
    openFiles(localFiles(event->mimeData()));
    event->acceptProposedAction();
}

} // namespace plimsoll::ui
