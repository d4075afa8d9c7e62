// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace plimsoll::tests {

/// How a run of plimsoll-cli ended. Exit code -1: it did not end by itself.
struct CliRun
{
    int exit = -1;
    QByteArray out;
    QByteArray error;

    /// Standard output as the one JSON object that it must be; empty when it is anything else.
    [[nodiscard]] QJsonObject json() const;
    /// Standard error is one line that ends with a full stop.
    [[nodiscard]] bool hasOneSentence() const;
};

/// Runs the program that was built beside the tests.
[[nodiscard]] CliRun runCli(const QStringList& arguments);

/// resources/samples/NAME.plimsoll.json.gz
[[nodiscard]] QString samplePath(const QString& name);

/// The sample decompressed, read by the program's own means: nothing but its bytes.
[[nodiscard]] QByteArray fileBytes(const QString& path);

} // namespace plimsoll::tests
