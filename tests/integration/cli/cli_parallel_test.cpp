// SPDX-License-Identifier: Apache-2.0
// plan --ddp and --zero: what they add, that check agrees, what is refused.
#include "tests/integration/cli/cli_runner.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::fileBytes;
using tests::runCli;
using tests::text;

class CliParallelTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void tellsBucketsAndTimes();
    void plansAreCheckedAsOneOfTheProcesses();
    void zeroTakesTheOptimizersStateAway();
    void refusesInOneSentence_data();
    void refusesInOneSentence();

private:
    [[nodiscard]] CliRun plan(const QStringList& options) const
    {
        return runCli(
            QStringList{text("plan"), m_resnet, text("--budget"), text("80%"), text("--json")}
            + options);
    }
};

void CliParallelTest::tellsBucketsAndTimes()
{
    const QJsonObject alone = plan({}).json();
    QVERIFY(alone[text("data_parallel")].isNull());
    const QJsonObject told =
        plan({text("--ddp"), text("world=8,busbw=100GB/s,latency=5us")}).json();
    QVERIFY(told[text("verified")].toBool());
    const QJsonObject parallel = told[text("data_parallel")].toObject();
    QCOMPARE(parallel[text("world")], 8);
    QVERIFY(parallel[text("bucket_bytes")].isNull()); // PyTorch's own
    const QJsonArray reductions = parallel[text("reductions")].toArray();
    const QJsonArray buckets = parallel[text("buckets")].toArray();
    QCOMPARE(buckets.size(), reductions.size());
    qint64 bytes = 0;
    qint64 gradients = 0;
    qint64 end = 0;
    qint64 rounded = 0;
    for (const auto& row : reductions) {
        bytes += row[text("bytes")].toInteger();
        gradients += row[text("gradients")].toInteger();
        rounded += (row[text("bytes")].toInteger() + 511) / 512 * 512;
        QVERIFY(row[text("begin_ns")].toInteger() >= row[text("ready_ns")].toInteger());
        QVERIFY(row[text("begin_ns")].toInteger() >= end);
        end = row[text("end_ns")].toInteger();
    }
    // ResNet-18: 11,689,512 parameters of 4 bytes, in 62 tensors; the last ones are ready first.
    QCOMPARE(bytes, qint64{4} * 11'689'512);
    QCOMPARE(gradients, qint64{62});
    QCOMPARE(buckets[0][0].toString(), text("fc.bias"));
    QCOMPARE(told[text("base_peak_bytes")].toInteger(),
             alone[text("base_peak_bytes")].toInteger() + rounded);
    const qint64 exposed = parallel[text("exposed_time_ns")].toInteger();
    QVERIFY(exposed > 0 && exposed < parallel[text("reduce_time_ns")].toInteger());
    // 20 batch norms have running statistics to hand on.
    QVERIFY(parallel[text("sync_time_ns")].toInteger() > qint64{60} * 4000);
    QVERIFY(told[text("step_time_ns")].toInteger()
            >= alone[text("base_step_time_ns")].toInteger() + exposed);
}

void CliParallelTest::plansAreCheckedAsOneOfTheProcesses()
{
    const QString file = this->file("plan.json");
    const QJsonObject planned =
        plan({text("--ddp"), text("world=4,views"), text("--export"), file}).json();
    QVERIFY(planned[text("verified")].toBool());
    const CliRun checked = runCli({text("check"), file, m_resnet, text("--json")});
    QCOMPARE(checked.exit, 0);
    for (const char* key : {"peak_bytes", "step_time_ns", "data_parallel", "warnings"})
        QCOMPARE(checked.json()[text(key)], planned[text(key)]);
    const QJsonObject seen = runCli({text("inspect"), file, text("--json")}).json();
    QVERIFY(QString::fromUtf8(QJsonDocument{seen}.toJson()).contains(text("world=4,")));
    // A file that says something else is refused, in a sentence.
    const QByteArray damaged = fileBytes(file).replace("world=4", "world=x");
    QFile out{file};
    QVERIFY(out.open(QIODevice::WriteOnly) && out.write(damaged) == damaged.size());
    out.close();
    const CliRun refused = runCli({text("check"), file, m_resnet});
    QVERIFY(refused.exit != 0);
    QVERIFY(refused.error.contains("world must be a whole number"));
}

void CliParallelTest::zeroTakesTheOptimizersStateAway()
{
    const auto peakOf = [this](const QStringList& options) {
        return plan(QStringList{text("--ddp"), text("world=8")} + options)
            .json()[text("base_peak_bytes")]
            .toInteger();
    };
    QVERIFY(peakOf({text("--zero"), text("1")}) < peakOf({}));
    QCOMPARE(peakOf({text("--zero"), text("0")}), peakOf({}));
}

void CliParallelTest::refusesInOneSentence_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("world") << QStringList{text("--ddp"), text("views")}
                           << QByteArray{"world is missing"};
    QTest::newRow("word") << QStringList{text("--ddp"), text("world=2,fast")}
                          << QByteArray{"\"fast\" is none of"};
    QTest::newRow("zero alone") << QStringList{text("--zero"), text("1")}
                                << QByteArray{"--zero needs --ddp"};
    QTest::newRow("zero 3") << QStringList{text("--ddp"), text("world=2"), text("--zero"),
                                           text("3")}
                            << QByteArray{"ZeRO-2 and ZeRO-3"};
    QTest::newRow("step") << QStringList{text("--ddp"), text("world=2"), text("--runtime"),
                                         text("step")}
                          << QByteArray{"manual reduction"};
}

void CliParallelTest::refusesInOneSentence()
{
    QFETCH(QStringList, options);
    QFETCH(QByteArray, says);
    const CliRun run = plan(options);
    QCOMPARE(run.exit, 2);
    QVERIFY2(run.error.contains(says), run.error.constData());
    QCOMPARE(run.error.trimmed().count('\n'), 0);
}

} // namespace

QTEST_APPLESS_MAIN(CliParallelTest)
#include "cli_parallel_test.moc"
