// SPDX-License-Identifier: Apache-2.0
// diff: a measurement over its prediction, and files that don't belong together.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QLocale>
#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

/// Two runs without known ops, the second under a plan for the step runtime.
const QByteArray kMeasurement =
    R"({"format":"plimsoll-measurement","version":1,"exporter":"0.1.0","torch":"2.15.0","model":"mine",
"model_class":"Net","batch":"4x6 int64","backend":"cpu","device":"cpu","threads":2,"runs":[
{"plan":null,"step_time_ns":20,"step_times_ns":[20],"resident_bytes":100,"saved_bytes":null,"live_peak_bytes":null,
"live_peak_op":null,"allocator_peak_bytes":310,"allocator_peak_op":null,"reserved_peak_bytes":null,"snapshot":null,
"fingerprint":null,"targets":[],"ops":[]},
{"plan":{"runtime":"step","granularity":"module","planner":"none","budget_bytes":BUDGET,"peak_bytes":PEAK},
"step_time_ns":30,"step_times_ns":[30],"resident_bytes":100,"saved_bytes":null,"live_peak_bytes":null,"live_peak_op":null,
"allocator_peak_bytes":205,"allocator_peak_op":null,"reserved_peak_bytes":null,"snapshot":null,"fingerprint":null,
"targets":[],"ops":[]}]})";

class CliDiffTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void comparesBytesAndNotTimesOfAnotherDevice();
    void comparesStepPlansByPeak();
    void comparesTwoGraphs();
    void comparesTwoPlans();
    void differencesTooSmallForPercentAreTold();
    void saysWhichFilesItTakes();
    void filesOfOtherStepsAreRefused_data();
    void filesOfOtherStepsAreRefused();

private:
    [[nodiscard]] QString with(const QByteArray& from = {}, const QByteArray& to = {}) const
    {
        QByteArray content = m_measurement;
        return from.isEmpty() || content.contains(from) ? fileWith(
                   "mine.measurement.json", from.isEmpty() ? content : content.replace(from, to))
                                                        : QString{};
    }

    QString m_graph = text(PLIMSOLL_SOURCE_DIR "/tests/data/varied.plimsoll.json");
    QString m_plan = file("plan.json");
    QByteArray m_measurement = kMeasurement;
};

void CliDiffTest::initTestCase()
{
    const QJsonObject graph = runCli({text("inspect"), m_graph, text("--json")}).json();
    const QJsonObject summary = graph[text("summary")].toObject();
    m_measurement.replace("\"Net\"", '"' + summary[text("model_class")].toString().toUtf8() + '"');
    QCOMPARE(summary[text("batch")].toString(), text("4x6 int64"));
    const QJsonObject planned = runCli({text("plan"), m_graph, text("--planner"), text("none"),
                                        text("--runtime"), text("step"), text("--budget"),
                                        text("1MiB"), text("--export"), m_plan, text("--json")})
                                    .json();
    m_measurement.replace("BUDGET", QByteArray::number(planned[text("budget_bytes")].toInteger()));
    m_measurement.replace("PEAK", QByteArray::number(planned[text("peak_bytes")].toInteger()));
}

void CliDiffTest::comparesBytesAndNotTimesOfAnotherDevice()
{
    const QString path = with();
    const CliRun run = runCli({text("diff"), path, m_graph, text("--json")});
    QVERIFY2(run.exit == 0, run.error.constData());
    const QJsonObject first = run.json()[text("runs")].toArray().at(0).toObject();
    QVERIFY(first[text("same_ops")].isNull());
    QVERIFY(first[text("other_times")].toString().startsWith(
        text("Times are not compared: the steps ran on cpu, the prediction is for A100 80GB SXM")));
    bool hasPeak = false;
    for (const QJsonValue value : first[text("rows")].toArray()) {
        const QJsonObject row = value.toObject();
        if (row[text("name")] == text("step_time")) {
            QCOMPARE(row[text("measured_ns")].toInteger(), 20);
            QVERIFY(row[text("predicted_ns")].isNull());
            QVERIFY(row[text("difference_ns")].isNull());
        } else if (row[text("name")] == text("allocator_peak")) {
            hasPeak = true;
            QCOMPARE(row[text("difference_bytes")].toInteger(),
                     310 - row[text("predicted_bytes")].toInteger());
        }
    }
    QVERIFY(hasPeak);
    const CliRun said = runCli({text("diff"), path, m_graph});
    QVERIFY2(said.out.contains("  Times are not compared: the steps ran on cpu"),
             said.out.constData());
    QVERIFY(said.out.contains("The measurement has no ops of this run"));
    for (const QByteArray& line : said.out.split('\n'))
        QVERIFY2(!line.contains("step_time") || !line.contains('%'), line.constData());
}

void CliDiffTest::comparesStepPlansByPeak()
{
    const CliRun run = runCli({text("diff"), with(), m_graph, m_plan, text("--json")});
    QVERIFY2(run.exit == 0, run.error.constData());
    const QJsonObject second = run.json()[text("runs")].toArray().at(1).toObject();
    QVERIFY(second[text("same_ops")].isNull());
    int compared = 0;
    for (const QJsonValue value : second[text("rows")].toArray())
        compared += value.toObject()[text("difference_bytes")].isDouble() ? 1 : 0;
    QCOMPARE(compared, 2); // the allocator's peak, and the bytes before the step
}

void CliDiffTest::comparesTwoGraphs()
{
    const QJsonObject same = runCli({text("diff"), m_graph, m_graph, text("--json")}).json();
    QCOMPARE(same[text("kind")].toString(), text("graphs"));
    QCOMPARE(same[text("same_ops")], QJsonValue{true});
    QVERIFY(same[text("first_other_op")].isNull());
    for (const QJsonValue row : same[text("rows")].toArray())
        for (const char* unit : {"difference_bytes", "difference_ns"})
            QCOMPARE(row.toObject()[text(unit)].toInteger(), 0);

    const QString tiny = text(PLIMSOLL_SOURCE_DIR "/tests/data/tiny.plimsoll.json");
    const QJsonObject json = runCli({text("diff"), m_graph, tiny, text("--json")}).json();
    QCOMPARE(json[text("same_ops")], QJsonValue{false});
    QVERIFY(json[text("first_other_op")].toObject()[text("b")].toString().endsWith(
        text("fc · aten.t")));
    // Each side's peak is that of its own plan, and of its phases the largest.
    for (const auto& [side, path] : {std::pair{"a_bytes", m_graph}, std::pair{"b_bytes", tiny}}) {
        const QJsonObject alone = runCli({text("inspect"), path, text("--json")}).json();
        qint64 most = 0;
        for (const QJsonValue value : json[text("rows")].toArray()) {
            const QJsonObject row = value.toObject();
            if (row[text("name")].toString() == text("peak"))
                QCOMPARE(row[text(side)],
                         alone[text("summary")].toObject()[text("peak_allocated_bytes")]);
            else
                most = std::max(most, row[text(side)].toInteger());
        }
        QCOMPARE(most, alone[text("summary")].toObject()[text("peak_allocated_bytes")].toInteger());
    }
}

void CliDiffTest::comparesTwoPlans()
{
    const auto planned = [&](const char* name, const char* budget) {
        return runCli({text("plan"), m_resnet, text("--budget"), text(budget), text("--slots"),
                       text("64"), text("--prefer"), text("fastest"), text("--export"), file(name),
                       text("--json")})
            .json();
    };
    const QJsonObject loose = planned("loose.json", "100%");
    const QJsonObject tight = planned("tight.json", "80%");
    const QStringList both{text("diff"), file("loose.json"), file("tight.json"), m_resnet};
    const QJsonObject json = runCli(both + QStringList{text("--json")}).json();
    QCOMPARE(json[text("kind")].toString(), text("plans"));
    QVERIFY(json[text("only_a")].toArray().isEmpty());
    QVERIFY(!json[text("only_b")].toArray().isEmpty());
    const QJsonObject region = tight[text("regions")].toArray().at(0).toObject();
    const QJsonObject only = json[text("only_b")].toArray().at(0).toObject();
    QCOMPARE(only[text("first")], region[text("first")]);
    QCOMPARE(only[text("last")], region[text("last")]);
    QVERIFY(json[text("first_other_op")].toObject()[text("b")].toString().endsWith(
        text(", recomputed")));
    for (const QJsonValue value : json[text("rows")].toArray()) {
        const QJsonObject row = value.toObject();
        const QString name = row[text("name")].toString();
        if (name == text("peak") || name == text("step_time")) {
            const QString unit = name == text("peak") ? text("_bytes") : text("_ns");
            QCOMPARE(row[text("a") + unit], loose[name + unit]);
            QCOMPARE(row[text("b") + unit], tight[name + unit]);
            QCOMPARE(row[text("difference") + unit].toInteger(),
                     tight[name + unit].toInteger() - loose[name + unit].toInteger());
        }
    }
    const CliRun said = runCli(both);
    QVERIFY2(said.out.contains("  only B: region of ops "), said.out.constData());
}

/// Never "-0.00 %".
void CliDiffTest::differencesTooSmallForPercentAreTold()
{
    for (const char* runtime : {"checkpoint", "step"})
        QCOMPARE(runCli({text("plan"), m_resnet, text("--budget"), text("80%"), text("--planner"),
                         text("rotor"), text("--prefer"), text("fastest"), text("--runtime"),
                         text(runtime), text("--export"), file(runtime) + text(".json")})
                     .exit,
                 0);
    const QStringList both{text("diff"), file("checkpoint.json"), file("step.json"), m_resnet};
    const QJsonArray rows =
        runCli(both + QStringList{text("--json")}).json()[text("rows")].toArray();
    const QList<QByteArray> lines = runCli(both).out.split('\n');
    int tiny = 0;
    for (const QJsonValue value : rows) {
        const QJsonObject row = value.toObject();
        const qint64 bytes = row[text("difference_bytes")].toInteger();
        const auto name = row[text("name")].toString().toUtf8();
        const auto line = std::find_if(lines.begin(), lines.end(), [&](const QByteArray& text) {
            return text.startsWith("  " + name + " ");
        });
        QVERIFY(line != lines.end() && !line->contains("0.00 %"));
        if (bytes == 0 || std::abs(bytes) > row[text("a_bytes")].toInteger() / 100000)
            continue;
        ++tiny;
        QVERIFY2(line->endsWith((bytes < 0 ? " -" : " +")
                                + QLocale{QLocale::English}.toString(std::abs(bytes)).toUtf8()
                                + " B"),
                 line->constData());
    }
    QVERIFY(tiny > 0);
}

void CliDiffTest::saysWhichFilesItTakes()
{
    const CliRun plans = runCli({text("diff"), m_plan, m_plan});
    QCOMPARE(plans.exit, 2);
    QVERIFY2(plans.error.contains("diff PLAN PLAN GRAPH."), plans.error.constData());
    const CliRun graphs = runCli({text("diff"), m_graph, m_graph, m_plan});
    QCOMPARE(graphs.exit, 2);
    QVERIFY2(graphs.error.contains("diff GRAPH GRAPH."), graphs.error.constData());
    const CliRun letter = runCli({text("diff"), fileWith("letter.txt", "Dear reader"), m_graph});
    QCOMPARE(letter.exit, 3);
    QVERIFY2(letter.hasOneSentence(), letter.error.constData());
}

void CliDiffTest::filesOfOtherStepsAreRefused_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const char* from, const char* to, const char* says) {
        QTest::newRow(name) << QByteArray{from} << QByteArray{to} << QByteArray{says};
    };
    row("class", "\"model_class\":\"", "\"model_class\":\"Other", "of a model of class Other");
    row("batch", "4x6 int64", "5x6 int64",
        "The measured steps took 5x6 int64, the graph's step takes 4x6");
    row("runtime", "\"runtime\":\"step\"", "\"runtime\":\"checkpoint\"",
        "under another plan: its runtime");
    row("budget", "\"budget_bytes\":", "\"budget_bytes\":1", "under another plan: its budget");
    row("peak", "\"peak_bytes\":", "\"peak_bytes\":1", "under another plan: its peak");
}

void CliDiffTest::filesOfOtherStepsAreRefused()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QByteArray, says);
    const QString path = with(from, to);
    QVERIFY2(!path.isEmpty(), "the row found nothing to change");
    const CliRun run = runCli({text("diff"), path, m_graph, m_plan});
    QCOMPARE(run.exit, 3);
    QCOMPARE(run.out, QByteArray{});
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    QVERIFY2(run.error.contains(says), run.error.constData());
    QVERIFY(run.error.contains("mine.measurement.json: "));
}

} // namespace

PLIMSOLL_TEST(CliDiffTest, QCoreApplication)
#include "cli_diff_test.moc"
