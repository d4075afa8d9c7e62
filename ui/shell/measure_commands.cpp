// SPDX-License-Identifier: Apache-2.0
// How a measurement comes over the prediction of a document: dialog, drop, command line.
#include "core/workspace/composition.h"
#include "ui/base/texts.h"
#include "ui/shell/main_window.h"
#include "ui/shell/status_line.h"
#include "ui/start_page/start_page.h"

#include <QFileDialog>
#include <QFileInfo>

namespace plimsoll::ui {

namespace {
constexpr QLatin1String kMessage{"measurement"};

/// Null without a program to lay it over.
base::Result<workspace::OverlayPtr> overlayOf(const std::filesystem::path& path,
                                              const workspace::Prediction& over,
                                              const base::JobContext& job)
{
    if (!over.program)
        return workspace::OverlayPtr{};
    base::Result<std::string> content = workspace::readMeasurementFile(path, job);
    if (!content)
        return tl::unexpected{content.error()};
    return workspace::attachMeasurement(path.filename().string(), *std::move(content), over, job);
}
} // namespace

/// Off the GUI thread: what the file is, by its content, and all that takes long with it.
JobRunner<MainWindow::OpenedFile>::Work MainWindow::opening(const QString& path)
{
    workspace::Prediction predicted;
    if (PlannerPage* over = currentPage()) {
        const workspace::Planned& planned = *over->document().planned();
        predicted = {planned.recorded(), planned.choices.sizes,
                     over->document().document().choices.device};
    }
    return [file = path.toStdString(), choices = m_defaults, predicted,
            mustMeasure = m_measurements.contains(path)](
               const base::JobContext& job) -> base::Result<OpenedFile> {
        const workspace::DocumentKinds kinds = workspace::documentKinds(choices);
        if (!mustMeasure && kinds.formats.kindOf(file) != readers::FileKind::Measurement) {
            base::Result<Documents> opened = workspace::openFile(file, kinds, job);
            if (!opened)
                return tl::unexpected{opened.error()};
            return OpenedFile{*std::move(opened)};
        }
        base::Result<workspace::OverlayPtr> overlay = overlayOf(file, predicted, job);
        if (!overlay)
            return OpenedFile{overlay.error()};
        return OpenedFile{*std::move(overlay)};
    };
}

void MainWindow::takeOverlay(const workspace::OverlayPtr& overlay, PlannerPage* over,
                             const QString& path)
{
    m_measurements.removeAll(path);
    if (!overlay) {
        // Given together with its graph, it may have come first.
        if (!m_queue.isEmpty() && !m_postponed.contains(path)) {
            m_postponed << path;
            m_queue << path;
            return;
        }
        m_postponed.removeAll(path);
        showOpenError(path, tr("It is a measurement: open the traced step that was measured first, "
                               "then lay it over that."));
        return;
    }
    m_postponed.removeAll(path);
    if (indexOf(over) < 0) // closed meanwhile
        return;
    over->strip().withdraw(kMessage);
    connect(
        over, &PlannerPage::runsLaid, this, [this, over] { Q_EMIT measurementLaid(over); },
        Qt::SingleShotConnection);
    over->document().setOverlay(overlay);
    m_settings.setLastFolder(QFileInfo{path}.absolutePath());
}

void MainWindow::showMeasurementError(const QString& path, const base::Error& error)
{
    m_measurements.removeAll(path);
    if (error.kind == base::ErrorKind::Cancelled)
        return;
    const QString sentence = QString::fromStdString(error.message);
    if (PlannerPage* page = currentPage())
        page->strip().post({kMessage,
                            MessageKind::Danger,
                            tr("%1 could not be laid over the prediction.")
                                .arg(fileText(QFileInfo{path}.fileName())),
                            sentence,
                            {{tr("Choose another file…"), [this] { chooseMeasurement(); }}}});
    Q_EMIT openFailed(path, sentence);
}

void MainWindow::chooseMeasurement()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Lay a measurement over the prediction"), m_settings.lastFolder(),
        tr("Measurements (*.measurement.json *.json);;All files (*)"));
    if (!path.isEmpty())
        layMeasurement(path);
}

void MainWindow::layMeasurement(const QString& path)
{
    const QString file = QFileInfo{path}.absoluteFilePath();
    if (!m_measurements.contains(file))
        m_measurements << file;
    queueFile(file);
    openNext();
}

} // namespace plimsoll::ui
