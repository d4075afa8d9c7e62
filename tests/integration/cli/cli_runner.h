// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/integration/program_run.h"
#include "tests/support/snapshots/generated_snapshot.h"
#include "tests/support/temp_folder.h"

#include <QJsonObject>

class QProcess;

namespace plimsoll::tests {

inline constexpr qint64 kMiB = 1048576;

/// The result of a run of plimsoll-cli.
struct CliRun : ProgramRun
{
    /// Standard output as the single JSON object that it must be; empty if it is anything else.
    [[nodiscard]] QJsonObject json() const;
};

/// Runs the program that was built with the tests.
[[nodiscard]] CliRun
runCli(const QStringList& arguments,
       const QProcessEnvironment& environment = QProcessEnvironment::systemEnvironment());

/// Starts it without waiting.
void startCli(QProcess& program, const QStringList& arguments);

[[nodiscard]] inline QString text(const char* utf8)
{
    return QString::fromUtf8(utf8);
}

/// A PyTorch snapshot that is made up; its path.
[[nodiscard]] QString generatedFile(const TempFolder& folder, const char* name,
                                    const GeneratedSnapshot& snapshot);

/// resources/samples/NAME.plimsoll.json.gz
[[nodiscard]] QString samplePath(const QString& name);

/// The keys that an object lacks.
[[nodiscard]] QStringList keysMissing(const QJsonObject& object, const QStringList& keys);

/// A file's bytes, read independently of the program; empty if it can't be read.
[[nodiscard]] QByteArray fileBytes(const QString& path);

/// A chain problem: example E1, six equal stages.
[[nodiscard]] QByteArray chainOfSixStages();

/// The fixture of the command-line tests: a folder of their own, and a graph.
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

    /// A command that is refused with one line, in which there is `sentence`.
    static void compareRefusal(const QStringList& arguments, int exit, const QString& sentence);

    tests::TempFolder m_folder;
    QString m_resnet = samplePath(text("resnet18"));
};

} // namespace plimsoll::tests
