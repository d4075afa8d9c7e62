// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

namespace plimsoll::tests {

/// The result of a program run. Exit code -1: it didn't end by itself.
struct ProgramRun
{
    int exit = -1;
    QByteArray out;
    QByteArray error;

    /// Standard error is one line that ends with one full stop.
    [[nodiscard]] bool hasOneSentence() const;
};

/// Runs a program to its end, waiting at most some minutes.
[[nodiscard]] ProgramRun
runProgram(const QString& program, const QStringList& arguments,
           const QProcessEnvironment& environment = QProcessEnvironment::systemEnvironment());

} // namespace plimsoll::tests
