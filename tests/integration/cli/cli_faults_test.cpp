// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTest>

#include <sys/stat.h>

namespace {

using namespace plimsoll;
using tests::chainOfSixStages;
using tests::CliRun;
using tests::runCli;
using tests::samplePath;
using tests::text;

class CliFaultsTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void wrongUsageExitsWith2_data();
    void wrongUsageExitsWith2();
    void badGraphsExitWith3AndOneSentence_data();
    void badGraphsExitWith3AndOneSentence();
    void whatIsNoFileExitsWith3AndOneSentence_data();
    void whatIsNoFileExitsWith3AndOneSentence();
    void anEmptyNameIsQuoted();
    void marksAndBlanksBeforeAFileAreTaken();
    void floodsOfValuesAreRefusedBeforeTheyTakeMemory();
    void badPlansExitWith3AndOneSentence_data();
    void badPlansExitWith3AndOneSentence();
    void anExportThatCantBeWrittenExitsWith3BeforeSuccessIsPrinted();
    void aPlanOfAnotherGraphSaysWhatToDo();
    void namesNeverSteerTheTerminal();
    void exportsThroughLinksAndRefusesTheRest();
    void theGraphIsNeverOverwritten();
    void badChainsExitWith3AndOneSentence_data();
    void badChainsExitWith3AndOneSentence();
};

void CliFaultsTest::wrongUsageExitsWith2_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("named");

    const auto row = [](const QByteArray& name, const QByteArray& arguments, const char* named) {
        QTest::newRow(name.constData())
            << QString::fromUtf8(arguments).split(u' ', Qt::SkipEmptyParts) << QByteArray{named};
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
    row("other granularity", "plan g.json --budget 1GiB --granularity layer", "granularity");
    row("other runtime", "plan g.json --budget 1GiB --runtime eager", "runtime");
    row("unknown ending", "plan g.json --budget 1GiB --export a.docx", "a.docx");
    row("option out of range", "plan g.json --budget 1GiB --slots -3", "slots");
    row("time limit of zero", "plan g.json --budget 1GiB --time-limit 0", "time-limit");
    for (const char* limit : {"nan", "inf", "-1", "1e300", "0x10", "1e-999", "5s"})
        row(QByteArray{"time limit of "} + limit,
            QByteArray{"plan g.json --budget 1GiB --time-limit "} + limit, "time-limit");
    row("chain's time limit of nan", "solve chain c.json --budget 9 --time-limit nan",
        "time-limit");
    for (const char* points : {"nan", "0", "1.5", "true", "0x10", "99999999999999999999"})
        row(QByteArray{"frontier of "} + points,
            QByteArray{"plan g.json --budget 1GiB --frontier "} + points, "frontier");
    for (const char* slots : {"nan", "true", "99999999999999999999"})
        row(QByteArray{"slots of "} + slots,
            QByteArray{"plan g.json --budget 1GiB --slots "} + slots, "slots");
    for (const char* size : {"nan", "-5", "1e30GiB", "nan%", "-1%", "1e9%"}) {
        row(QByteArray{"reserve of "} + size,
            QByteArray{"plan g.json --budget 1GiB --reserve "} + size, size);
        row(QByteArray{"peak limit of "} + size,
            QByteArray{"check p.json g.json --max-peak "} + size, size);
    }
    for (const char* percent : {"nan%", "inf", "-5%", "1e30%"})
        row(QByteArray{"slowdown of "} + percent,
            QByteArray{"check p.json g.json --max-slowdown "} + percent, percent);
    row("chain budget of nan", "solve chain c.json --budget nan", "budget");
    row("negative chain budget", "solve chain c.json --budget -3", "budget");
    row("chain budget too large", "solve chain c.json --budget 9999999999999999999", "budget");
    row("chain slots of nan", "solve chain c.json --budget 3 --slots nan", "slots");
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

void CliFaultsTest::whatIsNoFileExitsWith3AndOneSentence_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("named"); ///< empty: each kind of file has words of its own

    const QString pipe = file("pipe");
    if (!QFileInfo::exists(pipe))
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    QVERIFY(QFile::link(text("loop"), file("loop")) || QFileInfo{file("loop")}.isSymLink());
    QTest::newRow("a folder") << QString::fromStdString(m_folder.path().string())
                              << QByteArray{"is a folder"};
    QTest::newRow("missing") << file("missing") << QByteArray{"does not exist"};
    QTest::newRow("0 bytes") << fileWith("nothing", {}) << QByteArray{"is empty (0 bytes)"};
    // What may not be read is not told to root; this nobody can open.
    QTest::newRow("can't be opened") << file("loop") << QByteArray{"can't be opened"};
    QTest::newRow("/dev/null") << text("/dev/null") << QByteArray{"is not a regular file"};
    QTest::newRow("/dev/zero") << text("/dev/zero") << QByteArray{"is not a regular file"};
    QTest::newRow("a pipe that nobody writes to") << pipe << QByteArray{"is not a regular file"};
    QTest::newRow("a letter") << fileWith("letter.txt", "Dear reader\nhow are you\n")
                              << QByteArray{};
}

void CliFaultsTest::whatIsNoFileExitsWith3AndOneSentence()
{
    QFETCH(QString, path);
    QFETCH(QByteArray, named);
    const QString plan = fileWith("plan.json", "{}");
    const QString out = file("out.py");
    for (const QStringList& arguments :
         {QStringList{text("inspect"), path},
          {text("inspect"), text("--chain"), path},
          {text("plan"), path, text("--budget"), text("1GiB")},
          {text("check"), plan, path},
          {text("check"), path, m_resnet},
          {text("export"), m_resnet, path, text("-o"), out},
          {text("export"), path, plan, text("-o"), out},
          {text("solve"), text("chain"), path, text("--budget"), text("9")},
          {text("session"), text("list"), path},
          {text("session"), text("show"), path},
          {text("session"), text("compact"), path}}) {
        const CliRun run = runCli(arguments);
        const QByteArray said = arguments.join(u' ').toUtf8() + ": " + run.error;
        QVERIFY2(run.exit == 3, said.constData());
        QCOMPARE(run.out, QByteArray{});
        QVERIFY2(run.hasOneSentence(), said.constData());
        QVERIFY2(run.error.startsWith(path.toUtf8() + (named.isEmpty() ? "" : " " + named)),
                 said.constData());
        QVERIFY(!QFileInfo::exists(out));
    }
}

/// What a script passes if its variable isn't set.
void CliFaultsTest::anEmptyNameIsQuoted()
{
    const CliRun read = runCli({text("inspect"), QString{}});
    QCOMPARE(read.exit, 3);
    QVERIFY2(read.error.startsWith("\"\" does not exist"), read.error.constData());
    const CliRun written = runCli(
        {text("plan"), m_resnet, text("--budget"), text("80%"), text("--export"), QString{}});
    QCOMPARE(written.exit, 2);
    QVERIFY2(written.error.startsWith("\"\": the extension selects"), written.error.constData());
}

/// As some editors write them.
void CliFaultsTest::marksAndBlanksBeforeAFileAreTaken()
{
    const QByteArray graph =
        tests::fileBytes(text(PLIMSOLL_SOURCE_DIR "/tests/data/tiny.plimsoll.json"));
    const QString plan = file("plain.json");
    QCOMPARE(runCli({text("plan"), fileWith("tiny.json", graph), text("--budget"), text("100%"),
                     text("--export"), plan})
                 .exit,
             0);
    for (const QByteArray& before : {QByteArray{"\n"}, QByteArray(500, ' '),
                                     QByteArray{"\xef\xbb\xbf"}, QByteArray{"\xef\xbb\xbf\r\n"}}) {
        const QString marked = fileWith("marked.json", before + graph);
        const CliRun run = runCli(
            {text("check"), fileWith("plan2.json", before + tests::fileBytes(plan)), marked});
        QVERIFY2(run.exit == 0, run.error.constData());
        // The place of a fault is that in the file.
        const CliRun broken =
            runCli({text("inspect"), fileWith("broken.json", before + graph.first(90) + "?")});
        QCOMPARE(broken.exit, 3);
        QVERIFY2(broken.hasOneSentence(), broken.error.constData());
    }
}

void CliFaultsTest::floodsOfValuesAreRefusedBeforeTheyTakeMemory()
{
    const QByteArray flood = "\"x\":[" + QByteArray{"{},"}.repeated(4000001) + "0]}";
    const QString plan = fileWith("flood.json", "{\"format\":\"plimsoll-plan\"," + flood);
    const QString chain = fileWith("flood.chain.json", "{" + flood);
    const QString measurement =
        fileWith("flood.measurement.json", "{\"format\":\"plimsoll-measurement\"," + flood);
    for (const QStringList& arguments :
         {QStringList{text("check"), plan, m_resnet},
          {text("diff"), measurement, m_resnet},
          {text("solve"), text("chain"), chain, text("--budget"), text("9")}}) {
        const CliRun run = runCli(arguments);
        QCOMPARE(run.exit, 3);
        QVERIFY2(run.hasOneSentence(), run.error.constData());
        QVERIFY2(run.error.contains("there are more than 4000000 values and keys, which no file of "
                                    "this kind has."),
                 run.error.constData());
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
    changed("a key twice", "\"budget_bytes\"", "\"device\": \"a100-80gb\", \"budget_bytes\"");
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
    QCOMPARE(run.error.contains("is a graph, not a plan"), path == m_resnet);
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

void CliFaultsTest::aPlanOfAnotherGraphSaysWhatToDo()
{
    const QString plan = file("resnet.json");
    QCOMPARE(
        runCli({text("plan"), m_resnet, text("--budget"), text("3000MiB"), text("--export"), plan})
            .exit,
        0);
    const CliRun run = runCli({text("check"), plan, samplePath(text("gpt2"))});
    QCOMPARE(run.exit, 3);
    QVERIFY2(run.hasOneSentence(), run.error.constData());
    for (const char* words :
         {"\"ResNet-18\" with 237 ops", "this graph is \"GPT-2",
          "export the plan again from this graph, or use the graph it was made from."})
        QVERIFY2(run.error.contains(words), run.error.constData());
}

void CliFaultsTest::namesNeverSteerTheTerminal()
{
    QByteArray graph =
        tests::fileBytes(QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/data/tiny.plimsoll.json"));
    const QByteArray key = "\"model\":";
    const qsizetype at = graph.indexOf('"', graph.indexOf(key) + key.size());
    QVERIFY(at > 0);
    const QByteArray name = "\xe2\x80\xae\xc2\x9bnet ";
    graph.insert(at + 1, name);
    const QString path = fileWith("hidden.json", graph);
    for (const char* flag : {"--json", "--chain"}) {
        const CliRun run = runCli({text("inspect"), path, text(flag)});
        QVERIFY2(run.exit == 0, run.error.constData());
        QVERIFY2(run.out.contains("\\u202e\\u009bnet "), run.out.constData());
        QVERIFY(!run.out.contains("\xe2\x80\xae"));
        QVERIFY(!run.out.contains("\xc2\x9b"));
    }
    const QJsonObject json = runCli({text("inspect"), path, text("--json")}).json();
    QVERIFY(json[text("summary")][text("name")].toString().startsWith(QString::fromUtf8(name)));
}

void CliFaultsTest::exportsThroughLinksAndRefusesTheRest()
{
    QVERIFY(QFile::link(text("behind.json"), file("link.json")));
    QVERIFY(QFile::link(text("/dev/full"), file("full.json")));
    QVERIFY(QDir{QString::fromStdString(m_folder.path().string())}.mkdir(text("folder.json")));
    const auto exporting = [&](const QString& path) {
        return runCli(
            {text("plan"), m_resnet, text("--budget"), text("3000MiB"), text("--export"), path});
    };
    QCOMPARE(exporting(file("link.json")).exit, 0);
    QVERIFY(QFileInfo{file("link.json")}.isSymLink());
    QVERIFY(QFileInfo{file("behind.json")}.size() > 100);
    // Nobody, not even root, can create files in /proc.
    for (const QString& path :
         {file("full.json"), file("folder.json"), text("/proc/self/plan.json")}) {
        const CliRun run = exporting(path);
        QVERIFY2(run.exit == 3, run.error.constData());
        QCOMPARE(run.out, QByteArray{});
        QVERIFY2(run.hasOneSentence(), run.error.constData());
        QVERIFY2(run.error.contains(QFileInfo{path}.fileName().toUtf8()), run.error.constData());
    }
    QVERIFY(QDir{file("folder.json")}.isEmpty());
    QVERIFY(QDir{QString::fromStdString(m_folder.path().string())}
                .entryList({text("*.tmp")}, QDir::Files)
                .isEmpty());
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
        QByteArray content = chainOfSixStages();
        content.replace(from, to);
        QTest::newRow(name) << content << named;
    };
    QTest::newRow("0 bytes") << QByteArray{} << QByteArray{};
    QTest::newRow("cut off") << chainOfSixStages().first(40) << QByteArray{"byte"};
    QTest::newRow("an array") << QByteArray{"[1]"} << QByteArray{"object"};
    QTest::newRow("nested deeply") << QByteArray(300000, '[') << QByteArray{"byte"};
    row("no xbar", "xbar", "bar", "\"xbar\"");
    row("an array is text", "[1,3,3,3,3,3,3]", "\"3\"", "\"xbar\"");
    row("an entry is text", "[1,3,3,3,3,3,3]", "[1,3,3,\"3\",3,3,3]", "xbar[3]");
    row("a key twice", "\"xbar\"", "\"x\":[1,1,1,1,1,1,1],\"xbar\"", "the key \"x\" appears here");
    row("a fractional size", "[1,3,3,3,3,3,3]", "[1,3,3,3.5,3,3,3]", "xbar[3]");
    row("a negative size", "[1,3,3,3,3,3,3]", "[1,3,3,-3,3,3,3]", "xbar[3]");
    row("a size too short", "[1,3,3,3,3,3,3]", "[1,3,3]", "xbar");
    const auto more = [&row](const char* name, const char* key, const char* what) {
        row(name, "{\"ftime\"", (std::string{"{"} + key + ",\"ftime\"").c_str(), what);
    };
    more("ways of five stages", R"("ways":[[],[],[],[],[]])", "ways");
    more("ways without an array", R"("ways":[[],[],3,[],[],[]])", "ways[2]");
    more("a way without sizes", R"("ways":[[],[{"ftime":1,"btime":2}],[],[],[],[]])", "xbar");
    more("a way that is a number", R"("ways":[[],[7],[],[],[],[]])", "ways[1]");
    more("a negative plain time", R"("ntime":[1,1,1,1,1,-1])", "'ntime' entry 5");
    more("too few plain temporaries", R"("ntmp":[1])", "ntmp");
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

PLIMSOLL_TEST(CliFaultsTest, QCoreApplication)
#include "cli_faults_test.moc"
