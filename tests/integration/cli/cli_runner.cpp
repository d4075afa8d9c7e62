// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/cli/cli_runner.h"

#include "tests/support/golden.h"

#include <QFile>
#include <QJsonDocument>
#include <QProcess>

namespace plimsoll::tests {

QJsonObject CliRun::json() const
{
    return out.count('\n') == 1 ? QJsonDocument::fromJson(out).object() : QJsonObject{};
}

CliRun runCli(const QStringList& arguments, const QProcessEnvironment& environment)
{
    return {runProgram(QStringLiteral(PLIMSOLL_CLI), arguments, environment)};
}

void startCli(QProcess& program, const QStringList& arguments)
{
    program.start(QStringLiteral(PLIMSOLL_CLI), arguments);
}

QString samplePath(const QString& name)
{
    return QString::fromStdString(tests::samplePath(name.toStdString()));
}

QStringList keysMissing(const QJsonObject& object, const QStringList& keys)
{
    QStringList missing;
    for (const QString& key : keys)
        if (!object.contains(key))
            missing += key;
    return missing;
}

QByteArray fileBytes(const QString& path)
{
    QFile file{path};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

QByteArray chainOfSixStages()
{
    return R"({"ftime":[1,1,1,1,1,1],"btime":[2,2,2,2,2,2,0],)"
           R"("x":[1,1,1,1,1,1,1],"xbar":[1,3,3,3,3,3,3],)"
           R"("ftmp":[0,0,0,0,0,0],"btmp":[1,1,1,1,1,1,0]})";
}

} // namespace plimsoll::tests
