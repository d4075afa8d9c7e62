// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/integration/program_run.h"
#include "tests/support/temp_folder.h"

#include <QJsonObject>

class QProcess;

namespace plimsoll::tests {

inline constexpr qint64 kMiB = 1048576;

/// How a run of plimsoll-cli ended.
struct CliRun : ProgramRun
{
    /// Standard output as the one JSON object that it must be; empty when it is anything else.
    [[nodiscard]] QJsonObject json() const;
};

/// Runs the program that was built beside the tests.
[[nodiscard]] CliRun runCli(const QStringList& arguments);

/// Starts it and doesn't wait.
void startCli(QProcess& program, const QStringList& arguments);

[[nodiscard]] inline QString text(const char* utf8)
{
    return QString::fromUtf8(utf8);
}

/// resources/samples/NAME.plimsoll.json.gz
[[nodiscard]] QString samplePath(const QString& name);

/// Those of the keys that an object has not.
[[nodiscard]] QStringList keysMissing(const QJsonObject& object, const QStringList& keys);

/// A file's bytes, read without the program's own means; none when it can't be read.
[[nodiscard]] QByteArray fileBytes(const QString& path);

/// A chain problem: example E1, six equal stages.
[[nodiscard]] QByteArray chainOfSixStages();

/// What the tests of the command line work on: a folder of their own, and a graph.
class CliFixture
{
protected:
    [[nodiscard]] QString file(const char* name) const
    {
        return QString::fromStdString(m_folder.file(name));
    }
    [[nodiscard]] QString fileWith(const char* name, const QByteArray& content) const
    {
        return QString::fromStdString(m_folder.fileWith(name, content.toStdString()));
    }

    tests::TempFolder m_folder;
    QString m_resnet = samplePath(text("resnet18"));
};

} // namespace plimsoll::tests
