// SPDX-License-Identifier: Apache-2.0
// Damaged and malicious snapshots: an error of one sentence, or counted oddities; never a crash,
// and no more memory than the file's size explains.
#include "core/memtrace/summary.h"
#include "core/readers/registry.h"

#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/random.h"
#include "tests/support/readers/flipped_bits.h"
#include "tests/support/sanitized.h"
#include "tests/support/snapshots/sample_snapshot.h"
#include "tests/support/snapshots/snapshot_generator.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fmt/format.h>

namespace {

using namespace plimsoll::tests; // NOLINT(google-build-using-namespace)
using namespace std::string_literals;
using plimsoll::readers::torch_snapshot::Reading;

std::string generated(const GeneratedSnapshot& snapshot, GeneratedFacts* facts = nullptr)
{
    std::string bytes;
    const GeneratedFacts counted =
        generateSnapshot(snapshot, [&](std::string_view part) { bytes += part; });
    if (facts != nullptr)
        *facts = counted;
    return bytes;
}

/// About 20 KB.
std::string smallSnapshot()
{
    return generated({.events = 150,
                      .fewestFrames = 4,
                      .mostFrames = 12,
                      .stacks = 12,
                      .isExpandable = true,
                      .liveBlocks = 20,
                      .ghosts = 6});
}

/// Repeats a piece of a pickle, with a dict of events around it.
std::string repeatedEvents(std::string_view piece, int count)
{
    std::string bytes = "\x80\x04}\x94\x8c\x0d"
                        "device_traces\x94]\x94]\x94";
    for (int i = 0; i < count; ++i)
        bytes += piece;
    return bytes;
}

class TorchSnapshotHostileTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsWhatTheSimulationCounted_data();
    void countsWhatTheSimulationCounted();
    void refusesEveryCut();
    void survivesFlippedBits();
    void survivesRandomOpcodes();
    void answersWithOneSentence_data();
    void answersWithOneSentence();
    void boundsTheMemory_data();
    void boundsTheMemory();
    void manyRoundNumbersTakeLittleMemory_data();
    void manyRoundNumbersTakeLittleMemory();
    void believesTheMemoAfterItChanged();
    void refusesBombs();
    void compressedFilesTakeLessMemory();
    void canBeStopped();
};

void TorchSnapshotHostileTest::countsWhatTheSimulationCounted_data()
{
    QTest::addColumn<GeneratedSnapshot>("snapshot");
    QTest::newRow("segments") << GeneratedSnapshot{.events = 20'000};
    QTest::newRow("expandable segments")
        << GeneratedSnapshot{.events = 20'000, .isExpandable = true};
    QTest::newRow("native frames") << GeneratedSnapshot{.events = 20'000, .hasNativeFrames = true};
    QTest::newRow("short stacks, other numbers")
        << GeneratedSnapshot{.seed = 7, .events = 20'000, .fewestFrames = 1, .mostFrames = 8};
    QTest::newRow("no memory before") << GeneratedSnapshot{.events = 20'000, .ghosts = 0};
}

void TorchSnapshotHostileTest::countsWhatTheSimulationCounted()
{
    QFETCH(GeneratedSnapshot, snapshot);
    GeneratedFacts facts;
    const std::string bytes = generated(snapshot, &facts);
    for (const std::size_t part : {std::size_t{1009}, bytes.size()}) {
        const auto read = readPickle(bytes, part);
        QVERIFY2(read, messageOf(read));
        const auto summary = plimsoll::memtrace::summaryOf(*read->trace).devices.front();
        QCOMPARE(summary.events, facts.events);
        QCOMPARE(summary.initial.count(), facts.initialBytes);
        QCOMPARE(summary.peak.count(), facts.peakBytes);
        QCOMPARE(summary.end.count(), facts.endBytes);
        QCOMPARE(summary.peakReserved.count(), facts.peakReservedBytes);
        QCOMPARE(summary.endReserved.count(), facts.endReservedBytes);
        const auto& stacks = read->trace->stacks();
        QVERIFY(stacks.stackCount() <= static_cast<std::size_t>(snapshot.stacks) + 1);
        QVERIFY(stacks.stackCount() > static_cast<std::size_t>(snapshot.stacks) * 8 / 10);
        for (std::size_t i = 1; i < stacks.stackCount(); ++i)
            QVERIFY(stacks.stack(plimsoll::memtrace::StackId{i}).size()
                    >= static_cast<std::size_t>(snapshot.fewestFrames));
    }
}

void TorchSnapshotHostileTest::refusesEveryCut()
{
    const std::string whole = smallSnapshot();
    QVERIFY2(whole.size() > 10'000 && whole.size() < 30'000, std::to_string(whole.size()).c_str());
    for (std::size_t size = 1; size < whole.size(); size += share<std::size_t>()) {
        const auto read = readPickle(std::string_view{whole}.substr(0, size));
        const std::string fault =
            faultOfRefusal(read, {fmt::format("net.pickle at byte {} ends before", size)});
        QVERIFY2(fault.empty(), fault.c_str());
    }
}

void TorchSnapshotHostileTest::survivesFlippedBits()
{
    const std::string fault =
        faultOfFlippedBits(smallSnapshot(), 8'000 / share(), 1,
                           [](const std::string& bytes) { return readPickle(bytes); });
    QVERIFY2(fault.empty(), fault.c_str());
}

void TorchSnapshotHostileTest::survivesRandomOpcodes()
{
    constexpr std::string_view kOpcodes =
        "(..0122GJKMNXBC}])aeeesuudltthjqr\x85\x86\x87\x94\x94\x88"
        "\x89\x8a\x8c\x8f\x90\x91\x97\x98";
    Random random{6};
    const std::string start = pickled(sampleSnapshot());
    for (int round = 0; round < 8'000 / share(); ++round) {
        // Some sense first: texts and containers that opcodes can do something with.
        std::string bytes = start.substr(0, random.below(start.size()));
        for (int i = 0; i < 40; ++i)
            bytes += random.percent(60) ? kOpcodes[random.below(kOpcodes.size())]
                                        : static_cast<char>(random.between(0, 12));
        const auto read = readPickle(bytes + ".");
        QVERIFY2(read || isOneSentence(read.error().message), messageOf(read));
    }
}

void TorchSnapshotHostileTest::answersWithOneSentence_data()
{
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("says");

    const auto changed = [](const char* key, PyValue value) {
        PyValue root = sampleSnapshot();
        root["device_traces"].items()[1].items()[1][key] = std::move(value);
        return pickled(root);
    };
    const auto row = [](const char* name, std::string bytes, const char* says) {
        QTest::newRow(name) << std::move(bytes) << std::string{says};
    };
    row("a size of 2^62", changed("size", std::int64_t{1} << 62U),
        "has an event that can't be: a size");
    row("a size of 2^64 - 1", changed("size", ~std::uint64_t{0}),
        "has a size of 2^63 bytes or more");
    row("a negative size", changed("size", -1), "has an event that can't be: a size of -1 bytes");
    row("an impossible address", changed("addr", ~std::uint64_t{0}),
        "has an event that can't be: the address");
    row("a foreign pickle", pickled(pyDict({{"model", pyList({1, 2})}, {"epoch", 3}})),
        "is no memory snapshot");
    row("a list of numbers", pickled(pyList({1, 2, 3})), "is no memory snapshot");
    row("a number", pickled(PyValue{5}), "is no memory snapshot");
    row("a pickled object", "\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02id\x85R.",
        "imports or calls");
    row("a snapshot of nothing",
        pickled(pyDict({{"segments", pyList()}, {"device_traces", pyList({pyList()})}})),
        "is a memory snapshot, but the recording has no events");
    row("events for too many devices",
        pickled(pyDict({{"device_traces", pyList(PyItems(5000, pyList()))}}), 4, PickleStyle::Whole)
            .insert(40, "]"),
        "net.pickle at byte");
}

void TorchSnapshotHostileTest::answersWithOneSentence()
{
    QFETCH(std::string, bytes);
    QFETCH(std::string, says);
    const std::string fault = faultOfRefusal(readPickle(bytes), {"net.pickle", says});
    QVERIFY2(fault.empty(), fault.c_str());
}

void TorchSnapshotHostileTest::boundsTheMemory_data()
{
    QTest::addColumn<std::string>("bytes");
    constexpr int kMany = 8'000'000 / kShare;
    const auto repeated = [](std::string_view piece, int count) {
        std::string bytes = "\x80\x04";
        for (int i = 0; i < count; ++i)
            bytes += piece;
        return bytes;
    };
    QTest::newRow("values that nothing takes") << repeated("N", 2 * kMany);
    QTest::newRow("lists in lists") << repeated("]", 2 * kMany);
    QTest::newRow("dicts that are remembered") << repeated("}\x94", kMany);
    QTest::newRow("different texts") << [] {
        std::string bytes = "\x80\x04";
        for (int i = 0; i < 4'000'000 / kShare; ++i)
            bytes += fmt::format("\x8c\x07{:07}0", i);
        return bytes;
    }();
    QTest::newRow("different frames") << [] {
        std::string bytes = "\x80\x04}\x94\x8c\x01z\x8c\x08"
                            "filename\x94\x8c\x04line\x94]\x94";
        for (int i = 0; i < 3'000'000 / kShare; ++i) {
            PickleOpcodes line{4};
            line.integer(i + 70'000);
            bytes += "}(h\x01h\x01h\x02" + line.bytes() + "ua";
        }
        return bytes;
    }();
    QTest::newRow("different stacks") << [] {
        std::string bytes = "\x80\x04}\x94\x8c\x01z\x8c\x08"
                            "filename\x94\x8c\x04line\x94";
        for (int i = 0; i < 200; ++i)
            bytes += "}\x94(h\x01h\x01h\x02K"s + static_cast<char>(i) + "u0";
        for (int i = 0; i < 4'000'000 / kShare; ++i)
            bytes += "](h"s + static_cast<char>(3 + i % 200) + "h"
                     + static_cast<char>(3 + i / 200 % 200) + "h"
                     + static_cast<char>(3 + i / 40'000 % 200) + "e0";
        return bytes;
    }();
    QTest::newRow("tiny events") << [] {
        std::string bytes = repeatedEvents("", 0)
                            + "\x8c\x06"
                              "action\x94\x8c\x05"
                              "alloc\x94\x8c\x04"
                              "addr\x94"
                              "000";
        for (int i = 0; i < 4'000'000 / kShare; ++i) {
            PickleOpcodes address{4};
            address.integer(i + 70'000);
            bytes += "}(h\x04h\x05h\x06" + address.bytes() + "ua";
        }
        return bytes;
    }();
    QTest::newRow("settings") << [] {
        std::string bytes = "\x80\x04}\x94\x8c\x12"
                            "allocator_settings}";
        for (int i = 0; i < 1'000'000 / kShare; ++i)
            bytes += fmt::format("\x8c\x07{:07}Ns", i);
        return bytes;
    }();
}

void TorchSnapshotHostileTest::boundsTheMemory()
{
    QFETCH(std::string, bytes);
    Reading reading{"net.pickle"};
    const auto fed = reading.feed(bytes);
    // Either all of it is small, or what isn't is refused.
    if (fed)
        QVERIFY(reading.memoryBytes() <= 3 * bytes.size() + Reading::kFreeBytes);
    const std::string fault = faultOfRefusal(
        fed ? reading.finish()
            : plimsoll::base::Result<plimsoll::readers::ReadProfile>{tl::unexpected{fed.error()}},
        {"net.pickle at byte"});
    QVERIFY2(fault.empty(), fault.c_str());
}

void TorchSnapshotHostileTest::manyRoundNumbersTakeLittleMemory_data()
{
    QTest::addColumn<std::string>("action");
    QTest::addColumn<int>("addressShift");
    QTest::addColumn<int>("streamShift");
    QTest::newRow("segments") << "segment_alloc"s << 36 << 0;
    QTest::newRow("blocks") << "alloc"s << 40 << 0;
    QTest::newRow("streams") << "alloc"s << 9 << 44;
}

void TorchSnapshotHostileTest::manyRoundNumbersTakeLittleMemory()
{
    QFETCH(std::string, action);
    QFETCH(int, addressShift);
    QFETCH(int, streamShift);
    // Hash tables grow without end if the lower bits of all hashes are those of such numbers.
    PyItems events;
    for (std::int64_t i = 1; i <= 16'000; ++i)
        events.push_back(pyDict({{"action", action},
                                 {"addr", i << addressShift},
                                 {"size", 512},
                                 {"stream", streamShift == 0 ? 0 : i << streamShift},
                                 {"time_us", i}}));
    const std::string bytes =
        pickled(pyDict({{"device_traces", pyList({pyList(std::move(events))})}}));
    const auto read = readPickle(bytes);
    QVERIFY2(read, messageOf(read));
    const auto summary = plimsoll::memtrace::summaryOf(*read->trace).devices.front();
    QCOMPARE(summary.events, std::uint64_t{16'000});
    QCOMPARE(summary.peak.count() + summary.peakReserved.count(), std::int64_t{512} * 16'000);
}

void TorchSnapshotHostileTest::believesTheMemoAfterItChanged()
{
    // Two pairs of events whose lists are filled by the same bytes, which mean other frames the
    // second time: before each pair, a frame is put into entry 0.
    const auto text = [](std::string_view value) {
        return "U"s + static_cast<char>(value.size()) + std::string{value};
    };
    const auto event = [&](const std::string& first) {
        return "}(" + text("action") + text("snapshot") + first + text("frames") + "]("
               + "h\0h\0h\0h\0h\0h\0h\0h\0h\0eu"s;
    };
    const auto frame = [&](const char* name) {
        return text("other") + "}(" + text("filename") + text(name) + "uq\0"s;
    };
    const std::string bytes = "\x80\x02}(" + text("device_traces") + "](](" + event(frame("a"))
                              + event({}) + event(frame("b")) + event({}) + "eeu.";
    const auto read = readPickle(bytes);
    QVERIFY2(read, messageOf(read));
    const auto& stacks = read->trace->stacks();
    QCOMPARE(stacks.stackCount(), std::size_t{3});
    QCOMPARE(stacks.stack(plimsoll::memtrace::StackId{2}).size(), std::size_t{9});
}

void TorchSnapshotHostileTest::refusesBombs()
{
    const TempFolder folder;
    std::string bytes = "\x80\x04]\x94";
    bytes.append(std::size_t{100} << 20U, '(');
    const auto read = plimsoll::readers::readProfile(
        plimsoll::io::Source{folder.fileWith("a.pickle.gz", gzipped(bytes))});
    const std::string fault =
        faultOfRefusal(read, {"a.pickle.gz at byte", "of the decompressed content"});
    QVERIFY2(fault.empty(), fault.c_str());
}

void TorchSnapshotHostileTest::compressedFilesTakeLessMemory()
{
    // A stack of values for which a plain file of that size may have the memory.
    std::string bytes = "\x80\x04](";
    bytes.append(std::size_t{6} << 20U, 'N');
    Reading plain{"net.pickle"};
    const auto fed = plain.feed(bytes);
    QVERIFY2(fed, messageOf(fed));
    Reading packed{"net.pickle.gz"};
    const auto refused = packed.feed(bytes, {.compressed = true, .size = 6'000});
    QVERIFY(!refused);
    QVERIFY(QString::fromStdString(refused.error().message)
                .endsWith(QStringLiteral(
                    " of the decompressed content takes more memory than a snapshot of its size "
                    "can need; if you know where it comes from, decompress it first.")));
}

void TorchSnapshotHostileTest::canBeStopped()
{
    const TempFolder folder;
    std::stop_source stop;
    stop.request_stop();
    for (const std::string& path : {folder.fileWith("a.pickle", smallSnapshot()),
                                    folder.fileWith("b.pickle.gz", gzipped(smallSnapshot()))}) {
        const auto read =
            plimsoll::readers::readProfile(plimsoll::io::Source{path}, {.stop = stop.get_token()});
        QVERIFY(!read);
        QCOMPARE(read.error().kind, plimsoll::base::ErrorKind::Cancelled);
        const auto again = plimsoll::readers::readProfile(plimsoll::io::Source{path});
        QVERIFY2(again, messageOf(again));
    }
}

} // namespace

PLIMSOLL_TEST(TorchSnapshotHostileTest, QCoreApplication)
#include "torch_snapshot_hostile_test.moc"
