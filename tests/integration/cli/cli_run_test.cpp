// SPDX-License-Identifier: Apache-2.0
// Whether a plan runs in PyTorch's allocator: what `plan` says, and `check --runs`.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

class CliRunTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void aPlanThatFailsIsToldAndFailsTheCheck();
    void aPlanThatRunsIsPreferred();
    void aPlanThatRunsPassesTheCheck();
    void settingsChangeTheAnswer();
    void refusesSettings_data();
    void refusesSettings();

private:
    [[nodiscard]] CliRun planned(const char* budget, const QStringList& more = {}) const
    {
        return runCli(QStringList{text("plan"), m_resnet, text("--budget"), text(budget)} + more);
    }
    [[nodiscard]] QString planFile() const { return file("plan.json"); }
};

void CliRunTest::aPlanThatFailsIsToldAndFailsTheCheck()
{
    const CliRun told = planned("2304MiB", {text("--prefer"), text("fastest"), text("--json"),
                                            text("--export"), planFile()});
    QCOMPARE(told.exit, 0);
    QVERIFY(told.json()[text("run")].toObject()[text("passed_over")].isNull());
    const QJsonObject run = told.json()[text("run")].toObject();
    QCOMPARE(run[text("status")].toString(), text("fails"));
    QCOMPARE(run[text("settings")].toString(), text("expandable_segments:False"));
    const QJsonObject failure = run[text("fails_at")].toObject();
    QVERIFY(failure[text("asked_bytes")].toDouble() > failure[text("free_bytes")].toDouble());
    QVERIFY(failure[text("asked_bytes")].toDouble()
            > failure[text("largest_block_bytes")].toDouble());
    QVERIFY(run[text("runs_at_bytes")].toDouble() > 2304.0 * 1024 * 1024);
    QCOMPARE(run[text("flushes_by_iteration")].toArray().size(),
             failure[text("iteration")].toInt());

    const CliRun check =
        runCli({text("check"), planFile(), m_resnet, text("--runs"), text("--json")});
    QCOMPARE(check.exit, 5);
    QCOMPARE(check.json()[text("run")], QJsonValue{run});
    QCOMPARE(check.json()[text("faults")].toArray().first().toObject()[text("kind")].toString(),
             text("out_of_memory"));
    QCOMPARE(runCli({text("check"), planFile(), m_resnet}).exit, 0);
}

/// At 3 GiB the unplanned step needs flushes, and plans that need none are slower.
void CliRunTest::aPlanThatRunsIsPreferred()
{
    const QJsonObject fastest =
        planned("3GiB", {text("--json"), text("--prefer"), text("fastest")}).json();
    QCOMPARE(fastest[text("run")].toObject()[text("status")].toString(), text("runs_with_flushes"));
    const CliRun told = planned("3GiB", {text("--json"), text("--export"), planFile()});
    const QJsonObject json = told.json();
    const QJsonObject run = json[text("run")].toObject();
    QCOMPARE(run[text("status")].toString(), text("runs"));
    QCOMPARE(run[text("flushes")].toInt(), 0);
    const QJsonObject passed = run[text("passed_over")].toObject();
    QVERIFY(passed[text("plans")].toInt() > 0);
    QCOMPARE(passed[text("fastest_status")].toString(), text("runs_with_flushes"));
    QCOMPARE(passed[text("fastest_peak_bytes")], fastest[text("peak_bytes")]);
    QCOMPARE(passed[text("fastest_step_time_ns")], fastest[text("step_time_ns")]);
    QVERIFY(json[text("step_time_ns")].toDouble() > fastest[text("step_time_ns")].toDouble());
    QVERIFY(json[text("reserved_bytes")].toDouble() <= 3.0 * 1024 * 1024 * 1024);
    // Planners are compared at the memory that the plan needs: none is faster there.
    for (const QJsonValue row : json[text("planners")].toArray()) {
        const QJsonValue time = row.toObject()[text("step_time_ns")];
        QVERIFY(time.isNull() || time.toDouble() >= json[text("step_time_ns")].toDouble());
    }
    QCOMPARE(runCli({text("check"), planFile(), m_resnet, text("--runs")}).exit, 0);
    const CliRun words = planned("3GiB");
    QVERIFY(words.out.contains("  will run    yes (expandable_segments:False)\n"));
    QVERIFY(words.out.contains(" faster plans within the budget were passed over: with the "
                               "fastest, "));
    QVERIFY(words.out.contains("PyTorch's allocator has to empty its cache to find memory\n"));
}

void CliRunTest::aPlanThatRunsPassesTheCheck()
{
    const CliRun told = planned("2304MiB", {text("--export"), planFile()});
    QVERIFY(told.out.contains("will run    yes, but PyTorch empties its cache"));
    QVERIFY(planned("8GiB").out.contains("will run    yes (expandable_segments:False)"));
    const CliRun check = runCli({text("check"), planFile(), m_resnet, text("--runs")});
    QCOMPARE(check.exit, 0);
    QVERIFY(check.out.contains("yes, but PyTorch empties its cache"));
}

void CliRunTest::settingsChangeTheAnswer()
{
    const QString settings = text("expandable_segments:True");
    const CliRun told = planned("3GiB", {text("--json"), text("--alloc-conf"), settings});
    const QJsonObject run = told.json()[text("run")].toObject();
    QCOMPARE(run[text("status")].toString(), text("runs"));
    QCOMPARE(run[text("settings")].toString(), settings);
    QVERIFY(planned("8GiB", {text("--alloc-conf"), text(" ")})
                .out.contains("yes (expandable_segments:False)"));
}

void CliRunTest::refusesSettings_data()
{
    QTest::addColumn<QString>("settings");
    QTest::addColumn<QString>("why");
    QTest::newRow("unknown") << text("max_split:3") << text("PyTorch has no option \"max_split\".");
    QTest::newRow("too large") << text("max_split_size_mb:99999999999999999999")
                               << text("max_split_size_mb is too large: 99999999999999999999.");
}

void CliRunTest::refusesSettings()
{
    QFETCH(QString, settings);
    QFETCH(QString, why);
    const CliRun run = planned("3GiB", {text("--alloc-conf"), settings});
    QCOMPARE(run.exit, 2);
    QVERIFY2(QString::fromUtf8(run.error).contains(
                 text("--alloc-conf, as PYTORCH_CUDA_ALLOC_CONF: ") + why),
             run.error.constData());
    // Without --runs nothing is asked of the allocator.
    QCOMPARE(runCli({text("check"), planFile(), m_resnet, text("--alloc-conf"),
                     text("expandable_segments:True")})
                 .exit,
             2);
}

} // namespace

PLIMSOLL_TEST(CliRunTest, QCoreApplication)
#include "cli_run_test.moc"
