// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/measurement.h"

#include "ui/base/file_dialog.h"
#include "ui/base/texts.h"
#include "ui/planner_page/document_controller.h"

#include <QFileInfo>
#include <QObject>

namespace plimsoll::ui {

namespace {

constexpr QLatin1String kMessage{"measurement"};

} // namespace

void RunLayer::lay()
{
    m_laid = {};
    const workspace::OverlayPtr overlay = m_document.document().overlay;
    if (!overlay) {
        m_job.stop();
        return;
    }
    const workspace::PlannedPtr planned = m_document.planned();
    if (planned->recorded() == overlay->over.program
        && planned->choices.device == overlay->over.device)
        m_laid.unplanned = overlay->unplanned;
    m_job.start(
        [overlay, planned](const base::JobContext& job) {
            return workspace::alignRuns(*overlay, *planned, job);
        },
        [this, overlay, planned](base::Result<workspace::AlignedRuns> laid) {
            if (!laid || overlay != m_document.document().overlay
                || planned != m_document.planned())
                return;
            m_laid = *std::move(laid);
            Q_EMIT done();
        });
}

DocumentPage::Addition measurementReader(DocumentController& document, MessageStrip& strip,
                                         const QString& path)
{
    const workspace::Planned& planned = *document.planned();
    const workspace::Prediction over{planned.recorded(), planned.choices.sizes,
                                     document.document().choices.device};
    return [&document, &strip, over, file = std::filesystem::path{path.toStdString()}](
               const base::JobContext& job) -> base::Result<std::function<void()>> {
        base::Result<std::string> content = workspace::readMeasurementFile(file, job);
        if (!content)
            return tl::unexpected{content.error()};
        base::Result<workspace::OverlayPtr> overlay =
            workspace::attachMeasurement(file.filename().string(), *std::move(content), over, job);
        if (!overlay)
            return tl::unexpected{overlay.error()};
        return [&document, &strip, overlay = *std::move(overlay)] {
            strip.withdraw(kMessage);
            document.setOverlay(overlay);
        };
    };
}

void chooseMeasurement(DocumentPage& page, const Settings& settings)
{
    for (const QString& path :
         chooseFiles(page.window(), QObject::tr("Overlay a measurement"), settings.lastFolder(),
                     QObject::tr("Measurements (*.measurement.json *.json);;All files (*)"),
                     QFileDialog::ExistingFile))
        page.addFile(path);
}

void showMeasurementError(DocumentPage& page, const Settings& settings, const QString& path,
                          const base::Error& error)
{
    page.strip().post({kMessage,
                       MessageKind::Danger,
                       QObject::tr("%1 could not be overlaid on the prediction.")
                           .arg(fileText(QFileInfo{path}.fileName())),
                       QString::fromStdString(error.message),
                       {{QObject::tr("Choose another file…"),
                         [&page, &settings] { chooseMeasurement(page, settings); }}}});
}

} // namespace plimsoll::ui
