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

QStringList run(QFileDialog& dialog, const QString& folder, const QString& filters)
{
    IconsByName icons;
    dialog.setIconProvider(&icons);
    dialog.setDirectory(folder);
    dialog.setNameFilters(filters.split(QStringLiteral(";;")));
    const QStringList files =
        dialog.exec() == QDialog::Accepted ? dialog.selectedFiles() : QStringList{};
    dialog.setIconProvider(nullptr);
    return files;
}

} // namespace

// A dialog reads its first folder as it is made, before it can be told how: one without sessions.
QStringList chooseFiles(QWidget* parent, const QString& title, const QString& folder,
                        const QString& filters, QFileDialog::FileMode mode)
{
    QFileDialog dialog{parent, title, QDir::rootPath()};
    dialog.setFileMode(mode);
    return run(dialog, folder, filters);
}

QString chooseFileToSave(QWidget* parent, const QString& title, const QString& proposal,
                         const QString& filters)
{
    const QFileInfo proposed{proposal};
    QFileDialog dialog{parent, title, QDir::rootPath()};
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    dialog.selectFile(proposed.fileName());
    return run(dialog, proposed.path(), filters).value(0);
}

} // namespace plimsoll::ui
