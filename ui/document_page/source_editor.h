// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace plimsoll::ui {

/// A line of a file, as graphs name it: "transformers/models/gpt2/modeling_gpt2.py:547".
struct SourceLine
{
    QString path;
    int line = 1;
};

/// Empty if it isn't a path and a line, or if the path leaves its folder by "..".
[[nodiscard]] std::optional<SourceLine> parseSource(const QString& source);

/// A program that opens a file at a line.
struct SourceEditor
{
    QString id;          ///< "code"
    QString name;        ///< "Visual Studio Code"
    QStringList command; ///< program and arguments, with {file} and {line}
};

[[nodiscard]] const std::vector<SourceEditor>& sourceEditors();
/// The first that is installed, or the one with that id; empty if there is none.
[[nodiscard]] QString chosenEditor(const QString& id);

/// Program and arguments that open a file at a line: of the editor, or of `own`, a command line
/// with {file} and {line}, if `id` is empty and it isn't. Empty if there is no editor. The command
/// is not for a shell.
[[nodiscard]] QStringList editorCommand(const QString& id, const QString& own, const QString& file,
                                        int line);

/// Where a file is that graphs know by another folder, such as one of another computer:
/// "/data/venv" to "/srv/venv". Both without a slash at the end; `from` may be empty.
struct SourceFolder
{
    QString from;
    QString to;
};

/// The existing file for a path of a graph: as it is, if it is absolute, else through the first
/// folder that has it. Empty if none has.
[[nodiscard]] QString findSource(const QString& path, const std::vector<SourceFolder>& folders);
/// The folder under which `path` is found below `chosen`, wherever in it: "a/b/c.py" and a folder
/// that has b/c.py give {"a", chosen}. Empty if it isn't there.
[[nodiscard]] std::optional<SourceFolder> mappedFolder(const QString& path, const QString& chosen);

} // namespace plimsoll::ui
