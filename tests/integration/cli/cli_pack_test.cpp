// SPDX-License-Identifier: Apache-2.0
// `solve pack` end to end, and what `plan` tells of the places of a plan's blocks.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QByteArrayList>
#include <QJsonArray>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

class CliPackTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void packsAndWrites();
    void capacityIsMetOrNot_data();
    void capacityIsMetOrNot();
    void badFilesGetOneSentence();
    void aMillionRowsAreFine();
    void aPlanTellsWhatItsBlocksTake();
    void aSmallPlanTakesOneSmallSegment();

private:
    /// Three are live at once, at [2, 3) and [3, 4).
    QString m_buffers = fileWith("b.csv", "id,lower,upper,size,who\n"
                                          "a,0,3,1,x\nb,1,4,1,y\nc,2,6,1,z\nd,3,7,1,\n");
};

void CliPackTest::packsAndWrites()
{
    const QString output = file("packed.csv");
    const CliRun run =
        runCli({text("solve"), text("pack"), m_buffers, text("--output"), output, text("--json")});
    QCOMPARE(run.exit, 0);
    const QJsonObject json = run.json();
    QCOMPARE(json[text("status")].toString(), text("optimal"));
    QCOMPARE(json[text("height")].toInteger(), qint64{3});
    QCOMPARE(json[text("lower_bound")].toInteger(), qint64{3});
    QVERIFY(json[text("capacity")].isNull());
    const QJsonArray offsets = json[text("offsets")].toArray();
    QCOMPARE(offsets.size(), 4);
    QByteArray expected = "id,lower,upper,size,who,offset\n";
    const QByteArrayList rows{"a,0,3,1,x", "b,1,4,1,y", "c,2,6,1,z", "d,3,7,1,"};
    for (int i = 0; i < 4; ++i)
        expected += rows[i] + "," + QByteArray::number(offsets[i].toInteger()) + "\n";
    QCOMPARE(tests::fileBytes(output), expected);
    const CliRun again = runCli({text("solve"), text("pack"), output});
    QCOMPARE(again.exit, 0);
    QVERIFY(again.out.startsWith("optimal\n  height      3\n"));
}

void CliPackTest::capacityIsMetOrNot_data()
{
    QTest::addColumn<QString>("capacity");
    QTest::addColumn<int>("exit");
    QTest::addColumn<QString>("status");
    QTest::newRow("more") << text("1KiB") << 0 << text("optimal");
    QTest::newRow("just enough") << text("3") << 0 << text("optimal");
    QTest::newRow("too little") << text("2") << 4 << text("infeasible");
}

void CliPackTest::capacityIsMetOrNot()
{
    QFETCH(QString, capacity);
    QFETCH(int, exit);
    QFETCH(QString, status);
    const QString output = file("not-written.csv");
    QStringList arguments{text("solve"),      text("pack"), m_buffers,
                          text("--capacity"), capacity,     text("--json")};
    if (exit != 0)
        arguments << text("--output") << output;
    const CliRun run = runCli(arguments);
    QCOMPARE(run.exit, exit);
    const QJsonObject json = run.json();
    QCOMPARE(json[text("status")].toString(), status);
    QCOMPARE(json[text("smallest_known_capacity")].toInteger(), qint64{3});
    QCOMPARE(json[text("height")].isNull(), exit != 0);
    if (exit == 0)
        return;
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    QVERIFY2(run.error.contains("none can be below 3"), run.error.constData());
    QVERIFY(tests::fileBytes(output).isEmpty());
}

void CliPackTest::badFilesGetOneSentence()
{
    const auto fails = [&](const QStringList& arguments, int exit, const char* part) {
        const CliRun run = runCli(QStringList{text("solve"), text("pack")} + arguments);
        QCOMPARE(run.exit, exit);
        QVERIFY2(run.hasOneSentence(), run.error.constData());
        QVERIFY2(run.error.contains(part), run.error.constData());
    };
    fails({file("nowhere.csv")}, 3, "nowhere.csv");
    fails({fileWith("cut.csv", "id,lower,upper,size\na,0,1")}, 3,
          "cut.csv: line 2: it has 3 fields");
    fails({m_buffers, text("--capacity"), text("-3")}, 2, "-3");
    fails({m_buffers, text("--capacity"), text("many")}, 2, "many");
    fails({m_buffers, text("--time-limit"), text("0")}, 2, "time-limit");
    fails({m_buffers, text("--output"), file("no/folder.csv")}, 3, "folder.csv");
}

void CliPackTest::aMillionRowsAreFine()
{
    QByteArray csv = "id,lower,upper,size\n";
    for (int i = 0; i < 1000000; ++i)
        csv += QByteArray::number(i) + "," + QByteArray::number(i) + ","
               + QByteArray::number(i + 1 + i % 7) + "," + QByteArray::number(1 + i % 5) + "\n";
    const CliRun run = runCli({text("solve"), text("pack"), fileWith("big.csv", csv),
                               text("--time-limit"), text("2"), text("--json")});
    QCOMPARE(run.exit, 0);
    const QJsonObject json = run.json();
    QCOMPARE(json[text("offsets")].toArray().size(), 1000000);
    QVERIFY(json[text("height")].toInteger() >= json[text("lower_bound")].toInteger());
}

void CliPackTest::aPlanTellsWhatItsBlocksTake()
{
    const CliRun run =
        runCli({text("plan"), m_resnet, text("--budget"), text("75%"), text("--json")});
    QCOMPARE(run.exit, 0);
    const QJsonObject json = run.json();
    const qint64 peak = json[text("peak_bytes")].toInteger();
    // Nothing packs below the live peak; this plan's blocks reach it.
    QCOMPARE(json[text("packed_lower_bound_bytes")].toInteger(), peak);
    QCOMPARE(json[text("packed_height_bytes")].toInteger(), peak);
    // Segments are whole multiples of 2 MiB, and nothing fits in less than the peak.
    for (const char* key : {"reserved_bytes", "reserved_expandable_bytes"}) {
        const qint64 reserved = json[text(key)].toInteger();
        QVERIFY(reserved >= peak);
        QVERIFY(reserved < 2 * peak);
        QCOMPARE((reserved - json[text("reserve_bytes")].toInteger()) % (2 * tests::kMiB),
                 qint64{0});
    }
    // Buffers of growing size, each after the one before, leave holes that only fixed segments
    // have.
    QVERIFY(json[text("reserved_expandable_bytes")].toInteger()
            < json[text("reserved_bytes")].toInteger());
    const CliRun shown = runCli({text("plan"), m_resnet, text("--budget"), text("75%")});
    QVERIFY2(shown.out.contains("\n  packed      ")
                 && shown.out.contains("B), without gaps\n  reserved    "),
             shown.out.constData());
}

void CliPackTest::aSmallPlanTakesOneSmallSegment()
{
    const QString tiny = text(PLIMSOLL_SOURCE_DIR "/tests/data/tiny.plimsoll.json");
    const QJsonObject json = runCli({text("plan"), tiny, text("--budget"), text("100%"),
                                     text("--reserve"), text("1MiB"), text("--json")})
                                 .json();
    // All blocks together are smaller than 2 MiB, and each than 1 MiB; the reserve comes on top.
    QCOMPARE(json[text("reserved_bytes")].toInteger(), 3 * tests::kMiB);
    QCOMPARE(json[text("reserved_expandable_bytes")].toInteger(), 3 * tests::kMiB);
    QCOMPARE(json[text("packed_height_bytes")], json[text("peak_bytes")]);
}

} // namespace

PLIMSOLL_TEST(CliPackTest, QCoreApplication)
#include "cli_pack_test.moc"
