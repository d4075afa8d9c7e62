// SPDX-License-Identifier: Apache-2.0
// plan --times: times of ops from a trace of torch.profiler.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/op_trace.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::OpTrace;
using tests::runCli;
using tests::text;

QByteArray bytes(const OpTrace& trace, const char* device = "NVIDIA H100 80GB HBM3")
{
    return QByteArray::fromStdString(trace.text(device));
}

class CliTimesTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_trace = fileWith("run.pt.trace.json", bytes(tests::tinyStep())); }

    void aPlanHasTheTimes()
    {
        const QJsonObject modelled = planned({});
        QVERIFY(modelled[text("times")].isNull());
        const QJsonObject json = planned({text("--times"), m_trace});
        const QJsonObject times = json[text("times")].toObject();
        QCOMPARE(times[text("from")].toString(), m_trace);
        QCOMPARE(times[text("step")].toString(), text("ProfilerStep#5"));
        QCOMPARE(times[text("device")].toString(), text("NVIDIA H100 80GB HBM3"));
        QCOMPARE(times[text("recorded_ns")].toInteger(), 1772323200000100000);
        QCOMPARE(times[text("measured_ops")].toInt(), 7);
        QCOMPARE(times[text("modelled_ops")].toInt(), 1);
        QCOMPARE(times[text("measured_time_ns")].toInt(), 143000);
        QCOMPARE(times[text("other_time_ns")].toInt(), 7000); // the mean
        const int sum = times[text("modelled_time_ns")].toInt();
        QVERIFY(sum > 0);
        QCOMPARE(json[text("base_step_time_ns")].toInt(), 143000 + sum);
        QVERIFY(json[text("base_step_time_ns")] != modelled[text("base_step_time_ns")]);
        QCOMPARE(json[text("base_peak_bytes")], modelled[text("base_peak_bytes")]);
        QVERIFY(times[text("notes")].toArray().isEmpty());
    }

    void textSaysWhereTheyAreFrom()
    {
        const CliRun run = runCli(
            {text("plan"), m_tiny, text("--budget"), text("100%"), text("--times"), m_trace});
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.out.contains("  times       7 of 8 ops measured in ProfilerStep#5 of "
                                  "run.pt.trace.json, NVIDIA H100 80GB HBM3, 2026-03-01\n"
                                  "              1 other op, "),
                 run.out);
        QVERIFY2(
            run.out.contains(" of the step's time, is estimated for A100 80GB SXM\n"
                             "              7.00 µs of the GPU's work in that step are no op of "
                             "the graph's\n"),
            run.out);
    }

    void aGraphSaysThatItHasTimes()
    {
        const QString timed = file("timed.plimsoll.json");
        const CliRun made =
            runCli({text("export"), m_tiny, text("--times"), m_trace, text("-o"), timed});
        QVERIFY2(made.exit == 0, made.error);
        const QStringList plan{text("plan"), timed, text("--budget"), text("100%")};
        const CliRun run = runCli(plan);
        QVERIFY2(run.out.contains("  times       7 of 8 ops: the graph's file has their times\n"
                                  "              7 of 8 ops measured in ProfilerStep#5 of "
                                  "run.pt.trace.json, NVIDIA H100 80GB HBM3, 2026-03-01; those of "
                                  "the other ops follow from flops and bytes\n"
                                  "              1 other op, "),
                 run.out);
        const QJsonObject times =
            runCli(plan + QStringList{text("--json")}).json()[text("times")].toObject();
        QVERIFY(times[text("from")].isNull());
        QCOMPARE(times[text("measured_ops")].toInt(), 7);
        QCOMPARE(times[text("measured_time_ns")].toInt(), 143000);
        QCOMPARE(times[text("notes")].toArray().size(), 1);
    }

    void aPlanIsCheckedWithItsTimes()
    {
        const QString plan = file("plan.json");
        QVERIFY(!planned({text("--times"), m_trace, text("--export"), plan}).isEmpty());
        const CliRun checked =
            runCli({text("check"), plan, m_tiny, text("--times"), m_trace, text("--json")});
        QVERIFY2(checked.exit == 0, checked.error);
        QCOMPARE(checked.json()[text("times")].toObject()[text("measured_ops")].toInt(), 7);
        const CliRun without = runCli({text("check"), plan, m_tiny});
        QCOMPARE(without.exit, 5); // the file says other times
        QVERIFY2(without.error.contains("step_time_ns"), without.error);
        QVERIFY2(without.error.contains("hint: only times differ; "), without.error);
    }

    void refusesWithASentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("another step")
            << QStringList{text("--times"),
                           fileWith("other.json",
                                    bytes(OpTrace{}.op("aten::mm", 4).op("aten::mul", 4)))}
            << 3
            << text("is not a recording of this graph's step: of its 7 ops that compute 1 is found "
                    "in the whole recording; the first that isn't is op 2, act · aten.relu, "
                    "where the recording has aten::mul.");
        OpTrace large;
        for (const char* name :
             {"aten::mm", "aten::relu", "aten::ones_like", "aten::threshold_backward", "aten::mm"})
            large.op(name, 1, "[[8, 4]]");
        QTest::newRow("another size")
            << QStringList{text("--times"), fileWith("large.json", bytes(large))} << 3
            << text("was recorded at another size than the graph's:");
        QTest::newRow("no kernels")
            << QStringList{text("--times"),
                           fileWith("cpu.json", bytes(OpTrace{}.op("aten::mm", 0)))}
            << 3 << text("has no kernels of a GPU.");
        QTest::newRow("no trace") << QStringList{text("--times"), m_tiny} << 3
                                  << text("is a graph, not a profile");
        QTest::newRow("a table") << QStringList{text("--times"),
                                                fileWith("a.csv", "bytes,alloc_event\n1,2\n")}
                                 << 3 << text("has no kernels; record a trace of torch.profiler");
        QTest::newRow("missing") << QStringList{text("--times"), file("none.json")} << 3
                                 << text("none.json");
    }
    void refusesWithASentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exit);
        QFETCH(QString, sentence);
        const CliRun run =
            runCli(QStringList{text("plan"), m_tiny, text("--budget"), text("100%")} + arguments);
        QCOMPARE(run.exit, exit);
        QVERIFY2(run.error.contains(sentence.toUtf8()), run.error);
        QCOMPARE(run.error.count('\n'), 1);
    }

    void tablesDontTakeThem()
    {
        const CliRun run =
            runCli({text("plan"), m_tiny, text("--devices"), text("l4"), text("--times"), m_trace});
        QCOMPARE(run.exit, 2);
        QVERIFY2(run.error.contains("--times has no effect on the table of --devices"), run.error);
    }

    void theStandInIsNamed()
    {
        const QString trace =
            fileWith("stand-in.json", bytes(tests::tinyStep(), "stand-in GPU (80 GiB)"));
        const QJsonArray notes =
            planned({text("--times"), trace})[text("times")].toObject()[text("notes")].toArray();
        QCOMPARE(notes.size(), 1);
        QVERIFY(notes.first().toString().contains(text("these are not the times of a GPU")));
    }

private:
    [[nodiscard]] QJsonObject planned(const QStringList& more) const
    {
        const CliRun run =
            runCli(QStringList{text("plan"), m_tiny, text("--budget"), text("100%"), text("--json")}
                   + more);
        if (run.exit != 0)
            qWarning("%s", run.error.constData());
        return run.json();
    }

    QString m_tiny{QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/data/tiny.plimsoll.json")};
    QString m_trace;
};

} // namespace

PLIMSOLL_TEST(CliTimesTest, QCoreApplication)
#include "cli_times_test.moc"
