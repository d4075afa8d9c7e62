// SPDX-License-Identifier: Apache-2.0
// Verbs about memory profiles.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/snapshots/snapshot_generator.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QTest>

#include <fstream>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

class CliProfileTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void liveTellsWhoHoldsWhat_data();
    void liveTellsWhoHoldsWhat();
    void liveAgreesWithInspect();
    void liveListsTheTopGroups();
    void liveRefuses_data();
    void liveRefuses();

private:
    [[nodiscard]] CliRun live(const QStringList& options) const
    {
        return runCli(QStringList{text("live"), m_profile} + options);
    }

    tests::TempFolder m_files;
    QString m_profile; ///< of many stacks
};

void CliProfileTest::initTestCase()
{
    const std::string path = m_files.file("training.pickle");
    std::ofstream file{path, std::ios::binary};
    tests::GeneratedSnapshot snapshot;
    snapshot.events = 3000;
    static_cast<void>(tests::generateSnapshot(snapshot, [&](std::string_view part) {
        file.write(part.data(), static_cast<std::streamsize>(part.size()));
    }));
    file.close();
    QVERIFY(file.good());
    m_profile = QString::fromStdString(path);
}

void CliProfileTest::liveTellsWhoHoldsWhat_data()
{
    QTest::addColumn<QString>("at");
    for (const char* at : {"peak", "end", "0", "1", "0ns", "10s"})
        QTest::newRow(at) << text(at);
}

/// Bytes and blocks are the sums of the groups', in every grouping.
void CliProfileTest::liveTellsWhoHoldsWhat()
{
    QFETCH(QString, at);
    std::optional<QJsonObject> first;
    for (const char* by : {"frame", "stack", "class", "module", "stream", "pool"}) {
        const CliRun run = live({text("--at"), at, text("--by"), text(by), text("--json")});
        QCOMPARE(run.exit, 0);
        const QJsonObject json = run.json();
        double bytes = 0;
        double blocks = 0;
        for (const QJsonValue group : json[text("groups")].toArray()) {
            bytes += group.toObject()[text("bytes")].toDouble();
            blocks += group.toObject()[text("blocks")].toDouble();
        }
        QCOMPARE(json[text("bytes")].toDouble(), bytes);
        QCOMPARE(json[text("blocks")].toDouble(), blocks);
        if (!first)
            first = json;
        QCOMPARE(json[text("event")], (*first)[text("event")]);
        QCOMPARE(json[text("bytes")], (*first)[text("bytes")]);
    }
}

void CliProfileTest::liveAgreesWithInspect()
{
    const QJsonObject summary =
        runCli({text("inspect"), m_profile, text("--json")}).json()[text("summary")].toObject();
    const QJsonObject peak = live({text("--json")}).json();
    QVERIFY(peak[text("bytes")].toDouble() > 0);
    QCOMPARE(peak[text("bytes")], summary[text("peak_bytes")]);
    QCOMPARE(peak[text("event")], summary[text("peak_event")]);
    QCOMPARE(peak[text("ns")], summary[text("peak_ns")]);
    const QJsonObject end = live({text("--at"), text("end"), text("--json")}).json();
    QCOMPARE(end[text("bytes")], summary[text("end_bytes")]);
}

void CliProfileTest::liveListsTheTopGroups()
{
    const CliRun all = live({text("--by"), text("stack"), text("--json")});
    const CliRun top =
        live({text("--by"), text("stack"), text("--top"), text("1"), text("--json")});
    QCOMPARE(top.json()[text("groups")].toArray().size(), 1);
    QVERIFY(all.json()[text("groups")].toArray().size() > 1);
    QCOMPARE(top.json()[text("groups")].toArray().first(),
             all.json()[text("groups")].toArray().first());
    QCOMPARE(top.json()[text("bytes")], all.json()[text("bytes")]);
    const QString told =
        QString::fromUtf8(live({text("--by"), text("stack"), text("--top"), text("1")}).out);
    QVERIFY2(told.contains(text("more group")), qPrintable(told));
}

void CliProfileTest::liveRefuses_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("grouping") << QStringList{text("--by"), text("size")}
                              << text("--by takes frame, stack, class, module, stream or pool");
    QTest::newRow("point") << QStringList{text("--at"), text("noon")}
                           << text("--at takes peak, end, oom");
    QTest::newRow("event") << QStringList{text("--at"), text("123456789")}
                           << text("There is no event 123456789");
    QTest::newRow("device") << QStringList{text("--device"), text("7")}
                            << text("The recording has no device 7");
}

void CliProfileTest::liveRefuses()
{
    QFETCH(QStringList, options);
    QFETCH(QString, sentence);
    const CliRun run = live(options);
    QCOMPARE(run.exit, 2);
    QVERIFY2(QString::fromUtf8(run.error).contains(sentence), run.error.constData());
}

} // namespace

PLIMSOLL_TEST(CliProfileTest, QCoreApplication)
#include "cli_profile_test.moc"
