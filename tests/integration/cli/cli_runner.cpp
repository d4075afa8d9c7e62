// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/cli/cli_runner.h"

#include <QFile>
#include <QJsonDocument>
#include <QProcess>

namespace plimsoll::tests {

namespace {

constexpr int kTimeoutMs = 110000;

} // namespace

QJsonObject CliRun::json() const
{
    return out.count('\n') == 1 ? QJsonDocument::fromJson(out).object() : QJsonObject{};
}

bool CliRun::hasOneSentence() const
{
    return error.count('\n') == 1 && error.endsWith(".\n") && error.size() < 700;
}

CliRun runCli(const QStringList& arguments)
{
    QProcess process;
    process.start(QStringLiteral(PLIMSOLL_CLI), arguments);
    CliRun run;
    if (!process.waitForFinished(kTimeoutMs)) {
        process.kill();
        process.waitForFinished();
        return run;
    }
    run.exit = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    run.out = process.readAllStandardOutput();
    run.error = process.readAllStandardError();
    return run;
}

QString samplePath(const QString& name)
{
    return QStringLiteral(PLIMSOLL_SOURCE_DIR "/resources/samples/%1.plimsoll.json.gz").arg(name);
}

QByteArray fileBytes(const QString& path)
{
    QFile file{path};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

} // namespace plimsoll::tests
