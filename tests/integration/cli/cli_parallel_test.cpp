// SPDX-License-Identifier: Apache-2.0
// plan --ddp and --zero: what they add, that check agrees, what is refused.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/graph_file.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::fileBytes;
using tests::runCli;
using tests::samplePath;
using tests::text;

class CliParallelTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void tellsBucketsAndTimes();
    void plansAreCheckedAsOneOfTheProcesses();
    void zeroTakesTheOptimizersStateAway();
    void zeroThreePlansAreCheckedToo();
    void hooksThatMayFireAgainAreFlagged();
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
    QVERIFY(peakOf({text("--zero"), text("2")}) < peakOf({text("--zero"), text("1")}));
    QVERIFY(peakOf({text("--zero"), text("3")}) < peakOf({text("--zero"), text("2")}));
    QCOMPARE(peakOf({text("--zero"), text("0")}), peakOf({}));
}

void CliParallelTest::zeroThreePlansAreCheckedToo()
{
    const QString file = this->file("plan.json");
    const CliRun run =
        runCli({text("plan"), samplePath(text("gpt2")), text("--budget"), text("60%"),
                text("--planner"), text("rotor"), text("--ddp"), text("world=8"), text("--zero"),
                text("3"), text("--export"), file, text("--json")});
    const QJsonObject planned = run.json();
    QVERIFY2(planned[text("verified")].toBool(), run.error.constData());
    QVERIFY(planned[text("peak_bytes")].toInteger() <= planned[text("budget_bytes")].toInteger());
    const QJsonObject parallel = planned[text("data_parallel")].toObject();
    const QJsonArray units = parallel[text("units")].toArray();
    QCOMPARE(units.size(), 13); // 12 blocks and the root
    QVERIFY(units[0][text("root")].toBool());
    QCOMPARE(units[1][text("module")].toString(), text("transformer.h.0"));
    // 124,439,808 parameters of 4 bytes, an eighth and some padding for each process.
    qint64 shards = 0;
    for (const auto& unit : units)
        shards += unit[text("shard_bytes")].toInteger();
    QVERIFY(shards >= qint64{124'439'808} * 4 / 8
            && shards < qint64{124'439'808} * 4 / 8 + 8 * 4096);
    QCOMPARE(parallel[text("reductions")].toArray().size(), 13);
    QVERIFY(parallel[text("gatherings")].toArray().size() >= 13 + 12);
    const CliRun checked = runCli({text("check"), file, samplePath(text("gpt2")), text("--json")});
    QCOMPARE(checked.exit, 0);
    for (const char* key : {"peak_bytes", "step_time_ns", "data_parallel"})
        QCOMPARE(checked.json()[text(key)], planned[text(key)]);
}

/// A chain of linear layers that all use one weight, a region around each few of them.
void CliParallelTest::hooksThatMayFireAgainAreFlagged()
{
    graph::Program program = tests::layeredProgram(60);
    const graph::StorageId shared = program.parameters.front().storage;
    for (const graph::Parameter& parameter : program.parameters)
        for (graph::Tensor& tensor : program.tensors)
            if (tensor.storage == parameter.storage)
                tensor.storage = shared;
    tests::complete(program);
    const QString graph =
        fileWith("shared.plimsoll.json", QByteArray::fromStdString(tests::graphText(program)));
    // By hand: a region around each of the first two layers, ops 0 1 and 3 4 of 28.
    const auto checked = [&](const char* setting) {
        const QString file = this->file("plan.json");
        const CliRun exported =
            runCli({text("plan"), graph, text("--planner"), text("none"), text("--budget"),
                    text("1GiB"), text("--ddp"), text(setting), text("--export"), file});
        if (exported.exit != 0)
            qFatal("%s", exported.error.constData());
        QByteArray labels{R"("labels": [0,0,null,1,1)"};
        for (int op = 5; op < 28; ++op)
            labels += ",null";
        const QByteArray regions{R"("regions": [
            {"label":0,"first":0,"last":1,"members":[{"path":"fc","class":"Linear","call":0}],"nested":[]},
            {"label":1,"first":3,"last":4,"members":[{"path":"fc1","class":"Linear","call":0}],"nested":[]}])"};
        const QByteArray plan = fileBytes(file)
                                    .replace(R"("labels": [])", labels + ']')
                                    .replace(R"("regions": [])", regions);
        return fileWith("by_hand.json", plan);
    };
    const CliRun told = runCli({text("check"), checked("world=2"), graph, text("--json")});
    QCOMPARE(told.exit, 0);
    const QJsonArray warnings = told.json()[text("warnings")].toArray();
    QCOMPARE(warnings.size(), 1);
    QVERIFY(warnings[0].toString().startsWith(text("Used in several regions: fc.weight. ")));
    for (const char* wayOut : {"non-reentrant", "static_graph=True", "manual reduction."})
        QVERIFY(warnings[0].toString().contains(QString::fromUtf8(wayOut)));
    const CliRun shown = runCli({text("check"), checked("world=2"), graph});
    QVERIFY2(shown.out.contains("warning     Used in several regions: fc.weight. "),
             shown.out.constData());
    const CliRun byHand = runCli({text("check"), checked("world=2,manual"), graph, text("--json")});
    QCOMPARE(byHand.exit, 0);
    QVERIFY(byHand.json()[text("warnings")].toArray().isEmpty());
}

void CliParallelTest::refusesInOneSentence_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("world") << QStringList{text("--ddp"), text("views")}
                           << QByteArray{"world is missing"};
    QTest::newRow("word") << QStringList{text("--ddp"), text("world=2,fast")}
                          << QByteArray{"\"fast\" is not one of"};
    QTest::newRow("zero alone") << QStringList{text("--zero"), text("1")}
                                << QByteArray{"--zero needs --ddp"};
    QTest::newRow("empty") << QStringList{text("--ddp"), QString{}} << QByteArray{"--ddp is empty"};
    QTest::newRow("blank") << QStringList{text("--ddp"), text(" ")} << QByteArray{"--ddp is empty"};
    QTest::newRow("zero 2, views")
        << QStringList{text("--ddp"), text("world=2,views"), text("--zero"), text("2")}
        << QByteArray{"leave views out"};
    QTest::newRow("zero 4") << QStringList{text("--ddp"), text("world=2"), text("--zero"),
                                           text("4")}
                            << QByteArray{"--zero"};
    QTest::newRow("zero 3, op") << QStringList{text("--ddp"),         text("world=2"),
                                               text("--zero"),        text("3"),
                                               text("--granularity"), text("op"),
                                               text("--planner"),     text("rotor")}
                                << QByteArray{"hooks of modules"};
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

PLIMSOLL_TEST(CliParallelTest, plimsoll::tests::NoApplication)
#include "cli_parallel_test.moc"
