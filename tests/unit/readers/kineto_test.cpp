// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/address_layout.h"
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/summary.h"
#include "core/readers/kineto/decimal_time.h"
#include "core/readers/registry.h"

#include "tests/support/golden.h"
#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/random.h"
#include "tests/support/snapshots/sample_snapshot.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"
#include "tests/unit/readers/read_kineto.h"

#include <QTest>

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

namespace {

using namespace plimsoll::tests; // NOLINT(google-build-using-namespace)
using namespace std::string_literals;
using plimsoll::readers::Registry;
using plimsoll::readers::kineto::nanosecondsOf;

std::string replaced(std::string text, std::string_view old, std::string_view with)
{
    for (std::size_t at = text.find(old); at != std::string::npos;
         at = text.find(old, at + with.size()))
        text.replace(at, old.size(), with);
    return text;
}

/// A trace of these events of memory, each {"Bytes", "Addr" or "", "Total Allocated" or ""}.
std::string traceOf(const std::vector<std::array<std::string, 3>>& events)
{
    std::string text = R"({"schemaVersion": 1, "deviceProperties": [], "traceEvents": [)";
    int time = 100;
    for (const auto& [bytes, address, total] : events) {
        text += R"({"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": )"
                + std::to_string(++time) + R"(, "args": {"Device Type": 1, "Device Id": 0, )";
        if (!address.empty())
            text += "\"Addr\": " + address + ", ";
        if (!total.empty())
            text += "\"Total Allocated\": " + total + ", ";
        text += "\"Bytes\": " + bytes + "}},";
    }
    text.back() = ']';
    return text + "}";
}

class KinetoTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsAllThatATraceTells();
    void readsPartsOfAnySizeAlike_data();
    void readsPartsOfAnySizeAlike();
    void readsFilesPlainAndCompressed();
    void isRecognised_data();
    void isRecognised();
    void timesAreExact_data();
    void timesAreExact();
    void toleratesWhatVersionsAndFaultsDo_data();
    void toleratesWhatVersionsAndFaultsDo();
    void summarizesEachDevice();
    void theCurveIsThatOfTheTotals();
    void findsWhatWasLiveBefore();
    void pairsBySizeWithoutAddresses();
    void totalsThatDontFollowAreTold();
    void memoryWithoutAddressIsNotOnTheMap();
};

void KinetoTest::readsAllThatATraceTells()
{
    const auto read = readKineto(sampleTrace());
    QVERIFY2(read, messageOf(read));
    QCOMPARE(read->formatId, "kineto"s);
    const std::string difference = differenceFromGolden("kineto.txt", dumpTrace(*read->trace));
    QVERIFY2(difference.empty(), difference.c_str());
    for (const std::string& gap : read->trace->gaps())
        QVERIFY2(gap.ends_with('.') && gap.find('\n') == std::string::npos, gap.c_str());
}

void KinetoTest::readsPartsOfAnySizeAlike_data()
{
    QTest::addColumn<std::size_t>("part");
    for (const std::size_t part : {1U, 2U, 3U, 7U, 64U, 1000U})
        QTest::addRow("%zu bytes", part) << part;
}

void KinetoTest::readsPartsOfAnySizeAlike()
{
    QFETCH(std::size_t, part);
    const auto expected = readKineto(sampleTrace());
    const auto read = readKineto(sampleTrace(), part);
    QVERIFY2(read, messageOf(read));
    QCOMPARE(dumpTrace(*read->trace), dumpTrace(*expected->trace));
    QCOMPARE(read->contentHash, expected->contentHash);
}

void KinetoTest::readsFilesPlainAndCompressed()
{
    const TempFolder folder;
    plimsoll::base::Progress progress;
    const std::string expected = dumpTrace(*readKineto(sampleTrace())->trace);
    for (const std::string& path :
         {folder.fileWith("a.pt.trace.json", sampleTrace()),
          folder.fileWith("b.pt.trace.json.gz", gzipped(sampleTrace()))}) {
        progress.set(0);
        const auto read =
            plimsoll::readers::readProfile(plimsoll::io::Source{path}, {{}, &progress});
        QVERIFY2(read, messageOf(read));
        QCOMPARE(dumpTrace(*read->trace), expected);
        QCOMPARE(progress.perMille(), 1000);
    }
    // A session's copy.
    const auto kept = plimsoll::readers::readProfile(plimsoll::io::Source{"c.json", sampleTrace()});
    QVERIFY2(kept, messageOf(kept));
    QCOMPARE(dumpTrace(*kept->trace), expected);
}

void KinetoTest::isRecognised_data()
{
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("head");
    QTest::addColumn<bool>("known");
    QTest::newRow("by its events") << "a"s
                                   << R"({"traceEvents": [)"s << true;
    QTest::newRow("by what comes before them")
        << "a"s
        << R"( {"schemaVersion": 1, "deviceProperties": [{)"s << true;
    QTest::newRow("a bare list") << "a"s
                                 << R"([{"ph": "X", "ts": 1,)"s << true;
    QTest::newRow("by its name") << "a.pt.trace.json.gz"s
                                 << "{\"x"s << true;
    QTest::newRow("a plan") << "a.json"s
                            << R"({"format": "plimsoll-plan"})"s << false;
    QTest::newRow("another list") << "a.json"s
                                  << R"([{"name": "x"}])"s << false;
}

void KinetoTest::isRecognised()
{
    QFETCH(std::string, path);
    QFETCH(std::string, head);
    QFETCH(bool, known);
    const Registry registry{plimsoll::readers::profileReaders()};
    const auto* reader = registry.sniff(path, head);
    QCOMPARE(reader != nullptr && reader->id == "kineto", known);
}

void KinetoTest::timesAreExact_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::optional<std::int64_t>>("expected");
    const auto row = [](const char* text, std::optional<std::int64_t> expected) {
        QTest::newRow(text) << std::string{text} << expected;
    };
    row("0", 0);
    row("12", 12'000);
    row("12.5", 12'500);
    row("5082936646179.568", 5'082'936'646'179'568);
    row("1700000000000123.457", 1'700'000'000'000'123'457); // a double has 0.25 us here
    row("1700000000000123.4579", 1'700'000'000'000'123'457);
    row("0.0009", 0);
    row("-3.25", -3'250);
    row("1.7e3", 1'700'000);
    row("1e-2", 10);
    row("1.7e15 ", 1'700'000'000'000'000'000);
    row("2305843009213693.951", 2'305'843'009'213'693'951); // 2^61 - 1
    row("2305843009213693.953", std::nullopt);
    row("1e30", std::nullopt);
    row("123456789012345678901234567890", std::nullopt);
    row("1e999999999999", std::nullopt);
    row("0.000000000000000000000000000001", 0);
    row("", std::nullopt);
    row("-", std::nullopt);
    row(".", std::nullopt);
    row("\"12\"", std::nullopt);
    row("1.2.3", std::nullopt);
    row("null", std::nullopt);
}

void KinetoTest::timesAreExact()
{
    QFETCH(std::string, text);
    QFETCH(std::optional<std::int64_t>, expected);
    QCOMPARE(nanosecondsOf(text), expected);
}

void KinetoTest::toleratesWhatVersionsAndFaultsDo_data()
{
    QTest::addColumn<std::string>("old");
    QTest::addColumn<std::string>("with");
    QTest::addColumn<std::string>("expected"); // a line of the dump
    const auto row = [](const char* name, const char* old, const char* with, const char* expected) {
        QTest::newRow(name) << std::string{old} << std::string{with} << std::string{expected};
    };
    row("times since 1970, as until torch 2.3",
        "    \"baseTimeNanoseconds\": 1700000000000000000,\n", "",
        "epoch 5082936646186250 ns, duration 53750 ns, times true");
    row("the kind of operators until torch 1.11", "\"cpu_op\"", "\"Operator\"",
        " :0:aten::addmm :0:<built-in function linear>");
    row("stacks of operators until torch 1.12", "python_function", "Python stack",
        " :0:aten::addmm :0:forward :0:ProfilerStep#1");
    row("no lines of calls until torch 2.14", "\"CallFrom\"", "\"Call\"",
        ":0:nn.Module: Linear_0 :0:forward :0:ProfilerStep#1 train.py:3:<module>");
    row("threads as texts", "\"tid\": 88, \"ts\": 5082936646221",
        "\"tid\": \"88\", \"ts\": 5082936646221",
        "1024 B, events 1 to -, stream 0x0 pool 0,0, :0:autograd::engine");
    row("a comma behind the last event", "}\n  ],", "},\n  ],", "device 0, 5 events recorded");
    row("no totals", "\"Total ", "\"Other ", "gap: What PyTorch had reserved was not recorded.");
    row("a size that is a text", "\"Bytes\": 1024", "\"Bytes\": \"many\"",
        "fault incomplete_events: 1");
    row("a value of another type is counted", "\"Bytes\": 1024", "\"Bytes\": \"many\"",
        "fault values_of_other_types: 1");
    row("a free of nothing", "\"Bytes\": -4096", "\"Bytes\": 0", "fault values_out_of_range: 1");
    row("the most negative number", "\"Bytes\": -4096", "\"Bytes\": -9223372036854775808",
        "fault values_out_of_range: 1");
    row("no device", "\"Device Id\": 1", "\"Device Id\": -1", "fault incomplete_events: 1");
    row("another kind of device", "\"Device Id\": 1, \"Device Type\": 1",
        "\"Device Id\": 1, \"Device Type\": 12", "fault memory_of_other_kinds_of_devices: 1");
    row("no time", "\"ts\": 5082936646222.002", "\"ts\": null", "fault incomplete_events: 1");
    row("a time far from all", "\"ts\": 5082936646222.002", "\"ts\": 1e300",
        "fault incomplete_events: 1");
    row("a duration that is negative", "\"dur\": 60.000", "\"dur\": -60.000",
        "fault incomplete_events: 1");
    row("an event that is not JSON", "\"Total Reserved\": 0, \"Total Allocated\": 64,", "nonsense,",
        "fault events_that_are_not_json: 1");
    row("an event that is a number", "{\"ph\": \"s\", \"id\": 9,",
        "17, [3], \"x\", {\"ph\": \"s\",", "fault events_of_other_types: 3");
    row("an address of 0", "\"Addr\": 139637976731648", "\"Addr\": 0",
        "allocation 1 0x0 1024 B, events 1 to -");
    row("a free without an allocation",
        "\"Addr\": 139637976727552, \"finished\": false, \"Ev Idx\": 2", "\"Addr\": 5",
        "fault frees_without_allocation: 2");
    row("a second free", "\"Addr\": 139637978824704", "\"Addr\": 139637976727552",
        "fault frees_of_freed_blocks: 1");
    row("two allocations at one address", "\"Addr\": 139637976731648", "\"Addr\": 139637976727552",
        "fault allocations_of_live_blocks: 1");
    row("a name with another character", "aten::addmm", "aten::\\u00e4\\n", ":0:aten::\xc3\xa4\n");
    row("a base that is none", "1700000000000000000,", "\"now\",",
        "fault values_of_other_types: 1");
    row("totals below the events", "\"Total Allocated\": 1577472", "\"Total Allocated\": 4096",
        "fault totals_below_events: 1");
}

void KinetoTest::toleratesWhatVersionsAndFaultsDo()
{
    QFETCH(std::string, old);
    QFETCH(std::string, with);
    QFETCH(std::string, expected);
    const std::string text = replaced(sampleTrace(), old, with);
    QVERIFY(text != sampleTrace());
    const auto read = readKineto(text);
    QVERIFY2(read, messageOf(read));
    const std::string dump = dumpTrace(*read->trace);
    QVERIFY2(dump.find(expected) != std::string::npos, dump.c_str());
}

void KinetoTest::summarizesEachDevice()
{
    const auto read = readKineto(sampleTrace());
    QVERIFY2(read, messageOf(read));
    const auto summary = plimsoll::memtrace::summaryOf(*read->trace);
    QCOMPARE(summary.devices.size(), std::size_t{2});
    QCOMPARE(summary.highest, std::size_t{0});
    const auto& first = summary.devices[0];
    QCOMPARE(first.events, std::uint64_t{5});
    QCOMPARE(first.initial.count(), std::int64_t{1'577'472 - 4096});
    QCOMPARE(first.peak.count(), std::int64_t{1'578'496});
    QCOMPARE(first.peakEvent, std::int64_t{1});
    QCOMPARE(first.end.count(), std::int64_t{525'824});
    QCOMPARE(first.peakReserved.count(), std::int64_t{4'194'304});
    QCOMPARE(first.endReserved.count(), std::int64_t{2'097'152});
    QVERIFY(first.hasReserved && !first.hasEnd);
    QCOMPARE(first.outOfMemory, std::size_t{1});
    QCOMPARE(summary.devices[1].peak.count(), std::int64_t{512});
    QCOMPARE(summary.devices[1].initial.count(), std::int64_t{0});
}

void KinetoTest::theCurveIsThatOfTheTotals()
{
    // Two threads allocate and free at random; the file has the one's events before the other's.
    Random random{11};
    std::array<std::string, 2> events;
    std::vector<std::int64_t> totals{70'000};
    std::map<int, int> live{{1, 30'000}, {2, 40'000}};
    for (int time = 1; time <= 2000; ++time) {
        const int address = random.between(1, 60);
        const bool isFree = live.contains(address);
        const int bytes = isFree ? -live[address] : 512 * random.between(1, 99);
        if (isFree)
            live.erase(address);
        else
            live[address] = bytes;
        totals.push_back(totals.back() + bytes);
        const auto thread = static_cast<std::size_t>(random.between(0, 1));
        events[thread] += fmt::format(
            R"({{"ph":"i","name":"[memory]","pid":1,"tid":{},"ts":{}.{:03},"args":{{)"
            R"("Device Type":1,"Device Id":3,"Addr":{},"Bytes":{},)"
            R"("Total Allocated":{},"Total Reserved":{}}}}},)",
            thread, time / 1000, time % 1000, address * 4096, bytes, totals.back(), 1 << 20);
    }
    const auto read = readKineto("[" + events[1] + events[0] + "{}]");
    QVERIFY2(read, messageOf(read));
    const auto& device = read->trace->devices().front();
    QCOMPARE(device.ordinal(), 3);
    const auto timeline = plimsoll::memtrace::buildTimeline(
        *read->trace, device, {plimsoll::timeline::categoryLayers(), {}},
        plimsoll::memtrace::Axis::Time);
    QCOMPARE(timeline->totals(), totals);
    QCOMPARE(device.timeOf(1999).count(), std::int64_t{1999});
    QVERIFY(read->trace->statistics().count("totals_that_differ") == 0);
}

void KinetoTest::findsWhatWasLiveBefore()
{
    // 700 B of 1000 B before the recording are freed in it: the rest is there all the time.
    const auto read =
        readKineto(traceOf({{"-700", "16", "300"}, {"50", "32", "350"}, {"-50", "32", "300"}}));
    QVERIFY2(read, messageOf(read));
    const auto& device = read->trace->devices().front();
    const auto summary = plimsoll::memtrace::summaryOf(device);
    QCOMPARE(summary.initial.count(), std::int64_t{1000});
    QCOMPARE(summary.end.count(), std::int64_t{300});
    QCOMPARE(device.allocations().size(), std::size_t{3});
    QCOMPARE(device.allocations().bytes[2], std::int64_t{300});
    QCOMPARE(device.allocations().address[2], plimsoll::memtrace::kNoAddress);
}

void KinetoTest::pairsBySizeWithoutAddresses()
{
    // The newest block of a size is freed first.
    const auto read = readKineto(
        traceOf({{"10", "", ""}, {"10", "", ""}, {"20", "", ""}, {"-10", "", ""}, {"-5", "", ""}}));
    QVERIFY2(read, messageOf(read));
    const auto& device = read->trace->devices().front();
    const auto& all = device.allocations();
    QCOMPARE(all.size(), std::size_t{4});
    QCOMPARE(all.freeEvent[0], plimsoll::memtrace::kNoEvent);
    QCOMPARE(all.freeEvent[1], plimsoll::memtrace::EventIndex{3});
    QCOMPARE(all.freeEvent[3], plimsoll::memtrace::EventIndex{4});
    for (std::size_t i = 0; i < all.size(); ++i)
        QCOMPARE(all.address[i], plimsoll::memtrace::kNoAddress);
    QCOMPARE(plimsoll::memtrace::summaryOf(device).peak.count(), std::int64_t{45});
    QCOMPARE(read->trace->statistics().at("frees_without_allocation"), std::size_t{1});
}

void KinetoTest::totalsThatDontFollowAreTold()
{
    const auto read =
        readKineto(traceOf({{"10", "16", "10"}, {"10", "32", "25"}, {"10", "48", "35"}}));
    QVERIFY2(read, messageOf(read));
    QCOMPARE(read->trace->statistics().at("totals_that_differ"), std::size_t{1});
    const std::string dump = dumpTrace(*read->trace);
    QVERIFY2(dump.find("gap: GPU 0: one recorded total does not follow") != std::string::npos,
             dump.c_str());
}

void KinetoTest::memoryWithoutAddressIsNotOnTheMap()
{
    const auto read = readKineto(sampleTrace());
    QVERIFY2(read, messageOf(read));
    const plimsoll::memtrace::AddressLayout layout{read->trace->devices().front()};
    // The three addresses of the events, without the 524,800 B that have none.
    QCOMPARE(layout.size().count(), std::int64_t{4096 + 1024 + 1'048'576});
    QVERIFY(layout.runs().front().begin > 0);
}

} // namespace

PLIMSOLL_TEST(KinetoTest, QCoreApplication)
#include "kineto_test.moc"
