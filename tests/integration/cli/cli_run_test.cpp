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
    void tellsWhatWouldHelp();
    void eachRowOfTheFrontierIsTheAnswerThere();
    void comparesPlannersAtThePeakOfThePlan();
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

/// Where expandable segments let a better plan run, and from which budget on one runs without them.
void CliRunTest::tellsWhatWouldHelp()
{
    const QStringList expandable{text("--json"), text("--alloc-conf"),
                                 text("expandable_segments:True")};
    for (const char* budget : {"1945MiB", "2304MiB", "2560MiB"}) {
        const QJsonObject json = planned(budget, {text("--json")}).json();
        const QJsonObject run = json[text("run")].toObject();
        const QJsonObject other = planned(budget, expandable).json();
        const QJsonObject told = run[text("expandable_plan")].toObject();
        QCOMPARE(told[text("status")], other[text("run")].toObject()[text("status")]);
        QCOMPARE(told[text("step_time_ns")], other[text("step_time_ns")]);
        QCOMPARE(told[text("peak_bytes")], other[text("peak_bytes")]);
        QVERIFY(other[text("run")].toObject()[text("expandable_plan")].isNull());
        const bool isFailing = run[text("status")].toString() == text("fails");
        QCOMPARE(isFailing, QByteArray{budget} == "1945MiB");
        QCOMPARE(json[text("runs_from_bytes")].isNull(), !isFailing);
        const CliRun words = planned(budget);
        QVERIFY(words.out.contains("With expandable_segments:True a plan of "));
        QCOMPARE(words.out.contains("  runs from   2.27 GiB, "), isFailing);
    }
    // At that budget one runs without flushes, and a MiB below it none.
    const QJsonObject missed = planned("1536MiB", {text("--json")}).json();
    QVERIFY(missed[text("run")].isNull());
    const qint64 from = missed[text("runs_from_bytes")].toInteger();
    const auto statusAt = [this](qint64 budget) {
        return planned(QByteArray::number(budget).constData(), {text("--json")})
            .json()[text("run")]
            .toObject()[text("status")]
            .toString();
    };
    QCOMPARE(statusAt(from), text("runs"));
    QVERIFY(statusAt(from - (1 << 21)) != text("runs"));
    // A search that never began knows too little.
    QVERIFY(planned("1GiB", {text("--json")}).json()[text("runs_from_bytes")].isNull());
}

void CliRunTest::eachRowOfTheFrontierIsTheAnswerThere()
{
    const QJsonObject json =
        planned("100%", {text("--json"), text("--frontier"), text("4")}).json();
    const QJsonArray points = json[text("frontier")].toArray();
    QCOMPARE(points.size(), 4);
    for (const QJsonValue point : points) {
        const QByteArray budget = QByteArray::number(point[text("budget_bytes")].toInteger());
        const QJsonObject at = planned(budget.constData(), {text("--json")}).json();
        QCOMPARE(at[text("step_time_ns")], point[text("step_time_ns")]);
        QCOMPARE(at[text("peak_bytes")], point[text("peak_bytes")]);
        QCOMPARE(at[text("run")][text("status")].toString(), text("runs"));
    }
    const QJsonObject byPeak = planned("100%", {text("--json"), text("--frontier"), text("4"),
                                                text("--prefer"), text("fastest")})
                                   .json();
    QCOMPARE(byPeak[text("frontier")].toArray().last()[text("budget_bytes")],
             json[text("base_peak_bytes")]);
}

void CliRunTest::comparesPlannersAtThePeakOfThePlan()
{
    const QJsonObject json = planned("2560MiB", {text("--json")}).json();
    for (const QJsonValue row : json[text("planners")].toArray()) {
        QCOMPARE(row.toObject()[text("peak_limit_bytes")], json[text("peak_bytes")]);
        QVERIFY(row.toObject()[text("peak_bytes")].toDouble()
                <= json[text("peak_bytes")].toDouble());
    }
    const CliRun words = planned("2560MiB"); // every-block has plans of 1.95 GiB and more
    QVERIFY(words.out.contains("  planners    by peak (at most 1.76 GiB, this plan's) and time"));
    QVERIFY(words.out.contains("  every-block no plan with so low a peak\n"));
    QVERIFY(!words.out.contains("no plan within the budget\n"));
    const CliRun ample = planned("2900MiB", {text("--prefer"), text("fastest")});
    QVERIFY(!ample.out.contains("  planners "));
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
