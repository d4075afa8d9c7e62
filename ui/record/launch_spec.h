// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

#include <optional>

namespace plimsoll::ui {

/// A program that is to be recorded, as the user gives it.
struct LaunchSpec
{
    QString command = {};     ///< program and arguments, quoted as in a shell
    QString folder = {};      ///< in which it runs; empty: the user's own
    QString environment = {}; ///< lines NAME=VALUE, besides the window's variables
    QString output = {};      ///< the recording; empty: a new name in the folder
    bool tensors = false;
    bool snapshot = false;

    bool operator==(const LaunchSpec&) const = default;
};

/// The fields of a LaunchSpec that can be wrong.
enum class LaunchField : std::uint8_t { Command, Folder, Environment, Output };
struct LaunchFault
{
    LaunchField field{};
    QString sentence;
};

/// The same with a new name for the recording, if there is one of that name.
[[nodiscard]] LaunchSpec toRunAgain(LaunchSpec spec);

/// A LaunchSpec taken apart.
struct LaunchParts
{
    QString program; ///< its absolute path
    QStringList arguments;
    QString folder; ///< absolute
    QProcessEnvironment environment;
};
/// What keeps it from being started goes into `fault`.
[[nodiscard]] std::optional<LaunchParts> partsOf(const LaunchSpec& spec, LaunchFault& fault);

/// The same as a command for a shell: "cd /work && plimsoll-cli record -- python train.py". Empty
/// without a program, or if a quote or a variable isn't complete.
[[nodiscard]] QString recordLine(const LaunchSpec& spec);
/// One word of a command for a shell.
[[nodiscard]] QString shellWord(const QString& text);

// For the settings.
[[nodiscard]] QString textOf(const LaunchSpec& spec);
/// Empty command: the text is none of textOf().
[[nodiscard]] LaunchSpec launchSpecOf(const QString& text);

} // namespace plimsoll::ui
