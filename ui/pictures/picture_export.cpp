// SPDX-License-Identifier: Apache-2.0
#include "ui/pictures/picture_export.h"

#include "core/base/try.h"
#include "core/workspace/export.h"
#include "ui/base/file_dialog.h"
#include "ui/base/settings.h"
#include "ui/base/texts.h"
#include "ui/document_page/document_page.h"
#include "ui/pictures/widget_picture.h"

#include <QFileInfo>

namespace plimsoll::ui {

void PictureExport::choosePicture(QWidget& view, const QString& what)
{
    const QString path = chooseFileToSave(m_page.window(), tr("Export picture"),
                                          m_settings.saveFolder() + u'/' + m_page.name() + u'-'
                                              + what + QStringLiteral(".svg"),
                                          pictureFilters());
    if (path.isEmpty())
        return;
    m_settings.setSaveFolder(QFileInfo{path}.absolutePath());
    start(view, path);
}

void PictureExport::start(QWidget& view, const QString& path)
{
    const base::Result<QByteArray> picture = widgetPicture(view, path);
    if (!picture) {
        tell(tl::unexpected{picture.error()}, path);
        return;
    }
    m_job.start(
        [content = picture->toStdString(), path, origin = m_page.originFile().toStdString()](
            const base::JobContext&) -> base::Result<bool> {
            RETURN_IF_ERROR(workspace::exportContent(content, path.toStdString(), {origin}));
            return true;
        },
        [this, path](const base::Result<bool>& done) { tell(done, path); });
}

void PictureExport::tell(const base::Result<bool>& done, const QString& path)
{
    if (!done) {
        m_page.strip().post({QStringLiteral("export"),
                             MessageKind::Danger,
                             tr("The picture could not be exported."),
                             QString::fromStdString(done.error().message),
                             {}});
        return;
    }
    Q_EMIT m_page.noted(tr("Exported %1.").arg(fileText(QFileInfo{path}.fileName())));
    m_page.strip().withdraw(QStringLiteral("export"));
    Q_EMIT exported(path);
}

} // namespace plimsoll::ui
