// SPDX-License-Identifier: Apache-2.0
#include "ui/base/file_dialog.h"

#include <QDir>
#include <QFileIconProvider>
#include <QFileInfo>

#include <algorithm>

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

/// ".py" of "Python module (*.py)"; empty for a filter of several endings.
QString endingOf(const QString& filter)
{
    const qsizetype star = filter.lastIndexOf(QLatin1String{"(*."});
    const QString ending = star < 0 ? QString{} : filter.mid(star + 2).chopped(1);
    return ending.contains(u' ') ? QString{} : ending;
}

/// Another filter gives the proposed name its ending: "gpt2.plan.json" becomes "gpt2.plan.py".
void followFilter(QFileDialog& dialog, const QString& filter)
{
    const QStringList chosen = dialog.selectedFiles();
    const QString ending = endingOf(filter);
    if (ending.isEmpty() || chosen.isEmpty())
        return;
    QString name = QFileInfo{chosen.front()}.fileName();
    qsizetype longest = 0;
    for (const QString& other : dialog.nameFilters())
        if (const QString known = endingOf(other); !known.isEmpty() && name.endsWith(known))
            longest = std::max(longest, known.size());
    name.chop(longest);
    if (!name.isEmpty())
        dialog.selectFile(name + ending);
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
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog,
                     [&dialog](const QString& filter) { followFilter(dialog, filter); });
    return run(dialog, icons, proposed.path(), filters).value(0);
}

} // namespace plimsoll::ui
