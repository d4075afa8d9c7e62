// SPDX-License-Identifier: Apache-2.0
// diff: a recording with the step that is predicted for it. The recording is the sample of three
// annotated steps; tests/python/profile/test_waterfall.py makes others.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QTest>

#include <map>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

class CliWaterfallTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void rowsLeadFromThePredictedToTheMeasuredPeak();
    void theTextNamesEachReason();
    void otherFilesAreRefused();
    void aPlanOfAnotherSizeIsRefused();

private:
    QString m_graph = text(PLIMSOLL_SOURCE_DIR "/tests/data/encoder.plimsoll.json.gz");
    QString m_profile =
        text(PLIMSOLL_SOURCE_DIR "/resources/samples/encoder_training.stand-in.pickle.gz");
};

void CliWaterfallTest::rowsLeadFromThePredictedToTheMeasuredPeak()
{
    const CliRun run = runCli({text("diff"), m_graph, m_profile, text("--json")});
    QCOMPARE(run.exit, 0);
    QJsonObject answer = run.json();
    QCOMPARE(answer[text("kind")].toString(), text("waterfall"));
    std::map<QString, qint64> rows;
    for (const QJsonValue& row : answer[text("rows")].toArray())
        rows[row[text("key")].toString()] = row[text("bytes")].toInteger();
    const std::map<QString, qint64> expected{
        {text("other_place"), 0},    {text("workspaces"), 0},
        {text("kernel_scratch"), 0}, {text("outputs"), -131072000},
        {text("freed_earlier"), 0},  {text("held_longer"), 0},
        {text("residents"), 0},      {text("not_explained"), 0},
        {text("rounding"), 4327160}, {text("fragmentation"), 128473600}};
    QCOMPARE(rows, expected);
    QCOMPARE(answer[text("predicted_peak_bytes")].toInteger(), 1101373192);
    QCOMPARE(answer[text("measured_peak_bytes")].toInteger(), 1101373192 - 131072000);
    QCOMPARE(answer[text("reserved_peak_bytes")].toInteger(), 1103101952);
    QVERIFY(answer[text("driver_peak_bytes")].isNull());
    const QJsonObject step = answer[text("step")].toObject();
    QCOMPARE(step[text("from")].toString(), text("annotation"));
    QCOMPARE(step[text("name")].toString(), text("step 3"));
    // The same in the other order.
    QJsonObject other = runCli({text("diff"), m_profile, m_graph, text("--json")}).json();
    for (QJsonObject* each : {&answer, &other})
        each->remove(text("seconds"));
    QCOMPARE(other, answer);
}

void CliWaterfallTest::theTextNamesEachReason()
{
    const CliRun run = runCli({text("diff"), m_graph, m_profile});
    QCOMPARE(run.exit, 0);
    const QByteArray all = run.out.simplified();
    for (const char* part :
         {"Predicted peak 1,101,373,192 B aten._log_softmax_backward_data (backward)",
          "Results of the step -131,072,000 B The prediction keeps the results of the step until "
          "it "
          "ends, and the program let go of them before.",
          "Not explained 0 B Each block that is live at the measured peak is accounted for.",
          "Measured peak 970,301,192 B event 4762 of the annotated range step 3;",
          "Allocated peak 974,628,352 B torch.cuda.max_memory_allocated() of this step",
          "activations 733,085,700 B 602,013,700 B -131,072,000 B"})
        QVERIFY2(all.contains(part), part);
}

void CliWaterfallTest::otherFilesAreRefused()
{
    const auto refused = [&](const QStringList& arguments, int exit, const char* says) {
        const CliRun run = runCli(QStringList{text("diff")} + arguments);
        QCOMPARE(run.exit, exit);
        QVERIFY2(run.hasOneSentence(), run.error.constData());
        QVERIFY2(run.error.contains(says), run.error.constData());
    };
    refused({m_resnet, m_profile}, 3, "The recording is one of another model, batch or plan: ");
    refused({m_graph, m_profile, m_graph}, 3, "");
    refused({m_graph, text("missing.plmcap")}, 3, "missing.plmcap does not exist");
    refused({m_graph, m_profile, text("missing.json")}, 3, "missing.json does not exist");
    refused({m_graph, m_profile, text("--by"), text("class")}, 2,
            "--by and --top are for two memory profiles.");
    refused({m_graph, m_profile, text("--device"), text("7")}, 2, "7");
}

void CliWaterfallTest::aPlanOfAnotherSizeIsRefused()
{
    const QString path = file("plan.json");
    const CliRun planned = runCli({text("plan"), m_graph, text("--planner"), text("rotor"),
                                   text("--budget"), text("97%"), text("--export"), path});
    QCOMPARE(planned.exit, 0);
    QByteArray plan = tests::fileBytes(path);
    const QByteArray batch = "\"batch\":\"32x128";
    QVERIFY2(plan.contains(batch), plan.constData());
    plan.replace(batch, "\"batch\":\"96x128");
    plan.replace("{\"peak_bytes\":", "{\"peak_bytes\":1"); // and so has other numbers
    const QString other = fileWith("other.json", plan);
    // In the words of check, up to what each verb can do.
    const QByteArray sizes =
        "the plan was made at 96x128 int64, this graph is at 32x128 int64; use the graph that the "
        "plan was made for";
    const CliRun check = runCli({text("check"), other, m_graph});
    QVERIFY2(check.error.contains("hint: " + sizes), check.error.constData());
    for (const QStringList& arguments :
         {QStringList{text("diff"), m_graph, m_profile, other},
          QStringList{text("live"), m_profile, text("--graph"), m_graph, text("--plan"), other}}) {
        const CliRun run = runCli(arguments);
        QCOMPARE(run.exit, 3);
        QVERIFY2(run.hasOneSentence(), run.error.constData());
        QVERIFY2(run.error.contains("other.json: " + sizes), run.error.constData());
    }
    // Nor does the recording's step run the plan itself.
    const CliRun unplanned =
        runCli({text("live"), m_profile, text("--graph"), m_graph, text("--plan"), path});
    QCOMPARE(unplanned.exit, 3);
    QVERIFY2(unplanned.error.contains("than this plan does, so it ran another plan, or none."),
             unplanned.error.constData());
}

} // namespace

PLIMSOLL_TEST(CliWaterfallTest, QCoreApplication)
#include "cli_waterfall_test.moc"
