// SPDX-License-Identifier: Apache-2.0
// Plans for the step runtime on the command line: made, written, checked, exported, refused.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

class CliStepTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void plansNameTheirRuntime();
    void plansSayThatStatisticsStayFrozen();
    void plansAreCheckedAndExported();
    void damagedSchedulesAreRefused();
    void inferenceHasNoStepToRun();
    void picksAreExplained();
    void plansAreWrittenOutAsGraphs();

private:
    [[nodiscard]] QString planned()
    {
        const QString plan = file("step.json");
        const CliRun run =
            runCli({text("plan"), m_resnet, text("--budget"), text("75%"), text("--planner"),
                    text("rotor"), text("--runtime"), text("step"), text("--export"), plan});
        return run.exit == 0 ? plan : QString{};
    }
};

/// A key of the plan: without it, the numbers differ.
void CliStepTest::plansSayThatStatisticsStayFrozen()
{
    const QStringList arguments{text("plan"), m_resnet, text("--budget"), text("75%")};
    const QStringList freeze{text("--freeze-stats"), text("on")};
    const QString plan = file("frozen.json");
    const auto flags = [](const QJsonObject& answer) {
        return answer[text("not_modelled")]
            .toVariant()
            .toStringList()
            .filter(text("Buffers"))
            .size();
    };
    const QJsonObject usual = runCli(arguments + QStringList{text("--json")}).json();
    const CliRun run = runCli(arguments + freeze + QStringList{text("--export"), plan});
    QVERIFY(run.out.contains("statistics  frozen in recomputations"));
    const QJsonObject frozen = runCli({text("check"), plan, m_resnet, text("--json")}).json();
    QVERIFY(frozen[text("verified")].toBool() && frozen[text("freeze_stats")].toBool());
    QVERIFY(!usual[text("freeze_stats")].toBool());
    QCOMPARE(flags(usual), 1);
    QCOMPARE(flags(frozen), 0);
    QVERIFY(frozen[text("step_time_ns")].toInteger() < usual[text("step_time_ns")].toInteger());
    QFile written{plan};
    QVERIFY(written.open(QIODevice::ReadOnly));
    QByteArray content = written.readAll();
    const QByteArray word = ",\n \"freeze_stats\": true"; // the last key
    QCOMPARE(content.count(word), 1);
    content.replace(word, "");
    QFile other{file("thawed.json")};
    QVERIFY(other.open(QIODevice::WriteOnly) && other.write(content) == content.size());
    other.close();
    const CliRun thawed = runCli({text("check"), other.fileName(), m_resnet});
    QCOMPARE(thawed.exit, 5);
    QVERIFY(thawed.error.contains("different_evaluation: The file says step_time_ns is"));
    const CliRun step = runCli(arguments + freeze + QStringList{text("--runtime"), text("step")});
    QCOMPARE(step.exit, 2);
    QVERIFY(step.error.contains("The runtime step never updates statistics twice"));
}

void CliStepTest::plansNameTheirRuntime()
{
    const QStringList arguments{text("plan"), m_resnet,         text("--budget"),
                                text("75%"),  text("--prefer"), text("fastest")};
    const QStringList step{text("--runtime"), text("step")};
    const QJsonObject regions = runCli(arguments + QStringList{text("--json")}).json();
    const QJsonObject repeats = runCli(arguments + step + QStringList{text("--json")}).json();
    QCOMPARE(regions[text("runtime")].toString(), text("checkpoint"));
    QVERIFY(!regions.contains(text("schedule")));
    QCOMPARE(repeats[text("runtime")].toString(), text("step"));
    QVERIFY(repeats[text("verified")].toBool());
    QVERIFY(repeats[text("regions")].toArray().isEmpty());
    QVERIFY(repeats[text("labels")].toArray().isEmpty());
    QVERIFY(!repeats[text("schedule")].toObject()[text("again")].toArray().isEmpty());
    QVERIFY(repeats[text("peak_bytes")].toInteger() <= repeats[text("budget_bytes")].toInteger());
    QVERIFY(repeats[text("step_time_ns")].toInteger() <= regions[text("step_time_ns")].toInteger());
    QCOMPARE(repeats[text("step_time_ns")].toInteger()
                 - repeats[text("recompute_time_ns")].toInteger(),
             repeats[text("base_step_time_ns")].toInteger());
    QCOMPARE(regions[text("expressed_as")].toString(), text("regions"));
    QCOMPARE(repeats[text("expressed_as")].toString(), text("step"));
    QVERIFY(runCli(arguments).out.contains("runtime     checkpoint: plimsoll.apply()\n"));
    QVERIFY(regions[text("why_no_regions")].isNull());
    const QString why = repeats[text("why_no_regions")].toString();
    QVERIFY(!why.isEmpty());
    QVERIFY(
        runCli(arguments + step)
            .out.contains("runtime     step: plimsoll.compile_step(), with a recompute schedule\n"
                          "  no regions  "
                          + why.toUtf8() + "\n"));
    // What capuchin has run again apart lies in each other's regions: it names the ops.
    const QJsonObject apart =
        runCli(arguments + QStringList{text("--planner"), text("capuchin"), text("--json")}).json();
    qInfo("%s", qPrintable(apart[text("why_no_regions")].toString()));
    const CliRun other = runCli(arguments + QStringList{text("--runtime"), text("eager")});
    QCOMPARE(other.exit, 2);
    QVERIFY(other.error.contains("--runtime eager is not known: choose one of checkpoint, step."));
}

void CliStepTest::plansAreCheckedAndExported()
{
    const QString plan = planned();
    QVERIFY(!plan.isEmpty());
    const CliRun checked = runCli({text("check"), plan, m_resnet, text("--json")});
    QCOMPARE(checked.exit, 0);
    QVERIFY(checked.json()[text("verified")].toBool());
    QCOMPARE(checked.json()[text("runtime")].toString(), text("step"));
    const QString module = file("step.py");
    QCOMPARE(runCli({text("export"), m_resnet, plan, text("-o"), module}).exit, 0);
    const QByteArray code = tests::fileBytes(module);
    QVERIFY(code.contains("return plimsoll.compile_step(model, PLAN, loss=loss, targets=targets)"));
    QVERIFY(code.contains("#     step = plan.compile_step(model)\n"));
    QVERIFY(!code.contains("apply"));
}

void CliStepTest::inferenceHasNoStepToRun()
{
    for (const char* planner : {"auto", "rotor", "none"}) {
        const CliRun run = runCli({text("plan"), tests::samplePath(text("gpt2_prompt")),
                                   text("--budget"), text("100%"), text("--planner"), text(planner),
                                   text("--runtime"), text("step")});
        QCOMPARE(run.exit, 2);
        QVERIFY2(run.hasOneSentence(), run.error.constData());
        QVERIFY2(run.error.contains("The graph has no backward"), run.error.constData());
    }
}

void CliStepTest::damagedSchedulesAreRefused()
{
    const QString plan = planned();
    QVERIFY(!plan.isEmpty());
    const QJsonObject good = QJsonDocument::fromJson(tests::fileBytes(plan)).object();
    QJsonArray rows = good[text("schedule")].toObject()[text("again")].toArray();
    QJsonArray row = rows.first().toArray();
    const qint64 before = row.at(0).toInteger();
    const auto checkWith = [&](const QJsonArray& ops) {
        rows.replace(0, QJsonArray{before, ops});
        QJsonObject bad = good;
        bad[text("schedule")] = QJsonObject{{text("again"), rows}};
        QFile out{plan};
        if (!out.open(QIODevice::WriteOnly | QIODevice::Truncate))
            return CliRun{};
        out.write(QJsonDocument{bad}.toJson());
        out.close();
        return runCli({text("check"), plan, m_resnet});
    };
    const CliRun toCome = checkWith({before});
    QCOMPARE(toCome.exit, 3);
    QVERIFY2(toCome.error.contains("hasn't run before op"), toCome.error.constData());
    QJsonArray fewer = row.at(1).toArray();
    QVERIFY(fewer.size() > 1);
    fewer.removeLast();
    const CliRun numbers = checkWith(fewer);
    QCOMPARE(numbers.exit, 5); // the figures in the file are others
}

void CliStepTest::picksAreExplained()
{
    const QStringList arguments{text("plan"), m_resnet, text("--budget"), text("75%"),
                                text("--explain")};
    const QStringList capuchin{text("--planner"), text("capuchin")};
    const QJsonObject answer = runCli(arguments + capuchin + QStringList{text("--json")}).json();
    QCOMPARE(answer[text("status")].toString(), text("feasible"));
    QCOMPARE(answer[text("runtime")].toString(), text("step"));
    const QJsonArray picks = answer[text("explain")].toArray();
    QVERIFY(picks.size() > 2);
    qint64 peak = answer[text("base_peak_bytes")].toInteger();
    const qint64 budget = answer[text("budget_bytes")].toInteger();
    for (const QJsonValue& value : picks) {
        const QJsonObject pick = value.toObject();
        const qint64 now = pick[text("peak_bytes")].toInteger();
        QVERIFY(now <= peak);
        peak = now;
        QCOMPARE(pick[text("need_left_bytes")].toInteger(), std::max<qint64>(now - budget, 0));
        const double time = pick[text("recompute_time_ns")].toDouble();
        QCOMPARE(pick[text("msps")].toDouble(),
                 pick[text("bytes")].toDouble() / (pick[text("times")].toDouble() * time));
        for (const char* key : {"candidate", "op", "module"})
            QVERIFY2(pick.contains(text(key)), key);
    }
    QCOMPARE(peak, answer[text("peak_bytes")].toInteger());
    const CliRun words = runCli(arguments + capuchin);
    QCOMPARE(words.exit, 0);
    QCOMPARE(words.out.count("\n  pick "), picks.size());
    QVERIFY(words.out.contains("  fits  op "));
    const CliRun others = runCli(arguments);
    QCOMPARE(others.exit, 2);
    QVERIFY(others.error.contains("auto does not choose value by value"));
    QVERIFY(others.error.contains("capuchin"));
}

/// An exported plan is a step without a plan: it can be inspected, planned and checked, and is
/// refused by everything that applies regions.
void CliStepTest::plansAreWrittenOutAsGraphs()
{
    const QString plan = planned();
    const QString graph = file("planned.plimsoll.json");
    const QJsonObject checked = runCli({text("check"), plan, m_resnet, text("--json")}).json();
    const CliRun exported = runCli({text("export"), m_resnet, plan, text("-o"), graph});
    QVERIFY2(exported.exit == 0, exported.error);
    QVERIFY(exported.out.contains("(Graph of the planned step)"));
    const CliRun told = runCli({text("inspect"), graph});
    QVERIFY(told.out.contains("rewritten          by a plan of rotor: "));
    const QJsonObject inspected =
        runCli({text("inspect"), graph, text("--json")}).json()[text("summary")].toObject();
    QCOMPARE(inspected[text("execution")].toString(), text("step"));
    QCOMPARE(inspected[text("planner")].toString(), text("rotor"));
    QCOMPARE(inspected[text("peak_allocated_bytes")].toInteger(),
             checked[text("peak_bytes")].toInteger() - checked[text("reserve_bytes")].toInteger());
    const QJsonObject none = runCli({text("plan"), graph, text("--planner"), text("none"),
                                     text("--budget"), text("100%"), text("--json")})
                                 .json();
    QCOMPARE(none[text("step_time_ns")].toInteger(), checked[text("step_time_ns")].toInteger());
    const CliRun regions = runCli(
        {text("plan"), graph, text("--planner"), text("rotor"), text("--budget"), text("90%")});
    QCOMPARE(regions.exit, 2);
    QVERIFY(regions.error.startsWith(
        "The graph is a plan written out, which can't have checkpoint regions"));
    const QString packed = file("planned.plimsoll.json.gz");
    const CliRun again =
        runCli({text("plan"), m_resnet, text("--budget"), text("75%"), text("--runtime"),
                text("step"), text("--planner"), text("rotor"), text("--export"), packed});
    QVERIFY2(again.exit == 0, again.error);
    QVERIFY(tests::fileBytes(packed).size() < tests::fileBytes(graph).size() / 4);
    QCOMPARE(runCli({text("inspect"), packed, text("--json")})
                 .json()[text("summary")]
                 .toObject()[text("peak_allocated_bytes")],
             inspected[text("peak_allocated_bytes")]);
    // Plans of regions have no such graph.
    const QString checkpoint = file("regions.json");
    QCOMPARE(runCli({text("plan"), m_resnet, text("--budget"), text("75%"), text("--export"),
                     checkpoint})
                 .exit,
             0);
    const CliRun refused =
        runCli({text("export"), m_resnet, checkpoint, text("-o"), file("regions.plimsoll.json")});
    QCOMPARE(refused.exit, 2);
    QVERIFY(refused.error.endsWith("make a plan for runtime step.\n"));
    QVERIFY(!QFile::exists(file("regions.plimsoll.json")));
}

} // namespace

PLIMSOLL_TEST(CliStepTest, QCoreApplication)
#include "cli_step_test.moc"
