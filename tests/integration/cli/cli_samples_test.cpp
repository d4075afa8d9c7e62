// SPDX-License-Identifier: Apache-2.0
// Every shipped graph gets a verified plan within 85 % of its peak, or the proof that there is
// none; four budgets of two of them, whole. The two that take longest are planned in a normal run
// by samples_open_test alone.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/golden.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QTest>

#include <cmath>

using namespace plimsoll;
using namespace plimsoll::tests;

namespace {

bool isPlannedByCli(std::string_view sample)
{
    const bool isLong = sample == "densenet121" || sample == "llama_7b";
    return isPlannedHere(sample) && (!isLong || isExhaustive());
}

class CliSamplesTest : public QObject, private CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void plansOrProvesThatThereIsNone_data();
    void plansOrProvesThatThereIsNone();
    void fourBudgetsAreMetAndTheirExportsPassTheCheck_data();
    void fourBudgetsAreMetAndTheirExportsPassTheCheck();
};

void CliSamplesTest::plansOrProvesThatThereIsNone_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<bool>("isPlanned");
    // A prompt without a training step keeps nothing that could be computed again.
    for (const std::string& name : tests::sampleNames())
        if (isPlannedByCli(name))
            QTest::newRow(name.c_str()) << QString::fromStdString(name) << (name != "gpt2_prompt");
}

void CliSamplesTest::plansOrProvesThatThereIsNone()
{
    QFETCH(QString, sample);
    QFETCH(bool, isPlanned);
    const QString plan = file("plan.json");
    const CliRun run = runCli({text("plan"), samplePath(sample), text("--budget"), text("85%"),
                               text("--export"), plan, text("--json")});
    const QJsonObject json = run.json();
    qInfo("%s: planned in %.2f s", qPrintable(sample), json[text("seconds")].toDouble());
    QCOMPARE(json[text("verified")].toBool(), isPlanned);
    const qint64 budget = json[text("budget_bytes")].toInteger();
    if (!isPlanned) {
        QCOMPARE(json[text("status")].toString(), text("infeasible"));
        QVERIFY(json[text("lower_bound_peak_bytes")].toInteger() > budget);
        return;
    }
    QVERIFY2(run.exit == 0, run.error.constData());
    QVERIFY(json[text("peak_bytes")].toInteger() <= budget);
    const CliRun check = runCli({text("check"), plan, samplePath(sample), text("--json")});
    QVERIFY2(check.exit == 0, check.error.constData());
}

void CliSamplesTest::fourBudgetsAreMetAndTheirExportsPassTheCheck_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<qint64>("budget");
    QTest::addColumn<bool>("recomputes");
    QTest::newRow("ResNet-18 at 2100 MiB") << text("resnet18") << 2100 * kMiB << true;
    QTest::newRow("ResNet-18 at 3000 MiB") << text("resnet18") << 3000 * kMiB << false;
    if (!isPlannedByCli("densenet121"))
        return;
    QTest::newRow("DenseNet-121 at 8100 MiB") << text("densenet121") << 8100 * kMiB << true;
    QTest::newRow("DenseNet-121 at 17000 MiB") << text("densenet121") << 17000 * kMiB << false;
}

void CliSamplesTest::fourBudgetsAreMetAndTheirExportsPassTheCheck()
{
    QFETCH(QString, sample);
    QFETCH(qint64, budget);
    QFETCH(bool, recomputes);
    const QString plan = file("four.json");
    const CliRun run = runCli({text("plan"), samplePath(sample), text("--budget"),
                               QString::number(budget / kMiB) + text("MiB"), text("--prefer"),
                               text("fastest"), text("--export"), plan, text("--json")});
    QVERIFY2(run.exit == 0, run.error.constData());
    const QJsonObject json = run.json();
    QCOMPARE(keysMissing(json, text("status planner options device budget_bytes peak_bytes "
                                    "peak_op base_peak_bytes lower_bound_peak_bytes step_time_ns "
                                    "base_step_time_ns recompute_time_ns transfer_time_ns "
                                    "time_bound_ns overhead_percent verified recomputed labels "
                                    "regions frontier seconds")
                                   .split(u' ')),
             QStringList{});
    QVERIFY(json[text("verified")].toBool());
    QCOMPARE(json[text("budget_bytes")].toInteger(), budget);
    QVERIFY(json[text("peak_bytes")].toInteger() <= budget);
    QVERIFY(json[text("peak_bytes")].toInteger()
            >= json[text("lower_bound_peak_bytes")].toInteger());
    const auto time = [&json](const char* key) { return json[text(key)].toDouble(); };
    QVERIFY(time("step_time_ns") >= time("time_bound_ns"));
    const double gap =
        100 * (time("step_time_ns") - time("time_bound_ns")) / time("base_step_time_ns");
    QVERIFY(std::abs(time("gap_percent") - gap) < 1e-9);
    QCOMPARE(json[text("regions")].toArray().isEmpty(), !recomputes);
    QCOMPARE(json[text("labels")].toArray().isEmpty(), !recomputes);
    QCOMPARE(json[text("recomputed")].toArray().isEmpty(), !recomputes);
    if (!recomputes)
        QCOMPARE(json[text("status")].toString(), text("optimal"));

    const CliRun check = runCli({text("check"), plan, samplePath(sample), text("--json")});
    QVERIFY2(check.exit == 0, check.error.constData());
    QVERIFY(check.json()[text("verified")].toBool());
    QCOMPARE(check.json()[text("peak_bytes")], json[text("peak_bytes")]);
    QCOMPARE(check.json()[text("labels")], json[text("labels")]);
    QCOMPARE(check.json()[text("packed_height_bytes")], json[text("packed_height_bytes")]);
    QCOMPARE(check.json()[text("reserved_bytes")], json[text("reserved_bytes")]);
}

} // namespace

PLIMSOLL_TEST(CliSamplesTest, QCoreApplication)
#include "cli_samples_test.moc"
