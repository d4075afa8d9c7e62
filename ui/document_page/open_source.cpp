// SPDX-License-Identifier: Apache-2.0
#include "ui/document_page/open_source.h"

#include "ui/base/file_dialog.h"
#include "ui/base/settings.h"
#include "ui/base/texts.h"
#include "ui/document_page/document_page.h"
#include "ui/document_page/source_editor.h"

#include <QProcess>

namespace plimsoll::ui {

namespace {

const QString kSourceMessage = QStringLiteral("source");

std::vector<SourceFolder> foldersOf(const Settings& settings)
{
    std::vector<SourceFolder> folders;
    for (const QString& line : settings.sourceFolders())
        if (const qsizetype end = line.indexOf(u'\n'); end >= 0)
            folders.push_back({line.first(end), line.mid(end + 1)});
    return folders;
}

void refuse(DocumentPage& page, const QString& first, const QString& rest)
{
    page.strip().post({kSourceMessage, MessageKind::Danger, first, rest, {}});
}

/// The file; empty if there is none, which was told, or if the user gave up.
QString locate(DocumentPage& page, Settings& settings, const QString& path)
{
    const QString known = findSource(path, foldersOf(settings));
    if (!known.isEmpty())
        return known;
    const QString chosen =
        chooseFiles(page.window(), QObject::tr("Where is %1?").arg(fileText(path)),
                    settings.lastFolder(), QObject::tr("Folders (*)"), QFileDialog::Directory)
            .value(0);
    if (chosen.isEmpty())
        return {};
    const std::optional<SourceFolder> folder = mappedFolder(path, chosen);
    if (!folder) {
        refuse(page, QObject::tr("The file isn't in that folder."),
               QObject::tr("%1 has neither %2 nor the end of that path.")
                   .arg(fileText(chosen), fileText(path)));
        return {};
    }
    settings.addSourceFolder(folder->from, folder->to);
    return findSource(path, {*folder});
}

} // namespace

void openSource(DocumentPage& page, Settings& settings, const QString& source)
{
    const std::optional<SourceLine> place = parseSource(source);
    if (!place) {
        refuse(page, QObject::tr("This is no line of a file."), fileText(source));
        return;
    }
    const QString file = locate(page, settings, place->path);
    if (file.isEmpty())
        return;
    QStringList command =
        editorCommand(settings.editor(), settings.editorCommand(), file, place->line);
    if (command.isEmpty()) {
        refuse(page, QObject::tr("There is no editor."),
               QObject::tr("Choose one in Edit > Settings."));
        return;
    }
    const QString program = command.takeFirst();
    if (QProcess::startDetached(program, command))
        page.strip().withdraw(kSourceMessage);
    else
        refuse(page, QObject::tr("%1 could not be started.").arg(fileText(program)),
               QObject::tr("Choose another editor in Edit > Settings."));
}

} // namespace plimsoll::ui
