// SPDX-License-Identifier: Apache-2.0
#include "ui/base/file_dialog.h"

#include <QDir>
#include <QFileIconProvider>
#include <QFileInfo>

namespace plimsoll::ui {

namespace {

class IconsByName : public QFileIconProvider
{
public:
    using QFileIconProvider::icon;
    [[nodiscard]] QIcon icon(const QFileInfo& file) const override
    {
        return icon(file.isDir() ? Folder : File);
    }
    [[nodiscard]] QString type(const QFileInfo& file) const override { return file.suffix(); }
};

/// `icons` must outlive the dialog, whose thread uses them.
QStringList run(QFileDialog& dialog, IconsByName& icons, const QString& folder,
                const QString& filters)
{
    dialog.setIconProvider(&icons);
    dialog.setDirectory(folder);
    dialog.setNameFilters(filters.split(QStringLiteral(";;")));
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles() : QStringList{};
}

} // namespace

// A dialog reads its first folder during construction, before it can be configured: so start in one
// without sessions.
QStringList chooseFiles(QWidget* parent, const QString& title, const QString& folder,
                        const QString& filters, QFileDialog::FileMode mode)
{
    IconsByName icons;
    QFileDialog dialog{parent, title, QDir::rootPath()};
    dialog.setFileMode(mode);
    return run(dialog, icons, folder, filters);
}

QString chooseFileToSave(QWidget* parent, const QString& title, const QString& proposal,
                         const QString& filters)
{
    const QFileInfo proposed{proposal};
    IconsByName icons;
    QFileDialog dialog{parent, title, QDir::rootPath()};
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    dialog.selectFile(proposed.fileName());
    return run(dialog, icons, proposed.path(), filters).value(0);
}

} // namespace plimsoll::ui
