// SPDX-License-Identifier: Apache-2.0
#include "ui/document_page/source_editor.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr int kMostLine = 10'000'000;

bool isFile(const QString& path)
{
    return QFileInfo{path}.isFile();
}

} // namespace

std::optional<SourceLine> parseSource(const QString& source)
{
    const qsizetype colon = source.lastIndexOf(u':');
    if (colon <= 0)
        return std::nullopt;
    bool isNumber = false;
    const int line = source.mid(colon + 1).toInt(&isNumber);
    const QString path = source.first(colon);
    if (!isNumber || line < 1 || line > kMostLine
        || path.split(u'/').contains(QStringLiteral("..")))
        return std::nullopt;
    return SourceLine{path, line};
}

const std::vector<SourceEditor>& sourceEditors()
{
    const QString file = QStringLiteral("{file}");
    const QString place = QStringLiteral("{file}:{line}");
    const QString plusLine = QStringLiteral("+{line}");
    const QString terminal = QStringLiteral("x-terminal-emulator");
    static const std::vector<SourceEditor> kEditors{
        {QStringLiteral("code"),
         QStringLiteral("Visual Studio Code"),
         {QStringLiteral("code"), QStringLiteral("--goto"), place}},
        {QStringLiteral("pycharm"),
         QStringLiteral("PyCharm"),
         {QStringLiteral("pycharm"), QStringLiteral("--line"), QStringLiteral("{line}"), file}},
        {QStringLiteral("kate"),
         QStringLiteral("Kate"),
         {QStringLiteral("kate"), QStringLiteral("--line"), QStringLiteral("{line}"), file}},
        {QStringLiteral("qtcreator"),
         QStringLiteral("Qt Creator"),
         {QStringLiteral("qtcreator"), QStringLiteral("-client"), place}},
        {QStringLiteral("nvim"),
         QStringLiteral("Neovim in a terminal"),
         {terminal, QStringLiteral("-e"), QStringLiteral("nvim"), plusLine, file}},
        {QStringLiteral("vim"),
         QStringLiteral("Vim in a terminal"),
         {terminal, QStringLiteral("-e"), QStringLiteral("vim"), plusLine, file}},
    };
    return kEditors;
}

QString chosenEditor(const QString& id)
{
    const auto& editors = sourceEditors();
    const auto chosen = std::ranges::find_if(editors, [&id](const SourceEditor& editor) {
        // Of an editor in a terminal, id is its own name.
        return id.isEmpty() ? !QStandardPaths::findExecutable(editor.command.front()).isEmpty()
                                  && !QStandardPaths::findExecutable(editor.id).isEmpty()
                            : editor.id == id;
    });
    return chosen == editors.end() ? QString{} : chosen->id;
}

QStringList editorCommand(const QString& id, const QString& own, const QString& file, int line)
{
    QStringList command;
    if (id.isEmpty() && !own.trimmed().isEmpty()) {
        command = QProcess::splitCommand(own);
    } else {
        const QString chosen = chosenEditor(id);
        const auto editor = std::ranges::find(sourceEditors(), chosen, &SourceEditor::id);
        if (editor != sourceEditors().end())
            command = editor->command;
    }
    for (QString& word : command) // first the number: a file's name may have "{line}"
        word.replace(QStringLiteral("{line}"), QString::number(line))
            .replace(QStringLiteral("{file}"), file);
    return command;
}

QString findSource(const QString& path, const std::vector<SourceFolder>& folders)
{
    for (const SourceFolder& folder : folders) {
        const QString head = folder.from.isEmpty() ? QString{} : folder.from + u'/';
        if (!path.startsWith(head))
            continue;
        const QString file = QDir::cleanPath(folder.to + u'/' + path.mid(head.size()));
        if (isFile(file))
            return file;
    }
    return QDir::isAbsolutePath(path) && isFile(path) ? QDir::cleanPath(path) : QString{};
}

std::optional<SourceFolder> mappedFolder(const QString& path, const QString& chosen)
{
    const QString folder = QDir{chosen}.absolutePath();
    for (qsizetype from = 0; from >= 0; from = path.indexOf(u'/', from + 1)) {
        const QString tail = path.mid(from == 0 && !path.startsWith(u'/') ? 0 : from + 1);
        if (isFile(folder + u'/' + tail))
            return SourceFolder{path.first(from), folder};
    }
    return std::nullopt;
}

} // namespace plimsoll::ui
