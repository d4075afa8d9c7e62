// SPDX-License-Identifier: Apache-2.0
// Every shipped graph gets a verified plan within 85 % of its peak, or the proof that there is
// none.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/golden.h"
#include "tests/support/sanitized.h"

#include <QTest>

namespace plimsoll::tests {

namespace {

class CliSamplesTest : public QObject, private CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void plansOrProvesThatThereIsNone_data();
    void plansOrProvesThatThereIsNone();
};

void CliSamplesTest::plansOrProvesThatThereIsNone_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<bool>("isPlanned");
    // A prompt without a training step keeps nothing that could be computed again.
    for (const std::string& name : support::sampleNames())
        if (isPlannedHere(name))
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

} // namespace

} // namespace plimsoll::tests

QTEST_GUILESS_MAIN(plimsoll::tests::CliSamplesTest)
#include "cli_samples_test.moc"
