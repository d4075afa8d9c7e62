// SPDX-License-Identifier: Apache-2.0
// A GPU that is in no table, given by hand as a line or a file.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

/// The RTX 4090 of the table.
constexpr auto kLine = "name=My 4090,memory=25757220864,bandwidth=1008G,float32=82.6T,"
                       "bfloat16=165.2T,float16=165.2T,float64=1290G,host=32G,link=0,latency=4000";

class CliDevicesTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void aLineTimesLikeTheTable();
    void aPlanForALineIsChecked();
    void filesAreRead();
    void aFileWithSeveralWantsAnId();
    void refusesWithASentence_data();
    void refusesWithASentence();

private:
    [[nodiscard]] QJsonObject planned(const QString& device, const QStringList& more = {}) const
    {
        const CliRun run = runCli(QStringList{text("plan"), m_resnet, text("--budget"), text("80%"),
                                              text("--json"), text("--device"), device}
                                  + more);
        return run.exit == 0 ? run.json() : QJsonObject{};
    }
    /// The table of the project, cut down to these ids.
    [[nodiscard]] QByteArray table(int first, int count) const
    {
        QFile file{QStringLiteral(PLIMSOLL_SOURCE_DIR "/resources/devices.json")};
        if (!file.open(QIODevice::ReadOnly))
            return {};
        QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
        const QJsonArray all = root[text("devices")].toArray();
        QJsonArray some;
        for (int i = first; i < first + count; ++i)
            some.append(all.at(i));
        root[text("devices")] = some;
        return QJsonDocument{root}.toJson();
    }
};

void CliDevicesTest::aLineTimesLikeTheTable()
{
    const QJsonObject known = planned(text("rtx-4090"));
    const QJsonObject byHand = planned(text(kLine));
    QVERIFY(known[text("step_time_ns")].toDouble() > 1e6);
    for (const char* key : {"step_time_ns", "base_step_time_ns", "peak_bytes", "budget_bytes"})
        QCOMPARE(byHand[text(key)], known[text(key)]);
    QVERIFY(byHand[text("device")].toString().startsWith(text("name=My 4090,memory=25757220864,")));

    // Half the bandwidth: slower.
    QString slow = text(kLine);
    slow.replace(text("1008G"), text("504G"));
    QVERIFY(planned(slow)[text("step_time_ns")].toDouble()
            > known[text("step_time_ns")].toDouble() * 1.2);
}

void CliDevicesTest::aPlanForALineIsChecked()
{
    const QString plan = file("plan.json");
    QVERIFY(!planned(text(kLine), {text("--export"), plan}).isEmpty());
    const CliRun check = runCli({text("check"), plan, m_resnet, text("--json")});
    QCOMPARE(check.exit, 0);
    QVERIFY(check.json()[text("ok")].toBool());
    QCOMPARE(check.json()[text("device")], planned(text(kLine))[text("device")]);
}

void CliDevicesTest::filesAreRead()
{
    const QString one = fileWith("one.json", table(10, 1)); // rtx-4090
    const QJsonObject known = planned(text("rtx-4090"));
    const QJsonObject read = planned(one);
    QCOMPARE(read[text("step_time_ns")], known[text("step_time_ns")]);
    QVERIFY(read[text("device")].toString().startsWith(text("name=GeForce RTX 4090,")));

    const CliRun inspect =
        runCli({text("inspect"), m_resnet, text("--chain"), text("--json"), text("--device"), one});
    QCOMPARE(inspect.exit, 0);
}

void CliDevicesTest::aFileWithSeveralWantsAnId()
{
    const QString two = fileWith("two.json", table(10, 2));
    const CliRun none =
        runCli({text("plan"), m_resnet, text("--budget"), text("80%"), text("--device"), two});
    QCOMPARE(none.exit, 3);
    QVERIFY2(none.error.contains("they are rtx-4090, rtx-4080."), none.error.constData());
    QCOMPARE(planned(two + text(":rtx-4080"))[text("step_time_ns")],
             planned(text("rtx-4080"))[text("step_time_ns")]);
}

void CliDevicesTest::refusesWithASentence_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("exit");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("unknown id") << text("z9000") << 2 << QByteArray{"There is no device"};
    QTest::newRow("bad line") << text("memory=1GiB") << 2 << QByteArray{"bandwidth is missing"};
    QTest::newRow("no file") << file("none.json") << 3 << QByteArray{"none.json"};
    QTest::newRow("no table") << fileWith("bad.json", "{}") << 3
                              << QByteArray{"bad.json: This is not a device table"};
}

void CliDevicesTest::refusesWithASentence()
{
    QFETCH(QString, device);
    QFETCH(int, exit);
    QFETCH(QByteArray, named);
    const CliRun run =
        runCli({text("plan"), m_resnet, text("--budget"), text("80%"), text("--device"), device});
    QCOMPARE(run.exit, exit);
    QCOMPARE(run.out, QByteArray{});
    QVERIFY2(run.error.contains(named), run.error.constData());
    QCOMPARE(run.error.count('\n'), 1);
}

} // namespace

PLIMSOLL_TEST(CliDevicesTest, QCoreApplication)
#include "cli_devices_test.moc"
