// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/plan_export.h"

#include "core/base/try.h"
#include "core/workspace/export.h"
#include "core/writers/formats.h"
#include "core/writers/registry.h"
#include "ui/base/file_dialog.h"
#include "ui/base/texts.h"
#include "ui/document_page/document_page.h"
#include "ui/planner_page/document_controller.h"
#include "ui/planner_page/plan_picture.h"

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>

namespace plimsoll::ui {

namespace {

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

void PlanExport::choose(const QString& title, const char* ending, const QString& filters)
{
    const QString path = chooseFileToSave(
        m_page.window(), title,
        m_settings.saveFolder() + u'/' + m_page.name() + QString::fromLatin1(ending), filters);
    if (path.isEmpty())
        return;
    m_settings.setSaveFolder(QFileInfo{path}.absolutePath());
    start(path);
}

void PlanExport::chooseFile()
{
    choose(tr("Export plan"), ".plan.json", exportFilters());
}

void PlanExport::choosePython()
{
    choose(tr("Export Python module"), ".py", tr("Python module (*.py)"));
}

void PlanExport::choosePicture()
{
    choose(tr("Export picture"), ".svg", tr("SVG (*.svg);;PNG (*.png);;PDF (*.pdf)"));
}

void PlanExport::start(const QString& path)
{
    const plan::FrontierPoint plan = m_document.outcome().best;
    if (!plan || m_document.isOutdated())
        return;
    m_job.start(
        [plan, path, kept = m_kept()](const base::JobContext&) -> base::Result<bool> {
            if (isDrawn(path)) {
                ASSIGN_OR_RETURN(const QByteArray picture, drawnPicture(plan, path));
                RETURN_IF_ERROR(
                    workspace::exportContent(picture.toStdString(), path.toStdString(), kept));
            } else {
                RETURN_IF_ERROR(workspace::exportPlan(plan, path.toStdString(), kept));
            }
            return true;
        },
        [this, path](const base::Result<bool>& done) {
            if (done) {
                Q_EMIT m_page.noted(tr("Exported %1.").arg(fileText(QFileInfo{path}.fileName())));
                m_page.strip().withdraw(QStringLiteral("export"));
                Q_EMIT exported(path);
            } else {
                m_page.strip().post({QStringLiteral("export"),
                                     MessageKind::Danger,
                                     tr("The plan could not be exported."),
                                     QString::fromStdString(done.error().message),
                                     {}});
            }
        });
}

void PlanExport::copySnippet()
{
    const plan::FrontierPoint plan = m_document.outcome().best;
    if (!plan)
        return;
    QGuiApplication::clipboard()->setText(QString::fromStdString(writers::pythonSnippet(plan)));
    Q_EMIT m_page.noted(tr("Python lines copied."));
}

} // namespace plimsoll::ui
