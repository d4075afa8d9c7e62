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
    const CliRun told = planned("2304MiB", {text("--json"), text("--export"), planFile()});
    QCOMPARE(told.exit, 0);
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

void CliRunTest::aPlanThatRunsPassesTheCheck()
{
    const CliRun told = planned("3GiB", {text("--export"), planFile()});
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
