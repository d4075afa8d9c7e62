// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/build_timeline.h"
#include "core/readers/registry.h"

#include "tests/support/golden.h"
#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/random.h"
#include "tests/support/readers/flipped_bits.h"
#include "tests/support/sanitized.h"
#include "tests/support/snapshots/sample_snapshot.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"
#include "tests/unit/readers/read_csv.h"

#include <QTest>

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace plimsoll::tests; // NOLINT(google-build-using-namespace)
using namespace std::string_literals;
using plimsoll::base::ErrorKind;
using plimsoll::io::Source;
using plimsoll::readers::readProfile;

std::string sampleTable()
{
    std::ifstream file{repositoryPath("tests/data/allocations.csv")};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<std::int64_t> curveOf(const plimsoll::readers::ReadProfile& read)
{
    return plimsoll::memtrace::buildTimeline(*read.trace, read.trace->devices().front(),
                                             {plimsoll::timeline::categoryLayers(), {}},
                                             plimsoll::memtrace::Axis::Time)
        ->totals();
}

class CsvTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsAllThatATableTells();
    void readsPartsOfAnySizeAlike_data();
    void readsPartsOfAnySizeAlike();
    void readsFilesPlainAndCompressed();
    void isRecognised_data();
    void isRecognised();
    void readsWhatOthersWrite_data();
    void readsWhatOthersWrite();
    void answersWithTheLine_data();
    void answersWithTheLine();
    void theCurveIsThatOfTheRows();
    void refusesEveryCutWithinALine();
    void survivesFlippedBits();
    void boundsTheMemory_data();
    void boundsTheMemory();
    void canBeStopped();
};

void CsvTest::readsAllThatATableTells()
{
    const auto read = readCsv(sampleTable());
    QVERIFY2(read, messageOf(read));
    QCOMPARE(read->formatId, "allocations-csv"s);
    const std::string difference = differenceFromGolden("csv.txt", dumpTrace(*read->trace));
    QVERIFY2(difference.empty(), difference.c_str());
    QCOMPARE(curveOf(*read), (std::vector<std::int64_t>{1'049'087, 1'049'987, 1'053'987, 1'053'475,
                                                        1'052'575, 1'052'675, 1'052'575}));
}

void CsvTest::readsPartsOfAnySizeAlike_data()
{
    QTest::addColumn<std::size_t>("part");
    for (const std::size_t part : {1U, 2U, 3U, 7U, 64U, 1000U})
        QTest::addRow("%zu bytes", part) << part;
}

void CsvTest::readsPartsOfAnySizeAlike()
{
    QFETCH(std::size_t, part);
    const auto expected = readCsv(sampleTable());
    const auto read = readCsv(sampleTable(), part);
    QVERIFY2(read, messageOf(read));
    QCOMPARE(dumpTrace(*read->trace), dumpTrace(*expected->trace));
    QCOMPARE(read->contentHash, expected->contentHash);
}

void CsvTest::readsFilesPlainAndCompressed()
{
    const TempFolder folder;
    plimsoll::base::Progress progress;
    const std::string expected = dumpTrace(*readCsv(sampleTable())->trace);
    for (const std::string& path : {folder.fileWith("a.csv", sampleTable()),
                                    folder.fileWith("b.csv.gz", gzipped(sampleTable()))}) {
        progress.set(0);
        const auto read = readProfile(Source{path}, {{}, &progress});
        QVERIFY2(read, messageOf(read));
        QCOMPARE(dumpTrace(*read->trace), expected);
        QCOMPARE(progress.perMille(), 1000);
    }
    const auto kept = readProfile(Source{"c.csv", sampleTable()}); // a session's copy
    QVERIFY2(kept, messageOf(kept));
    QCOMPARE(dumpTrace(*kept->trace), expected);
}

void CsvTest::isRecognised_data()
{
    QTest::addColumn<std::string>("head");
    QTest::addColumn<bool>("known");
    QTest::newRow("all columns") << sampleTable().substr(0, 200) << true;
    QTest::newRow("few, in capitals") << "\xef\xbb\xbf\"Bytes\",ALLOC_NS\r\n1,2"s << true;
    QTest::newRow("one line") << "bytes,free_event"s << true;
    QTest::newRow("no times") << "device,address,bytes\n"s << false;
    QTest::newRow("no bytes") << "alloc_ns,free_ns\n"s << false;
    QTest::newRow("buffers to pack") << "id,lower,upper,size\n"s << false;
    QTest::newRow("something else") << "{\"bytes\": 1, \"alloc_ns\": 2}"s << false;
}

void CsvTest::isRecognised()
{
    QFETCH(std::string, head);
    QFETCH(bool, known);
    const plimsoll::readers::Registry registry{plimsoll::readers::profileReaders()};
    const auto* reader = registry.sniff("a.table", head);
    QCOMPARE(reader != nullptr && reader->id == "allocations-csv", known);
    // By its name, so that it is told which columns are missing.
    const auto* named = registry.sniff("a.csv", head);
    QVERIFY(named != nullptr && named->id == "allocations-csv");
    const auto read = readProfile(Source{"a.csv", head + '\n'});
    QVERIFY(known || (!read && read.error().message.starts_with("a.csv line 1")));
}

void CsvTest::readsWhatOthersWrite_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("expected"); // a line of the dump
    const auto row = [](const char* name, std::string text, const char* expected) {
        QTest::newRow(name) << std::move(text) << std::string{expected};
    };
    row("two columns", "bytes,alloc_ns\n5,7\n", "allocation 0 0x0 5 B, events 0 to -");
    row("no line end", "bytes,alloc_ns\n5,7", "fault last_line_without_end: 1");
    row("CRLF", "alloc_ns,bytes\r\n7,5\r\n", "allocation 0 0x0 5 B, events 0 to -");
    row("CR", "alloc_ns,bytes\r7,5\r", "allocation 0 0x0 5 B, events 0 to -");
    row("empty lines", "\n\nbytes,alloc_ns\n\n5,7\n\n", "device 0, 1 events recorded");
    row("a byte order mark",
        "\xef\xbb\xbf"
        "bytes,alloc_ns\n5,7\n",
        "device 0, 1 events recorded");
    row("other columns", "x,bytes,y,alloc_ns\n\"1\n2\",5,,7\n", "device 0, 1 events recorded");
    row("events alone", "bytes,alloc_event,free_event\n5,2,9\n6,3,\n",
        "epoch 0 ns, duration 3 ns, times false");
    row("times alone", "bytes,alloc_ns,free_ns\n5,1700000000000000002,1700000000000000009\n",
        "epoch 1700000000000000002 ns, duration 7 ns, times true");
    row("a time is missing", "bytes,alloc_event,alloc_ns\n5,2,7\n6,3,\n",
        "epoch 0 ns, duration 2 ns, times false");
    row("events in another order than lines", "bytes,alloc_event,free_event\n5,3,4\n6,1,2\n",
        "event 0 alloc subject 0 at 0 ns");
    row("live all the time", "bytes,alloc_ns,frame\n5,,a.py:1:f\n",
        "allocation 0 0x0 5 B, events - to -, stream 0x0 pool 0,0, a.py:1:f\n");
    row("freed at once", "bytes,alloc_ns,free_ns\n5,7,7\n", "allocation 0 0x0 5 B, events 0 to 1");
    row("an address that is used again at once",
        "bytes,address,alloc_ns,free_ns\n5,16,7,8\n6,0x10,8,9\n",
        "allocation 1 0x10 6 B, events 2 to 3");
    row("an address that is used twice at once",
        "bytes,address,alloc_ns,free_ns\n5,16,7,9\n6,16,8,10\n",
        "fault allocations_of_live_blocks: 1");
    row("pools of two numbers", "bytes,alloc_ns,pool\n5,7,\"(1, 2)\"\n", "pool 1,2,");
    row("a pool of one number", "bytes,alloc_ns,pool\n5,7,0x3\n", "pool 3,0,");
    row("a guarded name", "bytes,alloc_ns,frame\n5,7,'=f()\n", ":0:=f()\n");
    row("a guarded device", "bytes,alloc_ns,device\n5,7,'-1\n", "device -1, 1 events recorded");
    row("names with colons", "bytes,alloc_ns,frame,stack_id\n5,7,/a:b/c.py:12:A::f,9\n",
        " /a:b/c.py:12:A::f[stack 9]\n");
    row("no Python", "bytes,alloc_ns,frame\n5,7,(no Python frame)\n", "pool 0,0,\n");
}

void CsvTest::readsWhatOthersWrite()
{
    QFETCH(std::string, text);
    QFETCH(std::string, expected);
    for (const std::size_t part : {std::size_t{1}, text.size()}) {
        const auto read = readCsv(text, part);
        QVERIFY2(read, messageOf(read));
        const std::string dump = dumpTrace(*read->trace);
        QVERIFY2(dump.find(expected) != std::string::npos, dump.c_str());
    }
}

void CsvTest::answersWithTheLine_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("says");
    const auto row = [](const char* name, std::string text, const char* says) {
        QTest::newRow(name) << std::move(text) << std::string{says};
    };
    const std::string begin = "bytes,alloc_ns,free_ns,address,device\n1,2,3,4,0\n";
    row("no columns", "a,b\n", "line 1: it names no column bytes");
    row("a word for bytes", begin + "many,2,3,4,0\n",
        "line 3: the column bytes must be a whole number, or empty, not \"many\"");
    row("no bytes", begin + ",2,3,4,0\n", "line 3: the column bytes must be a number of bytes");
    row("negative bytes", begin + "-1,2,3,4,0\n", "line 3: the column bytes must be from 0 to");
    row("2^62 bytes", begin + "4611686018427387904,2,3,4,0\n",
        "line 3: the column bytes must be from 0 to 1125899906842624, not \"4611686018427387904\"");
    row("2^64 bytes", begin + "18446744073709551616,2,3,4,0\n", "line 3: the column bytes");
    row("a fraction", begin + "1,2.5,3,4,0\n", "line 3: the column alloc_ns must be");
    row("an address beyond all", begin + "1,2,3,0xffffffffffffffff,0\n",
        "line 3: the column address must be from 0 to");
    row("an address that is none", begin + "1,2,3,0x,0\n", "line 3: the column address");
    row("too many devices", begin + "1,2,3,4,5000\n", "line 3: the column device must be from -1");
    row("a free before its allocation", begin + "1,9,3,4,0\n",
        "line 3: free_ns 3 comes before alloc_ns 9");
    row("too few fields", begin + "1,2,3\n", "line 3: it has 3 fields, but the first line has 5");
    row("too many fields", begin + "1,2,3,4,0,6\n", "line 3: it has 6 fields");
    row("a line behind one with line ends", "bytes,alloc_ns,x\n1,2,\"\n\r\n\"\n1,x,\n",
        "line 5: the column alloc_ns");
    row("a quote within", begin + "1,2\",3,4,0\n", "line 3: it has a quote within a field");
    row("text behind a quote", begin + "\"1\"2,2,3,4,0\n", "line 3: it has text behind the quote");
    row("a quote without an end", begin + "\"1,2,3\n4,0\n",
        "line 3: it has a quoted field without an end");
    row("a long line", begin + std::string(1'100'000, '1'), "line 3: it is longer than 1 MiB");
    row("a wide line", begin + std::string(2000, ','), "line 3: it has more than 1000 fields");
    row("a zero byte", begin + "1,2,3,4,\0"s, "line 3: it contains a zero byte");
    row("no UTF-8", begin + "1,2,3,4,\xff\n", "line 3: it is not UTF-8");
    row("a pool that is none", "bytes,alloc_ns,pool\n1,2,x\n",
        "line 2: the column pool must be a pair such as 0.3, not \"x\"");
    row("nothing orders the rows", "bytes,alloc_ns,alloc_event\n1,2,\n1,,3\n",
        "line 2: it has a time without an event, and line 3 an event without a time");
    row("no rows", "bytes,alloc_ns\n",
        "is a table of allocations, but the recording has no events");
}

void CsvTest::answersWithTheLine()
{
    QFETCH(std::string, text);
    QFETCH(std::string, says);
    for (const std::size_t part : {std::size_t{7}, text.size()}) {
        const std::string fault = faultOfRefusal(readCsv(text, part), {"net.csv", says});
        QVERIFY2(fault.empty(), fault.c_str());
    }
}

void CsvTest::theCurveIsThatOfTheRows()
{
    // Random lives of 300 allocations, in any order of lines; the curve by adding up.
    Random random{9};
    std::vector<std::int64_t> expected(601);
    std::vector<int> moments(600);
    for (int i = 0; i < 600; ++i)
        moments[static_cast<std::size_t>(i)] = i;
    for (std::size_t i = moments.size(); i-- > 1;)
        std::swap(moments[i], moments[random.below(i + 1)]);
    std::string text = "free_event,bytes,address,alloc_event\n";
    for (std::size_t i = 0; i < 300; ++i) {
        const auto [first, last] = std::minmax(moments[2 * i], moments[2 * i + 1]);
        const int bytes = random.between(0, 1'000'000);
        text += fmt::format("{},{},{:#x},{}\n", last, bytes, (i + 1) << 20U, first);
        for (int step = first + 1; step <= last; ++step)
            expected[static_cast<std::size_t>(step)] += bytes;
    }
    const auto read = readCsv(text);
    QVERIFY2(read, messageOf(read));
    QCOMPARE(curveOf(*read), expected);
    QVERIFY(read->trace->statistics().empty());
}

void CsvTest::refusesEveryCutWithinALine()
{
    const std::string whole = sampleTable();
    int refused = 0;
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const auto read = readCsv(std::string_view{whole}.substr(0, size));
        refused += read ? 0 : 1;
        if (!read)
            QVERIFY2(isOneSentence(read.error().message), messageOf(read));
        else // all but the last field is there, and the line has no end
            QVERIFY(whole[size - 1] == '\n'
                    || read->trace->statistics().contains("last_line_without_end"));
    }
    QVERIFY(refused > 300);
}

void CsvTest::survivesFlippedBits()
{
    const std::string fault =
        faultOfFlippedBits(sampleTable(), 20'000 / share(), 1,
                           [](const std::string& bytes) { return readCsv(bytes); });
    QVERIFY2(fault.empty(), fault.c_str());
}

void CsvTest::boundsTheMemory_data()
{
    QTest::addColumn<bool>("compressed");
    QTest::addColumn<bool>("named"); // each row has a frame of its own
    QTest::addColumn<QString>("end");
    const QString end = QStringLiteral("the file takes more memory than a table of its size can "
                                       "need; %1.");
    const QString damaged = QStringLiteral("it is damaged, or made to exhaust the memory");
    const QString unpack = QStringLiteral("if you know where it comes from, decompress it first");
    QTest::newRow("short rows") << false << false << end.arg(damaged);
    QTest::newRow("names") << false << true << end.arg(damaged);
    QTest::newRow("compressed") << true << false << end.arg(unpack);
}

void CsvTest::boundsTheMemory()
{
    QFETCH(bool, compressed);
    QFETCH(bool, named);
    QFETCH(QString, end);
    // Four bytes a row are more memory each than files of that size may take.
    plimsoll::readers::csv::Reading reading{"net.csv"};
    const plimsoll::io::FileFacts file{compressed, 1000};
    std::size_t size = 0;
    plimsoll::base::Result<void> fed = reading.feed("bytes,alloc_event,frame\n", file);
    for (int i = 0; i < 5'000'000 && fed; i += 1000) {
        std::string rows;
        for (int k = 0; k < 1000; ++k)
            rows += named ? fmt::format("1,2,{}\n", i + k) : "1,2,\n"s;
        size += rows.size();
        fed = reading.feed(rows, file);
    }
    QVERIFY(!fed);
    QVERIFY2(QString::fromStdString(fed.error().message).endsWith(end),
             fed.error().message.c_str());
    constexpr std::size_t kSlack = std::size_t{1} << 20U;
    const std::size_t most = compressed ? (std::size_t{64} << 20U)
                                        : 4 * size + plimsoll::readers::csv::Reading::kFreeBytes;
    QVERIFY(reading.memoryBytes() <= most + kSlack);
}

void CsvTest::canBeStopped()
{
    const TempFolder folder;
    std::stop_source stop;
    stop.request_stop();
    for (const std::string& path : {folder.fileWith("a.csv", sampleTable()),
                                    folder.fileWith("b.csv.gz", gzipped(sampleTable()))}) {
        const auto read = readProfile(Source{path}, {.stop = stop.get_token()});
        QVERIFY(!read);
        QCOMPARE(read.error().kind, ErrorKind::Cancelled);
    }
}

} // namespace

PLIMSOLL_TEST(CsvTest, QCoreApplication)
#include "csv_test.moc"
