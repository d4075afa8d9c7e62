// SPDX-License-Identifier: Apache-2.0
// Numbers that go into the command line, into its text and into the files it writes.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonDocument>
#include <QTest>

#include <cmath>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::kMiB;
using tests::runCli;
using tests::samplePath;
using tests::text;

class CliNumbersTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void ratiosAreOfTheUnplannedPeak();
    void reservesAndLimitsMayBeRatios();
    void theReserveIsTheWorkspacesOfCublas_data();
    void theReserveIsTheWorkspacesOfCublas();
    void peaksInTheTextAreRoundedUp();
    void inspectTellsBothPeaks();
    void planFilesHoldWhatMadeThePlan();
    void aTinyTimeLimitIsHeldAndSaid_data();
    void aTinyTimeLimitIsHeldAndSaid();
};

void CliNumbersTest::ratiosAreOfTheUnplannedPeak()
{
    const QJsonObject json =
        runCli({text("plan"), m_resnet, text("--budget"), text("80%"), text("--json")}).json();
    const double base = json[text("base_peak_bytes")].toDouble();
    QVERIFY(base > 1e9);
    QCOMPARE(json[text("budget_bytes")].toInteger(), static_cast<qint64>(base * 0.8));
}

void CliNumbersTest::reservesAndLimitsMayBeRatios()
{
    const QString plan = file("ratio.json");
    const QJsonObject bare = runCli({text("plan"), m_resnet, text("--budget"), text("100%"),
                                     text("--reserve"), text("0"), text("--json")})
                                 .json();
    const QJsonObject json =
        runCli({text("plan"), m_resnet, text("--budget"), text("90%"), text("--reserve"),
                text("5%"), text("--json"), text("--export"), plan})
            .json();
    const qint64 unplanned = bare[text("base_peak_bytes")].toInteger();
    const qint64 reserve = json[text("reserve_bytes")].toInteger();
    QVERIFY(unplanned > 0);
    QCOMPARE(reserve, static_cast<qint64>(static_cast<double>(unplanned) * 0.05));
    QCOMPARE(json[text("base_peak_bytes")].toInteger(), unplanned + reserve);
    QCOMPARE(
        json[text("budget_bytes")].toInteger(),
        static_cast<qint64>(std::floor(static_cast<double>(unplanned + reserve) * (90.0 / 100))));

    const auto exitAt = [&](const char* limit) {
        return runCli({text("check"), plan, m_resnet, text("--max-peak"), text(limit)}).exit;
    };
    QCOMPARE(exitAt("90%"), 0);
    QCOMPARE(exitAt("50%"), 5);
}

/// Peak and unplanned peak of ResNet-18 in text, against the exact bytes.
void CliNumbersTest::peaksInTheTextAreRoundedUp()
{
    const QStringList arguments{text("plan"), m_resnet, text("--budget"), text("2100MiB")};
    const QJsonObject json = runCli(arguments + QStringList{text("--json")}).json();
    const CliRun run = runCli(arguments);
    QCOMPARE(run.exit, 0);
    for (const char* key : {"peak_bytes", "base_peak_bytes"}) {
        const double peak = json[text(key)].toDouble();
        QVERIFY(peak > 0);
        const double shown = std::ceil(peak / 1073741824.0 * 100) / 100;
        const QByteArray words = QByteArray::number(shown, 'f', 2) + " GiB";
        QVERIFY2(run.out.contains(words), run.out + " has no " + words);
    }
    QVERIFY(run.out.contains("budget      2.05 GiB (2,202,009,600 B)"));
}

void CliNumbersTest::theReserveIsTheWorkspacesOfCublas_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("config"); ///< of CUBLAS_WORKSPACE_CONFIG
    QTest::addColumn<qint64>("threads");
    QTest::addColumn<qint64>("each");
    QTest::addColumn<QByteArray>("told");
    const auto row = [](const char* name, const char* sample, const QStringList& options,
                        const char* config, qint64 threads, qint64 each, const char* told) {
        QTest::newRow(name) << text(sample) << options << QByteArray{config} << threads << each
                            << QByteArray{told};
    };
    const QStringList h100{text("--device"), text("h100")};
    row("training", "resnet18", {}, "", 2, 8519680, "16.3 MiB (2 x 8.1 MiB cuBLAS, context 0)");
    row("inference", "gpt2_prompt", {}, "", 1, 8519680, "8.1 MiB (1 x 8.1 MiB cuBLAS, context 0)");
    row("Hopper", "resnet18", h100, "", 2, 32 << 20, "64.0 MiB (2 x 32.0 MiB cuBLAS, context 0)");
    row("set", "resnet18", h100, ":16:8", 2, 131072, "256.0 KiB (2 x 128.0 KiB cuBLAS, context 0)");
    row("none", "resnet18", {}, ":0:0", 2, 0, "0 B (cuBLAS takes nothing, context 0)");
    row("not to be read", "resnet18", {}, "4096", 2, 8519680,
        "16.3 MiB (2 x 8.1 MiB cuBLAS, context 0)");
}

void CliNumbersTest::theReserveIsTheWorkspacesOfCublas()
{
    QFETCH(QString, sample);
    QFETCH(QStringList, options);
    QFETCH(QByteArray, config);
    QFETCH(qint64, threads);
    QFETCH(qint64, each);
    QFETCH(QByteArray, told);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    if (config.isEmpty())
        environment.remove(text("CUBLAS_WORKSPACE_CONFIG"));
    else
        environment.insert(text("CUBLAS_WORKSPACE_CONFIG"), QString::fromUtf8(config));
    const auto planned = [&](const QStringList& more) {
        return runCli(QStringList{text("plan"), samplePath(sample), text("--planner"), text("none"),
                                  text("--budget"), text("100%")}
                          + options + more,
                      environment);
    };
    const QJsonObject json = planned({text("--json")}).json();
    QCOMPARE(json[text("reserve_bytes")].toInteger(), threads * each);
    QCOMPARE(json[text("cublas_workspaces")].toInteger(), threads);
    QCOMPARE(json[text("cublas_workspace_bytes")].toInteger(), each);
    const QJsonObject old = planned({text("--json"), text("--reserve"), text("0")}).json();
    QCOMPARE(json[text("peak_bytes")].toInteger() - old[text("peak_bytes")].toInteger(),
             threads * each);
    QCOMPARE(json[text("budget_bytes")], json[text("peak_bytes")]);
    const QByteArray out = planned({}).out;
    QVERIFY2(out.contains("  reserve     " + told + "\n"), out);
}

void CliNumbersTest::inspectTellsBothPeaks()
{
    const QJsonObject summary =
        runCli({text("inspect"), m_resnet, text("--json")}).json()[text("summary")].toObject();
    const QJsonObject planned = runCli({text("plan"), m_resnet, text("--budget"), text("100%"),
                                        text("--reserve"), text("0"), text("--json")})
                                    .json();
    QCOMPARE(summary[text("peak_allocated_bytes")], planned[text("base_peak_bytes")]);
    QCOMPARE(summary[text("rounding")].toInt(), 512);
    QVERIFY(summary[text("peak_bytes")].toInteger()
            < summary[text("peak_allocated_bytes")].toInteger());
    const CliRun run = runCli({text("inspect"), m_resnet});
    QVERIFY2(run.out.contains(" of live values at op "), run.out.constData());
    QVERIFY2(run.out.contains(" in blocks of 512 B"), run.out.constData());
}

void CliNumbersTest::planFilesHoldWhatMadeThePlan()
{
    const QString plan = file("made.json");
    const auto made = [&](const QStringList& options) {
        const CliRun run = runCli(QStringList{text("plan"), m_resnet, text("--budget"),
                                              text("2100MiB"), text("--export"), plan}
                                  + options);
        return run.exit == 0 ? QJsonDocument::fromJson(tests::fileBytes(plan)).object()
                             : QJsonObject{};
    };
    QCOMPARE(made({})[text("options")][text("slots")].toString(), text("500"));
    const QJsonObject json = made({text("--slots"), text("60"), text("--device"), text("h100"),
                                   text("--reserve"), text("64MiB")});
    QCOMPARE(json[text("options")][text("slots")].toString(), text("60"));
    QCOMPARE(json[text("granularity")].toString(), text("module"));
    QCOMPARE(json[text("runtime")].toString(), text("checkpoint"));
    QCOMPARE(json[text("device")].toString(), text("h100"));
    QCOMPARE(json[text("reserve_bytes")].toInteger(), 64 * kMiB);
    QCOMPARE(json[text("rounding")].toInt(), 512);
    // Read back and written again, they are still there.
    const QString again = file("made-again.json");
    QCOMPARE(runCli({text("export"), m_resnet, plan, text("-o"), again}).exit, 0);
    QVERIFY(tests::fileBytes(again) == tests::fileBytes(plan));
}

void CliNumbersTest::aTinyTimeLimitIsHeldAndSaid_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("exit");
    QTest::newRow("what keeps everything fits") << QStringList{text("--budget"), text("100%")} << 0;
    // One value after the other: hundreds lie between the whole step and this.
    QTest::newRow("nothing fits in time")
        << QStringList{text("--budget"), text("84%"), text("--planner"), text("capuchin")} << 4;
}

void CliNumbersTest::aTinyTimeLimitIsHeldAndSaid()
{
    QFETCH(QStringList, options);
    QFETCH(int, exit);
    const QStringList asked =
        QStringList{text("plan"), samplePath(text("llama_7b")), text("--time-limit"), text("0.001")}
        + options;
    const CliRun run = runCli(asked + QStringList{text("--json")});
    QCOMPARE(run.exit, exit);
    const QJsonObject json = run.json();
    QVERIFY(json[text("stopped")].toBool() && json[text("searched")].toBool());
    QCOMPARE(json[text("verified")].toBool(), exit == 0);
    if (exit == 0)
        return;
    QCOMPARE(json[text("status")].toString(), text("not_found"));
    const CliRun told = runCli(asked);
    QVERIFY2(told.hasOneSentence(), told.error.constData());
    QVERIFY(told.error.contains("The search was stopped early; no plan was found yet within "));
}

} // namespace

PLIMSOLL_TEST(CliNumbersTest, QCoreApplication)
#include "cli_numbers_test.moc"
