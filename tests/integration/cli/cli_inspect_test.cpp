// SPDX-License-Identifier: Apache-2.0
// inspect on files that aren't graphs, and what verbs say that were given the wrong kind.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/saved_session.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

int regionsIn(const QJsonArray& regions)
{
    int count = 0;
    for (const QJsonValue region : regions)
        count += 1 + regionsIn(region.toObject()[text("nested")].toArray());
    return count;
}

class CliInspectTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void tellsWhatAPlanSays_data();
    void tellsWhatAPlanSays();
    void tellsWhatAMeasurementSays();
    void tellsWhatAMemoryProfileSays();
    void readsAPlanAsStrictlyAsItsGraphDoes_data();
    void readsAPlanAsStrictlyAsItsGraphDoes();
    void optionsOfGraphsAreRefused();
    void namesTheKindOfFileThatIsNoGraph();
    void tellsWhenValuesWait();

private:
    [[nodiscard]] QJsonObject planned(const QString& path, const QStringList& options) const
    {
        return runCli(QStringList{text("plan"), m_resnet, text("--json"), text("--export"), path}
                      + options)
            .json();
    }

    QString m_measurement =
        text(PLIMSOLL_SOURCE_DIR "/tests/fuzz/corpus/fuzz_measurement/two-runs.json");
    QString m_profile =
        text(PLIMSOLL_SOURCE_DIR "/tests/fuzz/corpus/fuzz_torch_snapshot/protocol-4.pickle");
};

void CliInspectTest::tellsWhatAPlanSays_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("told");
    const auto row = [](const char* name, const QByteArray& options, const char* told) {
        QTest::newRow(name) << QString::fromUtf8(options).split(u' ') << QByteArray{told};
    };
    row("nothing recomputed", "--budget 200%", "  recomputes  0 regions between modules\n");
    row("between modules", "--budget 75%", "  recomputes  3 regions between modules\n");
    row("between ops, frozen", "--budget 80% --granularity op --freeze-stats on",
        " between ops, statistics frozen\n");
    row("step", "--budget 80% --runtime step", "  runtime     step: plimsoll.compile_step()\n");
}

void CliInspectTest::tellsWhatAPlanSays()
{
    QFETCH(QStringList, options);
    QFETCH(QByteArray, told);
    const QString path = file("plan.json");
    const QJsonObject plan = planned(path, options);
    const QJsonObject json = runCli({text("inspect"), path, text("--json")}).json();
    QCOMPARE(json[text("kind")].toString(), text("plan"));
    QCOMPARE(json[text("format")].toString(), text("plimsoll-plan"));
    const QJsonObject summary = json[text("summary")].toObject();
    QCOMPARE(summary[text("name")].toString(), text("ResNet-18"));
    for (const char* key :
         {"planner", "runtime", "granularity", "freeze_stats", "device", "budget_bytes",
          "reserve_bytes", "peak_bytes", "peak_op", "base_peak_bytes", "step_time_ns",
          "base_step_time_ns", "recompute_time_ns"})
        QCOMPARE(summary[text(key)], plan[text(key)]);
    QCOMPARE(summary[text("regions")].toInt(), regionsIn(plan[text("regions")].toArray()));
    QCOMPARE(summary[text("places")].toInt(),
             plan[text("schedule")].toObject()[text("again")].toArray().size());
    const CliRun run = runCli({text("inspect"), path});
    QCOMPARE(run.exit, 0);
    QVERIFY2(run.out.startsWith("plan for ResNet-18 (128x3x224x224 float32, 128 int64)\n"),
             run.out.constData());
    QVERIFY2(run.out.contains(told), run.out.constData());
    QVERIFY(run.out.contains("check PLAN GRAPH"));
}

void CliInspectTest::tellsWhatAMeasurementSays()
{
    const QJsonObject json = runCli({text("inspect"), m_measurement, text("--json")}).json();
    QCOMPARE(json[text("kind")].toString(), text("measurement"));
    const QJsonObject summary = json[text("summary")].toObject();
    QCOMPARE(summary[text("model_class")].toString(), text("Toy"));
    const QJsonArray runs = summary[text("runs")].toArray();
    QCOMPARE(runs.size(), 2);
    QCOMPARE(runs.at(0)[text("allocator_peak_bytes")].toInt(), 310);
    QVERIFY(runs.at(0)[text("reserved_peak_bytes")].isNull());
    QVERIFY(runs.at(0)[text("plan")].isNull());
    QCOMPARE(runs.at(1)[text("plan")][text("planner")].toString(), text("rotor"));
    const CliRun run = runCli({text("inspect"), m_measurement});
    QVERIFY2(run.out.startsWith("measurement of toy\n  on cpu with torch 2.15.0\n"),
             run.out.constData());
    QVERIFY(run.out.contains("median of 1 step\n"));
    // Several files at once, of any kind.
    const CliRun both = runCli({text("inspect"), m_measurement, m_resnet, text("--json")});
    QCOMPARE(both.json()[text("files")].toArray().at(1)[text("kind")].toString(), text("program"));
}

void CliInspectTest::readsAPlanAsStrictlyAsItsGraphDoes_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* name, const char* from, const char* to, const char* named) {
        QTest::newRow(name) << QByteArray{from} << QByteArray{to} << QByteArray{named};
    };
    row("newer version", "\"version\": 1", "\"version\": 9", "reads up to 1");
    row("no budget", "\"budget_bytes\"", "\"budget\"", "budget_bytes is missing");
    row("regions are text", "\"nested\":[]", R"("nested":"")", ".nested must be an array");
    row("a region is a number", "\"nested\":[]", "\"nested\":[7]", "nested[0] must be an object");
    row("the runtime", "\"checkpoint\"", "\"eager\"", "runtime must be");
}

void CliInspectTest::readsAPlanAsStrictlyAsItsGraphDoes()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QByteArray, named);
    const QString path = file("plan.json");
    QVERIFY(planned(path, {text("--budget"), text("80%")})[text("verified")].toBool());
    QByteArray content = tests::fileBytes(path);
    const qsizetype at = content.indexOf(from);
    QVERIFY2(at >= 0, "the row found nothing to change");
    const CliRun run =
        runCli({text("inspect"), fileWith("bad.json", content.replace(at, from.size(), to))});
    QCOMPARE(run.exit, 3);
    QVERIFY2(run.hasOneSentence() && run.error.contains("bad.json: "), run.error.constData());
    QVERIFY2(run.error.contains(named), run.error.constData());
}

void CliInspectTest::tellsWhatAMemoryProfileSays()
{
    const QJsonObject json = runCli({text("inspect"), m_profile, text("--json")}).json();
    QCOMPARE(json[text("kind")].toString(), text("profile"));
    QCOMPARE(json[text("format")].toString(), text("torch-snapshot"));
    QCOMPARE(json[text("format_version")].toInt(), 4);
    const QJsonObject summary = json[text("summary")].toObject();
    const auto number = [&](const char* key) { return summary[text(key)].toInteger(-99); };
    QCOMPARE(number("events"), 8);
    QCOMPARE(number("devices"), 2);
    QCOMPARE(number("allocations"), 3);
    QCOMPARE(number("stacks"), 1);
    QCOMPARE(number("ooms"), 1);
    QCOMPARE(number("annotations"), 1);
    QCOMPARE(number("initial_bytes"), 0);
    QCOMPARE(number("peak_bytes"), 1300);
    QCOMPARE(number("peak_event"), 2);
    QCOMPARE(number("peak_ns"), 2000);
    QCOMPARE(number("peak_reserved_bytes"), 2097152);
    QCOMPARE(number("end_bytes"), 900);
    QCOMPARE(number("end_allocated_bytes"), 1024);
    QCOMPARE(number("end_reserved_bytes"), 2097152);
    QCOMPARE(number("end_free_blocks"), 1);
    QCOMPARE(number("end_free_bytes"), 2096128);
    QCOMPARE(number("end_largest_free_bytes"), 2096128);
    QCOMPARE(summary[text("per_device")].toArray().size(), 2);

    const QByteArray told = runCli({text("inspect"), m_profile}).out;
    QVERIFY2(told.contains("  peak               1.3 KiB at event 2\n"), told.constData());
    QVERIFY2(told.contains("pinned host memory\n"), told.constData());
}

void CliInspectTest::optionsOfGraphsAreRefused()
{
    for (const QStringList& options : {QStringList{m_measurement, text("--at"), text("batch=3")},
                                       {m_measurement, text("--chain")},
                                       {m_profile, text("--chain")}}) {
        const CliRun run = runCli(QStringList{text("inspect")} + options);
        QCOMPARE(run.exit, 2);
        QVERIFY2(run.hasOneSentence(), run.error.constData());
        QVERIFY2(run.error.startsWith(options[1].toUtf8() + " is for graphs, but "),
                 run.error.constData());
    }
}

void CliInspectTest::namesTheKindOfFileThatIsNoGraph()
{
    const QString plan = file("plan.json");
    QVERIFY(planned(plan, {text("--budget"), text("80%")})[text("verified")].toBool());
    const std::string session = m_folder.file("work.plimsoll");
    QVERIFY(tests::createSession(session, {}).has_value());
    for (const auto& [path, kind] :
         {std::pair{plan, "a plan"}, std::pair{m_measurement, "a measurement"},
          std::pair{m_profile, "a profile"},
          std::pair{QString::fromStdString(session), "a session"}})
        for (const QStringList& arguments :
             {QStringList{text("plan"), path, text("--budget"), text("1GiB")},
              {text("check"), plan, path},
              {text("export"), path, plan, text("-o"), file("out.svg")},
              {text("diff"), m_measurement, path},
              {text("diff"), m_resnet, path}}) {
            // Profiles are compared and exported, too: CliDoctorTest.
            if (path == m_profile
                && (arguments.front() == text("diff") || arguments.front() == text("export")))
                continue;
            const CliRun run = runCli(arguments);
            QCOMPARE(run.exit, 3);
            QVERIFY2(run.hasOneSentence(), run.error.constData());
            QVERIFY2(run.error.startsWith(path.toUtf8() + " is " + kind + ", not a graph: "),
                     run.error.constData());
        }
}

void CliInspectTest::tellsWhenValuesWait()
{
    const QStringList arguments{text("inspect"), m_resnet, text("--accesses"), text("--budget"),
                                text("80%")};
    const QJsonObject accesses =
        runCli(arguments + QStringList{text("--json")}).json()[text("accesses")].toObject();
    const qint64 least = accesses[text("minimum_peak_bytes")].toInteger();
    const qint64 most = accesses[text("maximum_peak_bytes")].toInteger();
    QVERIFY(accesses[text("static_bytes")].toInteger() < least && least < most);
    QCOMPARE(accesses[text("peak_interval")].toArray().size(), qsizetype{2});
    const QJsonArray values = accesses[text("values")].toArray();
    QVERIFY(values.size() > 50);
    for (const QJsonValue& value : values)
        for (const char* key :
             {"storage", "op", "module", "bytes", "first_forward_op", "last_forward_op",
              "first_backward_op", "last_backward_op", "swap_free_time_ns"})
            QVERIFY2(value.toObject().contains(text(key)), key);
    const CliRun words = runCli(arguments);
    QVERIFY(words.out.contains("with all swapped out"));
    QVERIFY(words.out.contains("exceeded first by ops "));
    const CliRun bad =
        runCli({text("inspect"), m_resnet, text("--accesses"), text("--budget"), text("much")});
    QCOMPARE(bad.exit, 2);
    const CliRun measured = runCli({text("inspect"), m_measurement, text("--accesses")});
    QCOMPARE(measured.exit, 2);
    QVERIFY(measured.error.contains("--accesses is for graphs"));
}

} // namespace

PLIMSOLL_TEST(CliInspectTest, QCoreApplication)
#include "cli_inspect_test.moc"
