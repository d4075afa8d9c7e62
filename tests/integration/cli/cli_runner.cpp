// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/cli/cli_runner.h"

#include "tests/support/golden.h"
#include "tests/support/snapshots/snapshot_generator.h"

#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <QTest>

#include <fstream>

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

QString generatedFile(const TempFolder& folder, const char* name, const GeneratedSnapshot& snapshot)
{
    const std::string path = folder.file(name);
    std::ofstream file{path, std::ios::binary};
    static_cast<void>(generateSnapshot(snapshot, [&](std::string_view part) {
        file.write(part.data(), static_cast<std::streamsize>(part.size()));
    }));
    return QString::fromStdString(path);
}

void CliFixture::compareRefusal(const QStringList& arguments, int exit, const QString& sentence)
{
    const CliRun run = runCli(arguments);
    QCOMPARE(run.exit, exit);
    const QString error = QString::fromUtf8(run.error);
    QVERIFY2(error.contains(sentence), run.error.constData());
    QCOMPARE(error.count(u'\n'), 1);
    QCOMPARE(run.out, QByteArray{});
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
