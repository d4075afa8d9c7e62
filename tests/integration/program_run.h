// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

namespace plimsoll::tests {

/// How a run of a program ended. Exit code -1: it did not end by itself.
struct ProgramRun
{
    int exit = -1;
    QByteArray out;
    QByteArray error;

    /// Standard error is one line that ends with one full stop.
    [[nodiscard]] bool hasOneSentence() const;
};

/// Runs a program to its end, within a patience of some minutes.
[[nodiscard]] ProgramRun
runProgram(const QString& program, const QStringList& arguments,
           const QProcessEnvironment& environment = QProcessEnvironment::systemEnvironment());

} // namespace plimsoll::tests
