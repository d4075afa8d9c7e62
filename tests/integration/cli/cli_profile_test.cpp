// SPDX-License-Identifier: Apache-2.0
// Verbs about memory profiles.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

class CliProfileTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void liveTellsWhoHoldsWhat_data();
    void liveTellsWhoHoldsWhat();
    void liveAgreesWithInspect();
    void liveListsTheTopGroups();
    void withoutTimesNoneIsTold();
    void liveRefuses_data();
    void liveRefuses();
    void aGraphNamesWhatIsLive();
    void aGraphOfAnotherModelIsRefused();

private:
    [[nodiscard]] CliRun live(const QStringList& options) const
    {
        return runCli(QStringList{text("live"), m_profile} + options);
    }

    tests::TempFolder m_files;
    QString m_profile; ///< of many stacks
};

void CliProfileTest::initTestCase()
{
    m_profile = tests::generatedFile(m_files, "training.pickle", {.events = 3000});
    QVERIFY(QFile::exists(m_profile));
}

void CliProfileTest::liveTellsWhoHoldsWhat_data()
{
    QTest::addColumn<QString>("at");
    for (const char* at : {"peak", "end", "0", "1", "0ns", "10s"})
        QTest::newRow(at) << text(at);
}

/// Bytes and blocks are the sums of the groups', in every grouping.
void CliProfileTest::liveTellsWhoHoldsWhat()
{
    QFETCH(QString, at);
    std::optional<QJsonObject> first;
    for (const char* by : {"frame", "stack", "class", "module", "stream", "pool"}) {
        const CliRun run = live({text("--at"), at, text("--by"), text(by), text("--json")});
        QCOMPARE(run.exit, 0);
        const QJsonObject json = run.json();
        double bytes = 0;
        double blocks = 0;
        for (const QJsonValue group : json[text("groups")].toArray()) {
            bytes += group.toObject()[text("bytes")].toDouble();
            blocks += group.toObject()[text("blocks")].toDouble();
        }
        QCOMPARE(json[text("bytes")].toDouble(), bytes);
        QCOMPARE(json[text("blocks")].toDouble(), blocks);
        if (!first)
            first = json;
        QCOMPARE(json[text("event")], (*first)[text("event")]);
        QCOMPARE(json[text("bytes")], (*first)[text("bytes")]);
    }
}

void CliProfileTest::liveAgreesWithInspect()
{
    const QJsonObject summary =
        runCli({text("inspect"), m_profile, text("--json")}).json()[text("summary")].toObject();
    const QJsonObject peak = live({text("--json")}).json();
    QVERIFY(peak[text("bytes")].toDouble() > 0);
    QCOMPARE(peak[text("bytes")], summary[text("peak_bytes")]);
    QCOMPARE(peak[text("event")], summary[text("peak_event")]);
    QCOMPARE(peak[text("ns")], summary[text("peak_ns")]);
    const QJsonObject end = live({text("--at"), text("end"), text("--json")}).json();
    QCOMPARE(end[text("bytes")], summary[text("end_bytes")]);
}

void CliProfileTest::liveListsTheTopGroups()
{
    const CliRun all = live({text("--by"), text("stack"), text("--json")});
    const CliRun top =
        live({text("--by"), text("stack"), text("--top"), text("1"), text("--json")});
    QCOMPARE(top.json()[text("groups")].toArray().size(), 1);
    QVERIFY(all.json()[text("groups")].toArray().size() > 1);
    QCOMPARE(top.json()[text("groups")].toArray().first(),
             all.json()[text("groups")].toArray().first());
    QCOMPARE(top.json()[text("bytes")], all.json()[text("bytes")]);
    const QString told =
        QString::fromUtf8(live({text("--by"), text("stack"), text("--top"), text("1")}).out);
    QVERIFY2(told.contains(text("more group")), qPrintable(told));
}

/// Events have places without times, and no units of time.
void CliProfileTest::withoutTimesNoneIsTold()
{
    const QString file =
        tests::generatedFile(m_files, "no_times.pickle", {.events = 3000, .hasTimes = false});
    const QString other = m_profile;
    const CliRun read = runCli({text("live"), file});
    const QString line = QString::fromUtf8(read.out).section(u'\n', 0, 0);
    static const QRegularExpression kHead{
        QStringLiteral("^device 0, event \\d+: [0-9.]+ .iB live ")};
    QVERIFY2(kHead.match(line).hasMatch(), qPrintable(line));
    const QJsonObject with = runCli({text("live"), other, text("--json")}).json();
    const QJsonObject live = runCli({text("live"), file, text("--json")}).json();
    QVERIFY(live.contains(text("ns")) && live[text("ns")].isNull());
    QVERIFY(with[text("ns")].toInteger() > 0);
    QCOMPARE(live[text("event")], with[text("event")]);
    QCOMPARE(live[text("bytes")], with[text("bytes")]);

    const QJsonObject diagnosis = runCli({text("diagnose"), file, text("--json")}).json();
    QVERIFY(diagnosis.contains(text("ns")) && diagnosis[text("ns")].isNull());
    const QJsonObject diff = runCli({text("diff"), file, other, text("--json")}).json();
    QVERIFY(diff[text("a")].toObject().contains(text("ns")));
    QVERIFY(diff[text("a")].toObject()[text("ns")].isNull());
    QCOMPARE(diff[text("b")].toObject()[text("ns")], with[text("ns")]);
    const QJsonObject summary =
        runCli({text("inspect"), file, text("--json")}).json()[text("summary")].toObject();
    for (const char* key : {"peak_ns", "duration_ns"})
        QVERIFY2(summary.contains(text(key)) && summary[text(key)].isNull(), key);
    compareRefusal({text("live"), file, text("--at"), text("2us")}, 2,
                   text("The recording has no times: --at takes peak"));
    QCOMPARE(runCli({text("live"), file, text("--at"), text("2")}).exit, 0);
}

void CliProfileTest::liveRefuses_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("grouping") << QStringList{text("--by"), text("size")}
                              << text("--by takes frame, stack, class, module, stream or pool");
    QTest::newRow("point") << QStringList{text("--at"), text("noon")}
                           << text("--at takes peak, end, oom");
    QTest::newRow("event") << QStringList{text("--at"), text("123456789")}
                           << text("There is no event 123456789");
    QTest::newRow("device") << QStringList{text("--device"), text("7")}
                            << text("The recording has no device 7");
}

void CliProfileTest::liveRefuses()
{
    QFETCH(QStringList, options);
    QFETCH(QString, sentence);
    const CliRun run = live(options);
    QCOMPARE(run.exit, 2);
    QVERIFY2(QString::fromUtf8(run.error).contains(sentence), run.error.constData());
}

/// The sample was recorded with stacks="python": backward has no frames.
void CliProfileTest::aGraphNamesWhatIsLive()
{
    const QString profile =
        text(PLIMSOLL_SOURCE_DIR "/resources/samples/encoder_training.stand-in.pickle.gz");
    const QString graph = text(PLIMSOLL_SOURCE_DIR "/tests/data/encoder.plimsoll.json.gz");
    const auto groups = [&](const char* by, bool isNamed) {
        QStringList options{text("live"), profile, text("--by"), text(by), text("--json")};
        if (isNamed)
            options << text("--graph") << graph;
        const CliRun run = runCli(options);
        return run.exit == 0 ? run.json() : QJsonObject{};
    };
    const auto named = [](const QJsonObject& answer, const QString& name) {
        for (const QJsonValue& group : answer[text("groups")].toArray())
            if (group[text("name")].toString() == name)
                return group[text("blocks")].toInt();
        return 0;
    };
    const QJsonObject frames = groups("frame", false);
    const QJsonObject namedFrames = groups("frame", true);
    QCOMPARE(namedFrames[text("bytes")], frames[text("bytes")]);
    QVERIFY(named(frames, text("(no Python frame)")) > 0);
    QCOMPARE(named(namedFrames, text("(no Python frame)")), 0);
    QVERIFY(!frames.contains(text("graph")));
    const QJsonObject told = namedFrames[text("graph")].toObject();
    QCOMPARE(told[text("steps")].toInt(), 3);
    QCOMPARE(told[text("agreeing_steps")].toInt(), 3);
    QCOMPARE(told[text("allocations")].toInt(), 2226);
    QCOMPARE(told[text("known")].toInt(), 1530);
    const QJsonObject modules = groups("module", true);
    QVERIFY(named(modules, text("layers.0.linear1")) > 0);
    QJsonObject saved; // what gelu saves
    for (const QJsonValue& block : modules[text("known")].toArray())
        if (block[text("tensor")].toString() == text("layers.0.linear1 · aten.addmm"))
            saved = block.toObject();
    QCOMPARE(saved[text("shape")].toString(), text("4096x1024 float32"));
    QCOMPARE(saved[text("phase")].toString(), text("forward"));
    QVERIFY2(saved[text("why")].toString().startsWith(
                 text("layers.0 · aten.gelu saves it for backward, which reads it in layers.0 · "
                      "aten.gelu_backward, op ")),
             qPrintable(saved[text("why")].toString()));
    const CliRun plain = runCli({text("live"), profile, text("--graph"), graph});
    QVERIFY2(plain.out.contains(", from the graph)\n"), plain.out.constData());
    QVERIFY2(plain.out.contains(" in 3 of 3 steps are known from the graph "),
             plain.out.constData());
}

void CliProfileTest::aGraphOfAnotherModelIsRefused()
{
    const QString profile =
        text(PLIMSOLL_SOURCE_DIR "/resources/samples/encoder_training.stand-in.pickle.gz");
    const CliRun other = runCli({text("live"), profile, text("--graph"), m_resnet});
    QCOMPARE(other.exit, 3);
    QVERIFY2(other.hasOneSentence(), other.error.constData());
    QVERIFY2(other.error.contains("The recording is one of another model, batch or plan: "),
             other.error.constData());
    const CliRun plan = runCli({text("live"), profile, text("--plan"), m_resnet});
    QCOMPARE(plan.exit, 2);
    QVERIFY2(plan.error.contains("--graph"), plan.error.constData());
}

} // namespace

PLIMSOLL_TEST(CliProfileTest, QCoreApplication)
#include "cli_profile_test.moc"
