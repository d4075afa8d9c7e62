// SPDX-License-Identifier: Apache-2.0

#include "tests/integration/cli/cli_runner.h"
#include "tests/support/saved_session.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTest>

#include <array>

namespace {

using namespace plimsoll;
using tests::chainOfSixStages;
using tests::CliRun;
using tests::keysMissing;
using tests::kMiB;
using tests::runCli;
using tests::samplePath;
using tests::startCli;
using tests::text;

class CliTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void helpOfEveryVerbHasAnExample_data();
    void helpOfEveryVerbHasAnExample();
    void helpTellsEachKindOfFileThatIsWritten();
    void versionListsOptionalLibraries();
    void inspectPrintsTheKeysOfTheContract_data();
    void inspectPrintsTheKeysOfTheContract();
    void inspectOfSeveralFilesIsOneObject();
    void chainStagesTileTheForwardOps();
    void plannersAreListedWithTheirOptions();
    void sameInputSameOutput();
    void frontierHasAsManyPointsAsAskedFor();
    void anInfeasibleBudgetExitsWith4AndNamesBothNumbers();
    void plannerNoneKeepsEverything();
    void plannerNoneTakesWhatMeansTheDefault();
    void checkFailsWith5OnLimitsAndFaults();
    void exportWritesEveryKind();
    void quietPrintsNothing();
    void sessionVerbsTellWhatAFileHolds();
    void sessionsTakeSeveralGraphs();
    void sessionsTakeGraphsOfSeveralPrograms();
    void solveChainPrintsTheWorkedExample();
    void solveChainDropsWhatItMakesAgain();
    void solveChainTakesTheWayThatFits();
    void solveChainSaysWhenNothingFits();
};

void CliTest::helpOfEveryVerbHasAnExample_data()
{
    QTest::addColumn<QStringList>("verb");
    QTest::newRow("none") << QStringList{};
    for (const char* verb : {"inspect", "live", "diagnose", "plan", "check", "export", "diff",
                             "record", "solve", "session", "gpu-check"})
        QTest::newRow(verb) << QStringList{text(verb)};
    QTest::newRow("solve chain") << QStringList{text("solve"), text("chain")};
    QTest::newRow("session show") << QStringList{text("session"), text("show")};
}

void CliTest::helpOfEveryVerbHasAnExample()
{
    QFETCH(QStringList, verb);
    const CliRun run = runCli(verb + QStringList{text("--help")});
    QCOMPARE(run.exit, 0);
    QVERIFY2(run.out.contains("Example: plimsoll-cli " + verb.join(u' ').toUtf8()),
             run.out.constData());
    QCOMPARE(run.error, QByteArray{});
}

void CliTest::helpTellsEachKindOfFileThatIsWritten()
{
    for (const char* verb : {"plan", "export"})
        QVERIFY(runCli({text(verb), text("--help")}).out.contains(": .json .py .csv .svg"));
}

void CliTest::versionListsOptionalLibraries()
{
    const CliRun run = runCli({text("--version")});
    QCOMPARE(run.exit, 0);
    QVERIFY(run.out.contains("optional libraries"));
}

void CliTest::inspectPrintsTheKeysOfTheContract_data()
{
    QTest::addColumn<QString>("sample");
    QTest::newRow("resnet18") << text("resnet18");
    QTest::newRow("densenet121") << text("densenet121");
    QTest::newRow("gpt2") << text("gpt2");
}

void CliTest::inspectPrintsTheKeysOfTheContract()
{
    QFETCH(QString, sample);
    const CliRun run = runCli({text("inspect"), samplePath(sample), text("--json")});
    QCOMPARE(run.exit, 0);
    QCOMPARE(run.error, QByteArray{});
    const QJsonObject json = run.json();
    QCOMPARE(
        keysMissing(json,
                    text("file format format_version kind summary statistics seconds").split(u' ')),
        QStringList{});
    QCOMPARE(json[text("kind")].toString(), text("program"));
    const QJsonObject summary = json[text("summary")].toObject();
    QCOMPARE(keysMissing(summary, text("name ops tensors storages ops_by_phase bytes_by_class "
                                       "saved_for_backward_bytes peak_bytes peak_op flops modules "
                                       "cuts")
                                      .split(u' ')),
             QStringList{});
    QCOMPARE(keysMissing(summary[text("ops_by_phase")].toObject(),
                         text("forward loss backward optimizer").split(u' ')),
             QStringList{});
    QCOMPARE(keysMissing(summary[text("bytes_by_class")].toObject(),
                         text("parameter buffer gradient optimizer_state input activation "
                              "temporary output")
                             .split(u' ')),
             QStringList{});
    QVERIFY(summary[text("cuts")].toInt() > 5);
    QVERIFY(summary[text("peak_bytes")].toDouble() > 1e9);
}

void CliTest::inspectOfSeveralFilesIsOneObject()
{
    const CliRun run = runCli({text("inspect"), m_resnet, m_resnet, text("--json")});
    QCOMPARE(run.exit, 0);
    QCOMPARE(run.json()[text("files")].toArray().size(), 2);
}

void CliTest::chainStagesTileTheForwardOps()
{
    const CliRun run = runCli({text("inspect"), m_resnet, text("--chain"), text("--json")});
    QCOMPARE(run.exit, 0);
    const QJsonObject chain = run.json()[text("chain")].toObject();
    QCOMPARE(chain[text("granularity")].toString(), text("module"));
    int next = 0;
    for (const QJsonValue value : chain[text("stages")].toArray()) {
        const QJsonObject stage = value.toObject();
        QCOMPARE(keysMissing(stage,
                             text("ops module x xbar ftmp btmp ftime btime crossing").split(u' ')),
                 QStringList{});
        QCOMPARE(stage[text("ops")].toArray().at(0).toInt(), next);
        next = stage[text("ops")].toArray().at(1).toInt() + 1;
    }
    QCOMPARE(next, 92);
    const QString problem =
        fileWith("chain.json", QJsonDocument{chain[text("problem")].toObject()}.toJson());
    const CliRun solved =
        runCli({text("solve"), text("chain"), problem, text("--budget"), text("9000000000"),
                text("--slots"), text("200"), text("--json")});
    QCOMPARE(solved.exit, 0);
}

void CliTest::plannersAreListedWithTheirOptions()
{
    const CliRun run = runCli({text("plan"), text("--list"), text("--json")});
    QCOMPARE(run.exit, 0);
    QStringList ids;
    for (const QJsonValue planner : run.json()[text("planners")].toArray())
        ids += planner[text("id")].toString();
    QVERIFY(ids.contains(text("rotor")));
    QVERIFY(ids.contains(text("none")));
}

void CliTest::sameInputSameOutput()
{
    const QStringList arguments{text("plan"),   m_resnet,           text("--budget"), text("75%"),
                                text("--json"), text("--frontier"), text("5")};
    QJsonObject first = runCli(arguments).json();
    QJsonObject second = runCli(arguments).json();
    QVERIFY(!first.isEmpty());
    first.remove(text("seconds"));
    second.remove(text("seconds"));
    QCOMPARE(first, second);
}

void CliTest::frontierHasAsManyPointsAsAskedFor()
{
    const QJsonObject json = runCli({text("plan"), m_resnet, text("--budget"), text("100%"),
                                     text("--frontier"), text("4"), text("--json")})
                                 .json();
    const QJsonArray points = json[text("frontier")].toArray();
    QCOMPARE(points.size(), 4);
    qint64 time = std::numeric_limits<qint64>::max();
    for (const QJsonValue point : points) {
        QVERIFY(point[text("peak_bytes")].toInteger() <= point[text("budget_bytes")].toInteger());
        QVERIFY(point[text("step_time_ns")].toInteger() <= time);
        time = point[text("step_time_ns")].toInteger();
        QVERIFY(!point[text("planner")].toString().isEmpty());
    }
    QCOMPARE(points.last()[text("step_time_ns")], json[text("base_step_time_ns")]);
    // None has but one plan.
    const QJsonObject none =
        runCli({text("plan"), m_resnet, text("--budget"), text("100%"), text("--planner"),
                text("none"), text("--frontier"), text("4"), text("--json")})
            .json();
    QCOMPARE(none[text("frontier")].toArray().size(), 1);
}

void CliTest::anInfeasibleBudgetExitsWith4AndNamesBothNumbers()
{
    const CliRun run = runCli({text("plan"), m_resnet, text("--budget"), text("100MiB"),
                               text("--json"), text("--export"), file("none.json")});
    QCOMPARE(run.exit, 4);
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    const QJsonObject json = run.json();
    QCOMPARE(json[text("status")].toString(), text("infeasible"));
    QVERIFY(!json[text("verified")].toBool());
    const qint64 bound = json[text("lower_bound_peak_bytes")].toInteger();
    const qint64 smallest = json[text("smallest_known_budget_bytes")].toInteger();
    QVERIFY(bound > 100 * kMiB);
    QVERIFY(smallest >= bound);
    QVERIFY(!QFile::exists(file("none.json")));

    const CliRun met = runCli(
        {text("plan"), m_resnet, text("--budget"), QString::number(smallest), text("--json")});
    QCOMPARE(met.exit, 0);
    const CliRun missed =
        runCli({text("plan"), m_resnet, text("--budget"), QString::number(bound), text("--json")});
    QVERIFY(missed.exit == 0 || missed.json()[text("status")].toString() == text("not_found"));
}

void CliTest::plannerNoneKeepsEverything()
{
    const QJsonObject json = runCli({text("plan"), m_resnet, text("--budget"), text("100%"),
                                     text("--planner"), text("none"), text("--json")})
                                 .json();
    QCOMPARE(json[text("status")].toString(), text("optimal"));
    QCOMPARE(json[text("peak_bytes")], json[text("base_peak_bytes")]);
    QCOMPARE(json[text("step_time_ns")], json[text("base_step_time_ns")]);
    QCOMPARE(runCli({text("plan"), m_resnet, text("--budget"), text("99%"), text("--planner"),
                     text("none")})
                 .exit,
             4);
}

void CliTest::plannerNoneTakesWhatMeansTheDefault()
{
    const QStringList none{text("plan"),      m_resnet,     text("--budget"), text("100%"),
                           text("--planner"), text("none"), text("--json")};
    const auto with = [&](const char* option, const char* value) {
        return runCli(none + QStringList{text(option), text(value)});
    };
    const QJsonObject plain = runCli(none).json();
    for (const auto& [option, value] :
         {std::pair{"--runtime", "checkpoint"}, std::pair{"--granularity", "module"},
          std::pair{"--saved-sets", "off"}}) {
        const CliRun run = with(option, value);
        QVERIFY2(run.exit == 0, run.error.constData());
        for (const char* key : {"runtime", "granularity", "peak_bytes", "step_time_ns", "options"})
            QCOMPARE(run.json()[text(key)], plain[text(key)]);
    }
    QCOMPARE(plain[text("runtime")].toString(), text("checkpoint"));
    QCOMPARE(plain[text("granularity")].toString(), text("module"));
    // What the step runtime takes without a plan is a plan of its own.
    const QString plan = file("none.json");
    const CliRun step =
        runCli(none + QStringList{text("--runtime"), text("step"), text("--export"), plan});
    QVERIFY2(step.exit == 0, step.error.constData());
    QCOMPARE(step.json()[text("runtime")].toString(), text("step"));
    QVERIFY(step.json()[text("verified")].toBool());
    QCOMPARE(runCli({text("check"), plan, m_resnet}).exit, 0);
    for (const auto& [option, value] :
         {std::pair{"--granularity", "op"}, std::pair{"--saved-sets", "on"},
          std::pair{"--granularity", "layer"}, std::pair{"--slots", "500"}}) {
        const CliRun refused = with(option, value);
        QCOMPARE(refused.exit, 2);
        QVERIFY2(refused.error.contains(QByteArray{"The planner none has no option \""}
                                        + (option + 2) + "\": it has runtime."),
                 refused.error.constData());
    }
}

void CliTest::checkFailsWith5OnLimitsAndFaults()
{
    const QString plan = file("limits.json");
    QCOMPARE(
        runCli({text("plan"), m_resnet, text("--budget"), text("2100MiB"), text("--export"), plan})
            .exit,
        0);
    const auto faultOf = [&](const QStringList& arguments) {
        const CliRun run =
            runCli(QStringList{text("check"), plan, m_resnet, text("--json")} + arguments);
        return run.exit == 5 ? run.json()[text("faults")].toArray().at(0)[text("kind")].toString()
                             : QString::number(run.exit);
    };
    QCOMPARE(faultOf({text("--max-peak"), text("2100MiB"), text("--max-slowdown"), text("500%")}),
             text("0"));
    QCOMPARE(faultOf({text("--max-peak"), text("1500MiB")}), text("over_max_peak"));
    QCOMPARE(faultOf({text("--max-slowdown"), text("0.0001%")}), text("over_max_slowdown"));

    const QByteArray good = tests::fileBytes(plan);
    QByteArray content = good;
    content.replace("\"budget_bytes\": 2202009600", "\"budget_bytes\": 1000000000");
    QVERIFY(!fileWith("limits.json", content).isEmpty());
    QCOMPARE(faultOf({}), text("over_budget"));
    content = good;
    content.replace("\"peak_bytes\":", "\"peak_bytes\":1");
    QVERIFY(!fileWith("limits.json", content).isEmpty());
    QCOMPARE(faultOf({}), text("different_evaluation"));
}

void CliTest::exportWritesEveryKind()
{
    const QString plan = file("kinds.json");
    // What follows an exported file is the graph, not one more file.
    const CliRun planned =
        runCli({text("plan"), text("--budget"), text("2100MiB"), text("--quiet"), text("--export"),
                plan, text("--export"), file("kinds.svg"), m_resnet});
    QVERIFY2(planned.exit == 0, planned.error.constData());
    for (const char* name : {"again.json", "again.py", "again.csv", "again.svg"}) {
        const CliRun run =
            runCli({text("export"), m_resnet, plan, text("-o"), file(name), text("--json")});
        QVERIFY2(run.exit == 0, run.error.constData());
        QVERIFY(QFileInfo{file(name)}.size() > 100);
    }
    QVERIFY(tests::fileBytes(file("again.json")) == tests::fileBytes(plan));
    QVERIFY(tests::fileBytes(file("again.svg")) == tests::fileBytes(file("kinds.svg")));
}

void CliTest::quietPrintsNothing()
{
    const CliRun run =
        runCli({text("plan"), m_resnet, text("--budget"), text("3000MiB"), text("--quiet")});
    QCOMPARE(run.exit, 0);
    QCOMPARE(run.out, QByteArray{});
    QCOMPARE(run.error, QByteArray{});
}

void CliTest::sessionVerbsTellWhatAFileHolds()
{
    tests::SavedSession saved;
    saved.document.name = "toy";
    saved.content = "{}";
    saved.plan.problem.device = "h100";
    saved.plan.problem.budgetBytes = 7 * kMiB;
    saved.plan.problem.sizes = {{"batch", 16}, {"sequence", 512}};
    saved.plan.runs.push_back({.id = 1,
                               .name = "first",
                               .budgetBytes = 7 * kMiB,
                               .planner = "rotor",
                               .status = "feasible",
                               .peakBytes = 6 * kMiB,
                               .stepTimeNs = 5,
                               .plan = {},
                               .sizes = {{"batch", 4}}});
    const std::string path = m_folder.file("work.plimsoll");
    QVERIFY(tests::createSession(path, saved).has_value());
    const auto run = [&](const char* verb) {
        return runCli({text("session"), text(verb), QString::fromStdString(path), text("--json")});
    };
    const CliRun list = run("list");
    QVERIFY2(list.exit == 0, list.error.constData());
    const QJsonObject first = list.json()[text("runs")].toArray().at(0).toObject();
    QCOMPARE(first[text("name")].toString(), text("first"));
    QCOMPARE(first[text("peak_bytes")].toInteger(), 6 * kMiB);
    QCOMPARE(first[text("sizes")].toObject(), (QJsonObject{{text("batch"), 4}}));
    const QJsonObject show = run("show").json();
    QCOMPARE(show[text("problem")][text("sizes")].toObject(),
             (QJsonObject{{text("batch"), 16}, {text("sequence"), 512}}));
    QCOMPARE(show[text("graph")][text("name")].toString(), text("toy"));
    QCOMPARE(show[text("problem")][text("device")].toString(), text("h100"));
    QVERIFY(run("compact").json()[text("after_bytes")].toInteger() > 0);
}

void CliTest::sessionsTakeSeveralGraphs()
{
    const QString path = QString::fromStdString(m_folder.file("several.plimsoll"));
    const QString other = samplePath("gpt2_prompt");
    const CliRun made = runCli({text("session"), text("add"), path, m_resnet, text("--quiet")});
    QVERIFY2(made.exit == 0, made.error.constData());
    const CliRun added =
        runCli({text("session"), text("add"), path, other, text("--json"), text("--quiet")});
    QVERIFY2(added.exit == 0, added.error.constData());
    QCOMPARE(added.json()[text("documents")].toArray().at(0).toObject()[text("id")].toInt(), 2);
    const QJsonObject show = runCli({text("session"), text("show"), path, text("--json")}).json();
    const QJsonArray documents = show[text("documents")].toArray();
    QCOMPARE(documents.size(), 2);
    QCOMPARE(documents.at(0).toObject()[text("name")].toString(), text("resnet18"));
    QCOMPARE(documents.at(1).toObject()[text("name")].toString(), text("gpt2_prompt"));
    QCOMPARE(documents.at(1).toObject()[text("kind")].toString(), text("plan"));
    QCOMPARE(show[text("graph")][text("name")].toString(), text("resnet18"));
    for (const QJsonValue& document : documents)
        QCOMPARE(document[text("problem")][text("device")].toString(), text("a100-80gb"));
    const CliRun itself =
        runCli({text("session"), text("add"), path, path, text("--quiet"), text("--json")});
    QCOMPARE(itself.exit, 2);
    QVERIFY2(itself.error.contains("itself"), itself.error.constData());
    // All or nothing: the first input is good, the second isn't one.
    const CliRun refused = runCli(
        {text("session"), text("add"), path, other, fileWith("no.json", "{}"), text("--quiet")});
    QCOMPARE(refused.exit, 3);
    QVERIFY2(refused.hasOneSentence(), refused.error.constData());
    const CliRun onto = runCli({text("session"), text("add"), m_resnet, other, text("--quiet")});
    QCOMPARE(onto.exit, 3);
    QVERIFY2(onto.hasOneSentence(), onto.error.constData());
    QCOMPARE(runCli({text("session"), text("list"), path, text("--json")})
                 .json()[text("documents")]
                 .toArray()
                 .size(),
             2);
}

/// All find that there is no session yet, and make one.
void CliTest::sessionsTakeGraphsOfSeveralPrograms()
{
    const QString path = file("together.plimsoll");
    std::array<QProcess, 6> programs;
    for (QProcess& program : programs)
        startCli(program, {text("session"), text("add"), path, m_resnet, text("--quiet")});
    for (QProcess& program : programs) {
        QVERIFY(program.waitForFinished(120'000));
        QVERIFY2(program.exitCode() == 0, program.readAllStandardError().constData());
    }
    const QJsonObject show = runCli({text("session"), text("show"), path, text("--json")}).json();
    QCOMPARE(show[text("documents")].toArray().size(), qsizetype{6});
}

void CliTest::solveChainPrintsTheWorkedExample()
{
    const CliRun run =
        runCli({text("solve"), text("chain"), fileWith("e1.json", chainOfSixStages()),
                text("--budget"), text("7"), text("--frontier"), text("--json")});
    QVERIFY2(run.exit == 0, run.error.constData());
    const QJsonObject json = run.json();
    QCOMPARE(keysMissing(json, text("status makespan base_makespan peak unit operations labels "
                                    "regions frontier seconds")
                                   .split(u' ')),
             QStringList{});
    QCOMPARE(json[text("makespan")].toInt(), 33);
    QCOMPARE(json[text("base_makespan")].toInt(), 18);
    QCOMPARE(json[text("peak")].toInt(), 7);
    QVERIFY(json[text("operations")].toString().startsWith(text("CF_0 Fn_1")));
    QCOMPARE(json[text("labels")].toArray().size(), 6);
    QVERIFY(json[text("frontier")].toArray().size() > 5);
}

void CliTest::solveChainDropsWhatItMakesAgain()
{
    const QString file =
        fileWith("e6.json", R"({"ftime": [5, 9, 3], "btime": [10, 18, 6, 0], "x": [4, 1, 3, 4],
                       "xbar": [4, 4, 5, 7], "ftmp": [1, 0, 0], "btmp": [5, 1, 3, 0]})");
    const QStringList words{text("solve"),    text("chain"), file,
                            text("--budget"), text("23"),    text("--json")};
    QCOMPARE(runCli(words).json()[text("makespan")].toInt(), 65);
    const QJsonObject json = runCli(words + QStringList{text("--nonpersistent")}).json();
    QCOMPARE(json[text("makespan")].toInt(), 56);
    QCOMPARE(json[text("peak")].toInt(), 23);
    QCOMPARE(json[text("operations")].toString(), text("CF_0 Fe_1 drop_1 Fe_2 L B_2 Fe_0 B_1 B_0"));
    QVERIFY(json[text("labels")].toArray().isEmpty());
}

/// The middle stage may keep 1 instead of 5 for 2 more units of time: cheaper than recomputing it.
void CliTest::solveChainTakesTheWayThatFits()
{
    const QByteArray arrays = R"({"ftime": [3, 6, 3], "btime": [6, 12, 6, 0], "x": [1, 1, 1, 1],)"
                              R"( "xbar": [1, 2, 6, 2], "ftmp": [0, 0, 0], "btmp": [1, 1, 1, 0])";
    const QByteArray ways =
        R"(, "ways": [[], [{"ftime": 6, "btime": 14, "xbar": 1, "ftmp": 0, "btmp": 6}], []]})";
    const auto solved = [this](const char* name, const QByteArray& chain) {
        return runCli({text("solve"), text("chain"), fileWith(name, chain), text("--budget"),
                       text("11"), text("--json")})
            .json();
    };
    QCOMPARE(solved("one.json", arrays + "}")[text("makespan")].toInt(), 42);
    const QJsonObject json = solved("several.json", arrays + ways);
    QCOMPARE(json[text("makespan")].toInt(), 38);
    QCOMPARE(json[text("base_makespan")].toInt(), 36);
    QCOMPARE(json[text("operations")].toString(), text("Fe_0 Fe_1@1 Fe_2 L B_2 B_1 B_0"));
}

void CliTest::solveChainSaysWhenNothingFits()
{
    const CliRun run =
        runCli({text("solve"), text("chain"), fileWith("e1.json", chainOfSixStages()),
                text("--budget"), text("6"), text("--json")});
    QCOMPARE(run.exit, 4);
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    const QString status = run.json()[text("status")].toString();
    QVERIFY(status == text("not_found") || status == text("infeasible"));
    QVERIFY(run.json()[text("makespan")].isNull());
}

} // namespace

PLIMSOLL_TEST(CliTest, QCoreApplication)
#include "cli_test.moc"
