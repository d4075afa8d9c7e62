// SPDX-License-Identifier: Apache-2.0
// diagnose, and diff and export of memory profiles.
#include "tests/integration/cli/cli_runner.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <algorithm>
#include <cmath>

namespace {

using namespace plimsoll;
using tests::CliRun;
using tests::runCli;
using tests::text;

const char* const kMessage =
    "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 1 has a total "
    "capacity of 8.00 GiB of which 4.00 MiB is free. Process 17 has 1.00 GiB memory in use. "
    "Including non-PyTorch memory, this process has 6.99 GiB memory in use. Of the allocated "
    "memory 6.00 GiB is allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but "
    "unallocated.\n";

class CliDoctorTest : public QObject, private tests::CliFixture
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void diagnosePrintsTheKeysOfTheContract();
    void theFailureHasOneTime();
    void diagnoseTellsTheSameForPeople();
    void diagnoseReadsAMessage();
    void diagnoseReadsAMessageFromAFile();
    void aMessageAddsUp();
    void diagnosePlansAGraph();
    void diagnoseRefuses_data();
    void diagnoseRefuses();
    void diffOfOneProfileIsEqual();
    void diffComparesPeaks_data();
    void diffComparesPeaks();
    void diffIsTextForPeople();
    void diffRefuses_data();
    void diffRefuses();
    void exportWritesARowForEachAllocation();
    void exportWritesFigures();
    void exportRefuses_data();
    void exportRefuses();

private:
    [[nodiscard]] QJsonObject diff(const QStringList& options) const
    {
        const CliRun run =
            runCli(QStringList{text("diff"), m_first, m_second, text("--json")} + options);
        return run.exit == 0 ? run.json() : QJsonObject{};
    }
    tests::TempFolder m_files;
    QString m_first;
    QString m_second;
};

void CliDoctorTest::initTestCase()
{
    m_first = tests::generatedFile(m_files, "first.pickle", {.seed = 1, .events = 3000});
    m_second = tests::generatedFile(m_files, "second.pickle", {.seed = 2, .events = 3000});
    QVERIFY(QFile::exists(m_first) && QFile::exists(m_second));
}

void CliDoctorTest::diagnosePrintsTheKeysOfTheContract()
{
    const CliRun run = runCli({text("diagnose"), m_first, text("--json")});
    QCOMPARE(run.exit, 0);
    const QJsonObject found = run.json();
    const QStringList keys = text("asked_bytes free_bytes reserved_bytes live_bytes idle_bytes "
                                  "largest_idle_bytes by_class by_frame remedies")
                                 .split(u' ');
    QCOMPARE(tests::keysMissing(found, keys), QStringList{});
    QVERIFY(found[text("asked_bytes")].isNull()); // nothing failed
    const QJsonObject summary =
        runCli({text("inspect"), m_first, text("--json")}).json()[text("summary")].toObject();
    QCOMPARE(found[text("live_bytes")], summary[text("peak_bytes")]);
    QCOMPARE(found[text("event")], summary[text("peak_event")]);
    // What is reserved is live, rounded up or idle.
    const auto bytesOf = [&](const char* key) { return found[text(key)].toDouble(); };
    QVERIFY(bytesOf("rounding_bytes") > 0);
    QCOMPARE(bytesOf("live_bytes") + bytesOf("rounding_bytes") + bytesOf("idle_bytes"),
             bytesOf("reserved_bytes"));
    double bytes = 0;
    for (const QJsonValue group : found[text("by_class")].toArray())
        bytes += group.toObject()[text("bytes")].toDouble();
    QCOMPARE(bytes, found[text("live_bytes")].toDouble());
    for (const QJsonValue remedy : found[text("remedies")].toArray())
        QCOMPARE(tests::keysMissing(remedy.toObject(),
                                    text("id text saves_bytes how_known").split(u' ')),
                 QStringList{});
    QVERIFY(!found[text("remedies")].toArray().isEmpty());
}

void CliDoctorTest::theFailureHasOneTime()
{
    const QString sample =
        text(PLIMSOLL_SOURCE_DIR "/resources/samples/encoder_out_of_memory.stand-in.pickle.gz");
    const QJsonObject diagnosis = runCli({text("diagnose"), sample, text("--json")}).json();
    const QJsonObject live =
        runCli({text("live"), sample, text("--at"), text("oom"), text("--json")}).json();
    QVERIFY(live[text("ns")].toInteger() > 0);
    QCOMPARE(diagnosis[text("event")], live[text("event")]);
    QCOMPARE(diagnosis[text("ns")], live[text("ns")]);
}

void CliDoctorTest::diagnoseTellsTheSameForPeople()
{
    const CliRun run = runCli({text("diagnose"), m_first, text("--top"), text("2")});
    QCOMPARE(run.exit, 0);
    for (const char* part : {"No allocation failed on device 0. At its peak, event ",
                             "live by class", "live by frame", "more groups", "What would help:"})
        QVERIFY2(run.out.contains(part), run.out.constData());
}

void CliDoctorTest::diagnoseReadsAMessage()
{
    QProcess program;
    tests::startCli(program, {text("diagnose"), text("-"), text("--json")});
    program.write(kMessage);
    program.closeWriteChannel();
    QVERIFY(program.waitForFinished());
    QCOMPARE(program.exitCode(), 0);
    const QJsonObject found = QJsonDocument::fromJson(program.readAllStandardOutput()).object();
    QCOMPARE(found[text("asked_bytes")].toDouble(), 20.0 * tests::kMiB);
    QCOMPARE(found[text("free_bytes")].toDouble(), 4.0 * tests::kMiB);
    QCOMPARE(found[text("live_bytes")].toDouble(), 6144.0 * tests::kMiB);
    QCOMPARE(found[text("reserved_bytes")].toDouble(), 6656.0 * tests::kMiB);
    QCOMPARE(found[text("idle_bytes")].toDouble(), 512.0 * tests::kMiB);
    QCOMPARE(found[text("device")].toInt(), 1);
    QCOMPARE(found[text("uncertain_by")].toObject()[text("asked_bytes")].toInt(), 5243);
    for (const char* key : {"by_class", "by_frame", "largest_idle_bytes", "replay"})
        QVERIFY2(found[text(key)].isNull(), key);
    const QJsonObject first = found[text("remedies")].toArray().first().toObject();
    QCOMPARE(first[text("id")].toString(), text("other_processes"));
    QCOMPARE(first[text("saves_bytes")].toDouble(), 1024.0 * tests::kMiB);
    QCOMPARE(first[text("how_known")].toString(), text("live"));
}

void CliDoctorTest::diagnoseReadsAMessageFromAFile()
{
    const CliRun run = runCli({text("diagnose"), fileWith("oom.txt", kMessage)});
    QCOMPARE(run.exit, 0);
    QVERIFY(run.out.contains("An allocation failed on device 1:"));
    QVERIFY(run.out.contains("about 20.0 MiB"));
    QVERIFY(run.out.contains("process 17: 1.00 GiB"));
}

/// Of 79.15 GiB 1 is free, this process has 40, PyTorch 21 of these, and may have 21.7.
void CliDoctorTest::aMessageAddsUp()
{
    const QString path = fileWith(
        "oom.txt",
        "CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 79.15 GiB "
        "of which 1.00 GiB is free. Including non-PyTorch memory, this process has 40.00 GiB "
        "memory in use. 21.70 GiB allowed; Of the allocated memory 20.00 GiB is allocated by "
        "PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.");
    const CliRun run = runCli({text("diagnose"), path});
    QCOMPARE(run.exit, 0);
    for (const char* row :
         {" allowed about 21.70 GiB to the process, by "
          "torch.cuda.set_per_process_memory_fraction() missing about 3.30 GiB to ",
          " outside about 19.00 GiB in use by this process, not managed by PyTorch's allocator "
          "elsewhere about 38.15 GiB in other processes and the driver What ",
          " 38.15 GiB more at most: ", " 19.00 GiB more at most: ", " 307.2 MiB more (live): "})
        QVERIFY2(run.out.simplified().contains(row), run.out.constData());
    const QJsonObject found = runCli({text("diagnose"), path, text("--json")}).json();
    const auto bytesOf = [&](const char* key) { return found[text(key)].toInteger(); };
    QCOMPARE(bytesOf("foreign_bytes"), qint64{19} << 30U);
    QCOMPARE(bytesOf("capacity_bytes"), bytesOf("free_bytes") + bytesOf("reserved_bytes")
                                            + bytesOf("foreign_bytes")
                                            + bytesOf("other_processes_bytes"));
    QVERIFY(found[text("outside_bytes")].isNull());
    const QJsonObject errors = found[text("uncertain_by")].toObject();
    QCOMPARE(errors[text("foreign_bytes")].toInteger(), 3 * 5368710);
    QCOMPARE(errors[text("other_processes_bytes")].toInteger(), 3 * 5368710);
    QCOMPARE(errors[text("allowed_bytes")].toInteger(), 5368710);
}

/// The command that the remedy tells gives a plan for the memory that PyTorch could have.
void CliDoctorTest::diagnosePlansAGraph()
{
    const QString graph = tests::samplePath(text("resnet18"));
    const auto remedyAfter = [&](const char* message) {
        const CliRun run = runCli({text("diagnose"), fileWith("oom.txt", message), text("--graph"),
                                   graph, text("--json")});
        for (const QJsonValue remedy : run.json()[text("remedies")].toArray())
            if (remedy.toObject()[text("id")].toString() == text("plan"))
                return remedy.toObject();
        return QJsonObject{};
    };
    const QJsonObject found = remedyAfter(
        "CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 4.00 GiB "
        "of which 4.00 MiB is free. Of the allocated memory 2.40 GiB is allocated by PyTorch, and "
        "200.00 MiB is reserved by PyTorch but unallocated.");
    QCOMPARE(found[text("how_known")].toString(), text("plan"));
    QVERIFY(found[text("suffices")].toBool());
    QCOMPARE(found[text("suffices_for")].toString(), text("step"));
    const QString told = found[text("text")].toString();
    const qint64 budget = told.section(text("--budget "), 1).section(u'"', 0, 0).toLongLong();
    QVERIFY2(budget > 2500 * tests::kMiB && budget < 2700 * tests::kMiB, qPrintable(told));
    const CliRun plan =
        runCli({text("plan"), graph, text("--budget"), QString::number(budget), text("--json")});
    QCOMPARE(plan.exit, 0);
    QVERIFY(plan.json()[text("peak_bytes")].toInteger() <= budget);
    QVERIFY(plan.json()[text("reserved_bytes")].toInteger() <= budget);
    // With 6.5 GiB the step needs no plan.
    const QJsonObject other = remedyAfter(kMessage);
    QVERIFY(other[text("saves_bytes")].isNull() && !other[text("suffices")].toBool());
    QVERIFY(other[text("text")].toString().contains(text("It isn't the step that failed")));
}

void CliDoctorTest::diagnoseRefuses_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("exit");
    QTest::addColumn<QString>("sentence");
    const QStringList none;
    QTest::newRow("another text") << QByteArray{"hello"} << none << 3
                                  << text("is no memory profile, and no out-of-memory message of ");
    QTest::newRow("too long") << QByteArray(70'000, 'x') << none << 3 << text("than 65,536 bytes");
    QTest::newRow("no figures") << QByteArray{"CUDA error: out of memory"} << none << 3
                                << text("has no figures");
    QTest::newRow("a plan") << QByteArray{R"({"format":"plimsoll-plan","version":1})"} << none << 3
                            << text("is a plan, not a profile");
    QTest::newRow("device of a message")
        << QByteArray{kMessage} << QStringList{text("--device"), text("0")} << 2
        << text("--device is for memory profiles");
}

void CliDoctorTest::diagnoseRefuses()
{
    QFETCH(QByteArray, content);
    QFETCH(QStringList, options);
    QFETCH(int, exit);
    QFETCH(QString, sentence);
    compareRefusal(QStringList{text("diagnose"), fileWith("any", content)} + options, exit,
                   sentence);
    compareRefusal({text("diagnose"), file("missing")}, 3, text("missing"));
    compareRefusal({text("diagnose"), m_first, text("--device"), text("9")}, 2,
                   text("no device 9"));
}

void CliDoctorTest::diffOfOneProfileIsEqual()
{
    const QJsonObject found = runCli({text("diff"), m_first, m_first, text("--json")}).json();
    QCOMPARE(found[text("a")], found[text("b")]);
    QCOMPARE(found[text("only_a")].toObject()[text("blocks")].toInt(), 0);
    QCOMPARE(found[text("only_b")].toObject()[text("bytes")].toInt(), 0);
    for (const QJsonValue group : found[text("groups")].toArray())
        QCOMPARE(group.toObject()[text("delta_bytes")].toInt(), 0);
}

void CliDoctorTest::diffComparesPeaks_data()
{
    QTest::addColumn<QString>("by");
    for (const char* by : {"frame", "stack", "class", "module", "stream", "pool"})
        QTest::newRow(by) << text(by);
}

/// Each side is what `live` says of its peak; groups add up to it.
void CliDoctorTest::diffComparesPeaks()
{
    QFETCH(QString, by);
    constexpr double kMost = 1e18;
    const QJsonObject found = diff({text("--by"), by});
    const QJsonArray groups = found[text("groups")].toArray();
    double largest = kMost;
    for (const char* side : {"a", "b"}) {
        const QString& path = *side == 'a' ? m_first : m_second;
        const QJsonObject live =
            runCli({text("live"), path, text("--by"), by, text("--json")}).json();
        const QJsonObject told = found[text(side)].toObject();
        QCOMPARE(told[text("bytes")], live[text("bytes")]);
        QCOMPARE(told[text("event")], live[text("event")]);
        double bytes = 0;
        for (const QJsonValue group : groups)
            bytes += group.toObject()[text(side) + text("_bytes")].toDouble();
        QCOMPARE(bytes, told[text("bytes")].toDouble());
    }
    for (const QJsonValue value : groups) {
        const QJsonObject group = value.toObject();
        const double delta = group[text("delta_bytes")].toDouble();
        QCOMPARE(delta, group[text("b_bytes")].toDouble() - group[text("a_bytes")].toDouble());
        QVERIFY(std::abs(delta) <= largest);
        largest = std::abs(delta);
    }
    QVERIFY(largest < kMost);
}

void CliDoctorTest::diffIsTextForPeople()
{
    CliRun run = runCli({text("diff"), m_first, m_second, text("--top"), text("6")});
    QCOMPARE(run.exit, 0);
    const QByteArray folder = m_first.chopped(QString{"first.pickle"}.size()).toUtf8();
    const QList<QByteArray> told = run.out.replace(folder, QByteArray{}).split('\n');
    const QList<QByteArray> golden =
        tests::fileBytes(text(PLIMSOLL_SOURCE_DIR "/tests/golden/profile_diff.txt")).split('\n');
    for (qsizetype i = 0; i < std::min(told.size(), golden.size()); ++i)
        QCOMPARE(told[i], golden[i]);
    QCOMPARE(told.size(), golden.size());
}

void CliDoctorTest::diffRefuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("sentence");
    const QString graph = tests::samplePath(text("resnet18"));
    QTest::newRow("three") << QStringList{m_first, m_second, m_second} << text("third file");
    QTest::newRow("grouping") << QStringList{m_first, m_second, text("--by"), text("size")}
                              << text("--by takes frame");
    QTest::newRow("device") << QStringList{m_first, m_second, text("--device"), text("a100")}
                            << text("the number of a device");
    QTest::newRow("no such device")
        << QStringList{m_first, m_second, text("--device"), text("5")} << text("no device 5");
    QTest::newRow("groups of graphs") << QStringList{graph, graph, text("--by"), text("frame")}
                                      << text("--by and --top are for memory profiles");
}

void CliDoctorTest::diffRefuses()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, sentence);
    compareRefusal(QStringList{text("diff")} + arguments, 2, sentence);
}

void CliDoctorTest::exportWritesARowForEachAllocation()
{
    const QString path = file("out.csv");
    const CliRun run = runCli({text("export"), m_first, text("-o"), path, text("--json")});
    QCOMPARE(run.exit, 0);
    QCOMPARE(run.json()[text("kind")].toString(), text("csv"));
    QList<QByteArray> rows = tests::fileBytes(path).split('\n');
    QCOMPARE(rows.takeLast(), QByteArray{});
    const QList<QByteArray> names = rows.takeFirst().trimmed().split(',');
    QCOMPARE(names.size(), 13);
    const QJsonObject summary =
        runCli({text("inspect"), m_first, text("--json")}).json()[text("summary")].toObject();
    QCOMPARE(rows.size(), summary[text("allocations")].toInt());
    // What has no free is live at the end.
    const auto bytesAt = names.indexOf("bytes");
    const auto freeAt = names.indexOf("free_event");
    double live = 0;
    for (const QByteArray& row : rows) {
        const QList<QByteArray> fields = row.trimmed().split(',');
        if (fields[freeAt].isEmpty())
            live += fields[bytesAt].toDouble();
    }
    QCOMPARE(live, summary[text("end_bytes")].toDouble());
}

void CliDoctorTest::exportWritesFigures()
{
    const QString path = file("out.json");
    QCOMPARE(runCli({text("export"), m_first, text("-o"), path}).exit, 0);
    const QJsonObject written = QJsonDocument::fromJson(tests::fileBytes(path)).object();
    const QJsonObject told = runCli({text("inspect"), m_first, text("--json")}).json();
    QCOMPARE(written[text("summary")], told[text("summary")]);
    const QJsonObject peak = written[text("peaks")].toArray().first().toObject();
    double bytes = 0;
    for (const QJsonValue group : peak[text("by_frame")].toArray())
        bytes += group.toObject()[text("bytes")].toDouble();
    QCOMPARE(bytes, told[text("summary")].toObject()[text("peak_bytes")].toDouble());
}

void CliDoctorTest::exportRefuses_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exit");
    QTest::addColumn<QString>("sentence");
    const QString out = file("out.csv");
    QTest::newRow("ending") << QStringList{m_first, text("-o"), file("out.docx")} << 2
                            << text("must be one of .csv .svg .json");
    QTest::newRow("a plan, too") << QStringList{m_first, m_second, text("-o"), out} << 2
                                 << text("which is exported without a plan");
    QTest::newRow("a size") << QStringList{m_first, text("--at"), text("batch=4"), text("-o"), out}
                            << 2 << text("doesn't take --at");
    QTest::newRow("no plan") << QStringList{tests::samplePath(text("resnet18")), text("-o"), out}
                             << 2 << text("PLAN is required");
    QTest::newRow("no folder") << QStringList{m_first, text("-o"), file("no/such/out.csv")} << 3
                               << text("can't be written");
}

void CliDoctorTest::exportRefuses()
{
    QFETCH(QStringList, arguments);
    QFETCH(int, exit);
    QFETCH(QString, sentence);
    compareRefusal(QStringList{text("export")} + arguments, exit, sentence);
}

} // namespace

PLIMSOLL_TEST(CliDoctorTest, QCoreApplication)
#include "cli_doctor_test.moc"
