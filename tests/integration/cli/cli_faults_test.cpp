// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/temp_folder.h"

#include <QFile>
#include <QFileInfo>
#include <QTest>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::samplePath;

QString text(const char* utf8)
{
    return QString::fromUtf8(utf8);
}

class CliFaultsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void wrongUsageExitsWith2_data();
    void wrongUsageExitsWith2();
    void badGraphsExitWith3AndOneSentence_data();
    void badGraphsExitWith3AndOneSentence();
    void badPlansExitWith3AndOneSentence_data();
    void badPlansExitWith3AndOneSentence();
    void anExportThatCantBeWrittenExitsWith3BeforeSuccessIsPrinted();
    void theGraphIsNeverOverwritten();
    void badChainsExitWith3AndOneSentence_data();
    void badChainsExitWith3AndOneSentence();

private:
    [[nodiscard]] QString file(const char* name) const
    {
        return QString::fromStdString(m_folder.file(name));
    }
    [[nodiscard]] QString fileWith(const char* name, const QByteArray& content) const
    {
        return QString::fromStdString(m_folder.fileWith(name, content.toStdString()));
    }

    support::TempFolder m_folder;
    QString m_resnet = samplePath(text("resnet18"));
};

/// Example E1 of six equal stages.
const QByteArray kChain = R"({"ftime":[1,1,1,1,1,1],"btime":[2,2,2,2,2,2,0],)"
                          R"("x":[1,1,1,1,1,1,1],"xbar":[1,3,3,3,3,3,3],)"
                          R"("ftmp":[0,0,0,0,0,0],"btmp":[1,1,1,1,1,1,0]})";

void CliFaultsTest::wrongUsageExitsWith2_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("named");

    const auto row = [](const char* name, const char* arguments, const char* named) {
        QTest::newRow(name) << text(arguments).split(u' ', Qt::SkipEmptyParts) << QByteArray{named};
    };
    row("nothing", "", "");
    row("unknown verb", "paln g.json", "\"paln\"");
    row("unknown verb below solve", "solve chian f.json", "\"chian\"");
    row("unknown flag", "inspect g.json --frobnicate", "frobnicate");
    row("no file", "inspect", "FILE");
    row("no budget", "plan g.json", "--budget");
    row("no graph", "plan --budget 1GiB", "GRAPH");
    row("budget of nonsense", "plan g.json --budget 5XB", "\"5XB\"");
    row("negative budget", "plan g.json --budget=-5MiB", "-5MiB");
    row("ratio of nonsense", "plan g.json --budget abc%", "abc%");
    row("unknown device", "plan g.json --budget 1GiB --device z1", "\"z1\"");
    row("unknown planner", "plan g.json --budget 1GiB --planner magic", "\"magic\"");
    row("op granularity", "plan g.json --budget 1GiB --granularity op", "granularity");
    row("step runtime", "plan g.json --budget 1GiB --runtime step", "runtime");
    row("unknown ending", "plan g.json --budget 1GiB --export a.docx", "a.docx");
    row("option out of range", "plan g.json --budget 1GiB --slots -3", "slots");
    row("time limit of zero", "plan g.json --budget 1GiB --time-limit 0", "time-limit");
    row("chain without a budget", "solve chain c.json", "budget");
    row("unknown recurrence", "solve chain c.json --budget 3 --recurrence x", "recurrence");
    row("export without output", "export g.json p.json", "output");
}

void CliFaultsTest::wrongUsageExitsWith2()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, named);
    const CliRun run = runCli(arguments);
    QCOMPARE(run.exit, 2);
    QCOMPARE(run.out, QByteArray{});
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    QVERIFY2(run.error.contains(named), run.error.constData());
}

void CliFaultsTest::badGraphsExitWith3AndOneSentence_data()
{
    QTest::addColumn<QString>("path");

    const QByteArray sample = tests::fileBytes(m_resnet);
    QVERIFY(sample.size() > 1000);
    QTest::newRow("missing") << file("missing.json");
    QTest::newRow("a folder") << QString::fromStdString(m_folder.path().string());
    QTest::newRow("0 bytes") << fileWith("empty.json", {});
    QTest::newRow("garbage") << fileWith("garbage.json", QByteArray(5000, '\xfe'));
    QTest::newRow("cut off") << fileWith("cut.plimsoll.json.gz", sample.first(sample.size() / 2));
    QTest::newRow("cut off in the head") << fileWith("cut2.plimsoll.json.gz", sample.first(12));
    QTest::newRow("nested deeply")
        << fileWith("deep.json", "{\"format\":\"plimsoll-graph\",\"version\":1,\"x\":"
                                     + QByteArray(300000, '['));
    QTest::newRow("wrong type") << fileWith("type.json",
                                            R"({"format":"plimsoll-graph","version":1,"ops":5})");
    QTest::newRow("newer version")
        << fileWith("newer.json", R"({"format":"plimsoll-graph","version":2})");
    QTest::newRow("another format") << fileWith("other.json", R"({"a": 1})");
    QTest::newRow("line breaks in the name") << file("no\nsuch\x1b[31m.json");
}

void CliFaultsTest::badGraphsExitWith3AndOneSentence()
{
    QFETCH(QString, path);
    for (const QStringList& arguments :
         {QStringList{text("inspect"), path},
          QStringList{text("plan"), path, text("--budget"), text("1GiB"), text("--json")}}) {
        const CliRun run = runCli(arguments);
        QVERIFY2(run.exit == 3, run.error.constData());
        QCOMPARE(run.out, QByteArray{});
        QVERIFY2(run.hasOneSentence(), run.error.constData());
        const QByteArray name = QFileInfo{path}.fileName().toUtf8().first(2);
        QVERIFY2(run.error.contains(name), run.error.constData());
        QVERIFY(!run.error.contains('\x1b'));
    }
}

void CliFaultsTest::badPlansExitWith3AndOneSentence_data()
{
    QTest::addColumn<QString>("path");

    const QString plan = file("good.json");
    QCOMPARE(
        runCli({text("plan"), m_resnet, text("--budget"), text("2100MiB"), text("--export"), plan})
            .exit,
        0);
    const QByteArray good = tests::fileBytes(plan);
    const auto changed = [&](const char* name, const QByteArray& from, const QByteArray& to) {
        QByteArray content = good;
        const qsizetype at = content.indexOf(from);
        if (at >= 0)
            content.replace(at, from.size(), to);
        QTest::newRow(name) << (at >= 0 ? fileWith((std::string{name} + ".json").c_str(), content)
                                        : file("unchanged"));
    };
    QTest::newRow("missing") << file("missing.json");
    QTest::newRow("0 bytes") << fileWith("zero.json", {});
    QTest::newRow("cut off") << fileWith("half.json", good.first(good.size() / 2));
    QTest::newRow("nested deeply") << fileWith("deepplan.json", QByteArray(100000, '['));
    QTest::newRow("the graph itself") << m_resnet;
    changed("newer version", "\"version\": 1", "\"version\": 9");
    changed("fingerprint", "\"fingerprint\":\"", "\"fingerprint\":\"0");
    changed("device", "\"device\": \"a100-80gb\"", "\"device\": \"abacus\"");
    changed("path", "\"path\":\"", "\"path\":\"no.");
    changed("class", "\"class\":\"", "\"class\":\"No");
    changed("first", "\"first\":", "\"first\":1");
    changed("labels", "\"labels\": [", "\"labels\": [7,");
}

void CliFaultsTest::badPlansExitWith3AndOneSentence()
{
    QFETCH(QString, path);
    QVERIFY2(!path.endsWith(text("unchanged")), "the row found nothing to change");
    const CliRun run = runCli({text("check"), path, m_resnet, text("--json")});
    QVERIFY2(run.exit == 3, run.error.constData());
    QCOMPARE(run.out, QByteArray{});
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    QVERIFY2(run.error.contains(QFileInfo{path}.fileName().toUtf8()), run.error.constData());
}

void CliFaultsTest::anExportThatCantBeWrittenExitsWith3BeforeSuccessIsPrinted()
{
    const CliRun run = runCli({text("plan"), m_resnet, text("--budget"), text("3000MiB"),
                               text("--export"), file("no/such/folder/plan.json"), text("--json")});
    QCOMPARE(run.exit, 3);
    QCOMPARE(run.out, QByteArray{});
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    QVERIFY(run.error.contains("no/such/folder/plan.json"));
}

void CliFaultsTest::theGraphIsNeverOverwritten()
{
    const QByteArray sample = tests::fileBytes(m_resnet);
    const QString graph = fileWith("graph.json", sample);
    const CliRun run =
        runCli({text("plan"), graph, text("--budget"), text("3000MiB"), text("--export"), graph});
    QCOMPARE(run.exit, 3);
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    QVERIFY(tests::fileBytes(graph) == sample);
}

void CliFaultsTest::badChainsExitWith3AndOneSentence_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("named");

    const auto row = [](const char* name, QByteArray from, QByteArray to, QByteArray named) {
        QByteArray content = kChain;
        content.replace(from, to);
        QTest::newRow(name) << content << named;
    };
    QTest::newRow("0 bytes") << QByteArray{} << QByteArray{};
    QTest::newRow("cut off") << kChain.first(40) << QByteArray{"byte"};
    QTest::newRow("an array") << QByteArray{"[1]"} << QByteArray{"object"};
    QTest::newRow("nested deeply") << QByteArray(300000, '[') << QByteArray{"byte"};
    row("no xbar", "xbar", "bar", "\"xbar\"");
    row("an array is text", "[1,3,3,3,3,3,3]", "\"3\"", "\"xbar\"");
    row("an entry is text", "[1,3,3,3,3,3,3]", "[1,3,3,\"3\",3,3,3]", "xbar[3]");
    row("a fractional size", "[1,3,3,3,3,3,3]", "[1,3,3,3.5,3,3,3]", "xbar[3]");
    row("a negative size", "[1,3,3,3,3,3,3]", "[1,3,3,-3,3,3,3]", "xbar[3]");
    row("a size too short", "[1,3,3,3,3,3,3]", "[1,3,3]", "xbar");
    row("a negative time", "[1,1,1,1,1,1],\"btime\"", "[1,-1,1,1,1,1],\"btime\"", "ftime");
}

void CliFaultsTest::badChainsExitWith3AndOneSentence()
{
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, named);
    const CliRun run = runCli({text("solve"), text("chain"), fileWith("bad.json", content),
                               text("--budget"), text("9"), text("--json")});
    QVERIFY2(run.exit == 3, run.error.constData());
    QCOMPARE(run.out, QByteArray{});
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    QVERIFY(run.error.contains("bad.json"));
    QVERIFY2(run.error.contains(named), run.error.constData());
}

} // namespace

QTEST_GUILESS_MAIN(CliFaultsTest)
#include "cli_faults_test.moc"
