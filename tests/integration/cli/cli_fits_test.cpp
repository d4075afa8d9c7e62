// SPDX-License-Identifier: Apache-2.0
// Where a step fits: the tables of `plan --devices` and `plan --largest`, against `plan --budget`.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTest>

#include <csignal>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

class CliFitsTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void devicesAgreeWithPlan_data();
    void devicesAgreeWithPlan();
    void allKnownDevicesAreListed();
    void devicesComeFromFiles();
    void noDeviceRunsIt();
    void optionsKeepTheirMeaning();
    void theLargestSizeAgreesWithPlan();
    void everyPlannerIsCompared();
    void nothingIsLargeEnough();
    void aTimeLimitPrintsWhatIsKnown();
    void controlCPrintsWhatIsKnown();
    void refusesWithASentence_data();
    void refusesWithASentence();

private:
    /// `plan` of the sample gpt2.
    [[nodiscard]] CliRun plan(const QStringList& options) const
    {
        return runCli(QStringList{text("plan"), m_gpt2} + options);
    }
    /// The same as JSON, with the planner trunk.
    [[nodiscard]] QJsonObject byTrunk(const QStringList& options) const
    {
        return plan(options + QStringList{text("--planner"), text("trunk"), text("--json")}).json();
    }
    [[nodiscard]] static QString runStatus(const QJsonObject& planned)
    {
        return planned[text("run")].toObject()[text("status")].toString();
    }
    [[nodiscard]] static QString bytes(const QJsonValue& value)
    {
        return QString::number(value.toInteger());
    }

    QString m_gpt2 = tests::samplePath(text("gpt2"));
    QString m_varied = text(PLIMSOLL_SOURCE_DIR "/tests/data/varied.plimsoll.json");
};

void CliFitsTest::devicesAgreeWithPlan_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("size");
    QTest::addColumn<QString>("status");
    QTest::newRow("no plan needed") << text("l4") << text("batch=8") << text("unplanned");
    QTest::newRow("with a plan") << text("rtx-4070") << text("batch=8") << text("planned");
    QTest::newRow("not at all") << text("rtx-4060") << text("batch=32") << text("no_plan");
}

void CliFitsTest::devicesAgreeWithPlan()
{
    QFETCH(QString, device);
    QFETCH(QString, size);
    QFETCH(QString, status);
    const QJsonObject json =
        byTrunk({text("--devices"), device + text(",h100"), text("--at"), size});
    QCOMPARE(json[text("stopped")], QJsonValue{false});
    QCOMPARE(json[text("devices")].toArray().size(), 2);
    const QJsonObject row = json[text("devices")].toArray().first().toObject();
    QCOMPARE(tests::keysMissing(
                 row, {text("device"), text("memory_bytes"), text("status"), text("peak_bytes"),
                       text("step_time_ns"), text("base_step_time_ns"), text("overhead_percent"),
                       text("least_budget_bytes"), text("planner"), text("fits_unplanned")}),
             QStringList{});
    QCOMPARE(row[text("status")].toString(), status);
    QCOMPARE(row[text("fits_unplanned")].toBool(), status == text("unplanned"));
    const auto at = [&](const QString& budget) {
        return byTrunk({text("--device"), device, text("--budget"), budget, text("--at"), size});
    };
    const QJsonObject planned = at(bytes(row[text("memory_bytes")]));
    for (const char* key : {"device", "reserve_bytes", "peak_bytes", "step_time_ns",
                            "base_step_time_ns", "overhead_percent"})
        QCOMPARE(row[text(key)], planned[text(key)]);
    QCOMPARE(row[text("run")].toString(), runStatus(planned));
    const QJsonValue least = row[text("least_budget_bytes")];
    QCOMPARE(runStatus(at(bytes(least))), text("runs"));
    QVERIFY(runStatus(at(QString::number(least.toInteger() - 1))) != text("runs"));
}

void CliFitsTest::allKnownDevicesAreListed()
{
    const QStringList options{text("--devices"), text("all"), text("--planner"), text("none")};
    const CliRun run = plan(options);
    QCOMPARE(run.exit, 0);
    const QJsonArray rows =
        plan(options + QStringList{text("--json")}).json()[text("devices")].toArray();
    QVERIFY(rows.size() > 15);
    QCOMPARE(run.out.count('\n'), rows.size() + 1);
    QVERIFY(run.out.startsWith("device "));
    QVERIFY(run.out.contains("without a plan"));
    for (const QJsonValue row : rows) {
        QVERIFY(run.out.contains(row.toObject()[text("name")].toString().toUtf8()));
        QVERIFY(row.toObject()[text("complete")].toBool());
    }
}

void CliFitsTest::devicesComeFromFiles()
{
    const QString table = text(PLIMSOLL_SOURCE_DIR "/resources/devices.json:l4");
    const QJsonArray rows =
        byTrunk({text("--devices"), table + text(",l4")})[text("devices")].toArray();
    for (const char* key : {"name", "status", "step_time_ns", "least_budget_bytes"})
        QCOMPARE(rows[0].toObject()[text(key)], rows[1].toObject()[text(key)]);
}

void CliFitsTest::noDeviceRunsIt()
{
    const CliRun run = plan({text("--devices"), text("rtx-4060"), text("--planner"), text("none")});
    QCOMPARE(run.exit, 4);
    QVERIFY(run.out.contains(" no "));
    QCOMPARE(run.error,
             QByteArray{"The step runs on none of these devices, with or without a plan.\n"});
}

void CliFitsTest::optionsKeepTheirMeaning()
{
    const auto row = [this](const QStringList& more) {
        return byTrunk(QStringList{text("--devices"), text("l4")} + more)[text("devices")]
            .toArray()
            .first()
            .toObject();
    };
    const QJsonObject usual = row({});
    QCOMPARE(row({text("--reserve"), text("1GiB")})[text("reserve_bytes")].toDouble(),
             1024.0 * tests::kMiB);
    QVERIFY(row({text("--reserve"), text("10%")})[text("reserve_bytes")].toDouble() > 1e9);
    QVERIFY(row({text("--at"), text("batch=4")})[text("least_budget_bytes")].toDouble()
            < usual[text("least_budget_bytes")].toDouble());
    QVERIFY(
        row({text("--alloc-conf"), text("expandable_segments:True")})[text("least_budget_bytes")]
            .toDouble()
        < usual[text("least_budget_bytes")].toDouble());
    // Gradients are reduced over the link of that device.
    QVERIFY(row({text("--ddp"), text("world=8")})[text("base_step_time_ns")].toDouble()
            > usual[text("base_step_time_ns")].toDouble());
    QCOMPARE(row({text("--pin"), text("recompute:transformer.h.0")})[text("status")].toString(),
             text("planned"));
}

void CliFitsTest::theLargestSizeAgreesWithPlan()
{
    const QStringList within{text("--device"), text("l4"), text("--budget"), text("12GiB")};
    const QJsonObject json = byTrunk(within + QStringList{text("--largest"), text("all")});
    const QJsonArray rows = json[text("largest")].toArray();
    QCOMPARE(rows.size(), 2);
    for (const QJsonValue value : rows) {
        const QJsonObject row = value.toObject();
        const QString axis = row[text("axis")].toString();
        const auto at = [&](const char* key) {
            return byTrunk(within
                           + QStringList{text("--at"), axis + text("=") + bytes(row[text(key)])});
        };
        const QJsonObject largest = at("size");
        QVERIFY(runStatus(largest).startsWith(text("runs")));
        for (const char* key : {"peak_bytes", "step_time_ns", "base_step_time_ns"})
            QCOMPARE(row[text(key)], largest[text(key)]);
        const qint64 step = axis == text("batch") ? 1 : 32;
        QCOMPARE(row[text("next_size")].toInteger(), row[text("size")].toInteger() + step);
        const QString next = runStatus(at("next_size"));
        QVERIFY(next.isEmpty() || next == text("fails"));
        QCOMPARE(row[text("next_status")].toString() == text("fails"), next == text("fails"));
    }
    const CliRun words =
        plan(within
             + QStringList{text("--largest"), text("sequence"), text("--planner"), text("trunk")});
    QVERIFY(words.out.contains("sequence (recorded at 256, 512, 1024; larger ones are"));
    QVERIFY(words.out.contains("; one step more, "));
}

void CliFitsTest::everyPlannerIsCompared()
{
    const CliRun run = runCli({text("plan"), m_varied, text("--budget"), text("200%"),
                               text("--largest"), text("batch"), text("--json")});
    QCOMPARE(run.exit, 0);
    QStringList asked;
    for (const QJsonValue row : run.json()[text("largest")].toArray()) {
        asked << row.toObject()[text("asked")].toString();
        QVERIFY(row.toObject()[text("size")].toInteger() >= 4); // at 200 % the recorded size runs
        QVERIFY(!row.toObject()[text("next_status")].isNull());
    }
    for (const char* planner : {"auto", "rotor", "rotor --ways on", "chen", "none"})
        QCOMPARE(asked.count(text(planner)), 1);
}

void CliFitsTest::nothingIsLargeEnough()
{
    const QStringList options{text("plan"),      m_varied,      text("--budget"),  text("1KiB"),
                              text("--largest"), text("batch"), text("--planner"), text("none")};
    const CliRun run = runCli(options);
    QCOMPARE(run.exit, 4);
    QVERIFY(run.out.contains("the smallest, 2: none exists"));
    QVERIFY(run.error.startsWith("No plan was found that runs"));
    const QJsonObject row = runCli(options + QStringList{text("--json")})
                                .json()[text("largest")]
                                .toArray()[0]
                                .toObject();
    QVERIFY(row[text("size")].isNull() && row[text("peak_bytes")].isNull());
    QCOMPARE(row[text("next_status")].toString(), text("infeasible"));
}

void CliFitsTest::aTimeLimitPrintsWhatIsKnown()
{
    const QStringList soon{text("--time-limit"), text("0.001")};
    const CliRun devices = plan(soon + QStringList{text("--devices"), text("all")});
    QVERIFY(devices.exit == 0 || devices.exit == 4); // whether a row was reached
    QVERIFY(devices.out.contains("stopped early: 19 of 19 devices not planned for\n"));
    const CliRun largest =
        plan(soon + QStringList{text("--largest"), text("batch"), text("--json")});
    QCOMPARE(largest.exit, 4);
    QVERIFY(largest.json()[text("stopped")].toBool());
    for (const QJsonValue row : largest.json()[text("largest")].toArray())
        QCOMPARE(row.toObject()[text("next_status")].toString(), text("not_reached"));
}

void CliFitsTest::controlCPrintsWhatIsKnown()
{
    QProcess program;
    tests::startCli(program, {text("plan"), m_gpt2, text("--devices"), text("all"),
                              text("--json")}); // half a minute
    QVERIFY(program.waitForStarted());
    QTest::qWait(3000);
    ::kill(static_cast<pid_t>(program.processId()), SIGINT);
    QVERIFY(program.waitForFinished());
    const QJsonObject json = QJsonDocument::fromJson(program.readAllStandardOutput()).object();
    QVERIFY(json[text("stopped")].toBool());
    QVERIFY(!json[text("devices")].toArray().isEmpty());
}

void CliFitsTest::refusesWithASentence_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("exit");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const char* options, const char* says, int exit = 2) {
        QTest::newRow(name) << text(options).split(u' ') << exit << QByteArray{says};
    };
    row("a plan's file", "--devices l4 --export plan.json",
        "--export has no effect on the table of --devices: leave one of them out.");
    row("a budget for devices", "--devices l4 --budget 6GiB", "--budget has no effect");
    row("a device beside devices", "--devices l4 --device t4", "--device has no effect");
    row("trade-off", "--largest batch --frontier 4",
        "--frontier has no effect on the table of --largest");
    row("preference", "--largest batch --prefer fastest", "--prefer has no effect");
    row("both tables", "--devices l4 --largest batch", "--largest looks at one GPU");
    row("unknown device", "--devices l4,z9000", "There is no device \"z9000\"");
    row("no device", "--devices l4,", "There is no device \"\"");
    row("device by hand", "--devices memory=24GiB,bandwidth=1008G",
        "--devices takes ids and files");
    row("no such file", "--devices none.json", "none.json", 3);
    row("unknown axis", "--largest height",
        "no axis \"height\" that varies, only batch and sequence");
    row("size", "--largest batch --at batch=1", "batch 1 is below 4");
    row("pin", "--devices l4 --pin keep:nothing", "The pin keep:nothing matches nothing");
    row("pin and size", "--largest batch --pin keep:nothing", "The pin keep:nothing matches");
    row("processes", "--devices l4 --ddp many", "--ddp: ");
}

void CliFitsTest::refusesWithASentence()
{
    QFETCH(QStringList, options);
    QFETCH(int, exit);
    QFETCH(QByteArray, says);
    const CliRun run = plan(options);
    QCOMPARE(run.exit, exit);
    QCOMPARE(run.out, QByteArray{});
    QVERIFY2(run.error.contains(says), run.error.constData());
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    const CliRun fixed = runCli({text("plan"), m_resnet, text("--largest"), text("all")});
    QCOMPARE(fixed.exit, 2);
    QVERIFY(fixed.error.startsWith("This graph was traced at one size only"));
}

} // namespace

PLIMSOLL_TEST(CliFitsTest, QCoreApplication)
#include "cli_fits_test.moc"
