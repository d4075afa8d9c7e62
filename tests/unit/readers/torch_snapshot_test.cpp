// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/summary.h"

#include "tests/support/golden.h"
#include "tests/support/messages.h"
#include "tests/support/snapshots/sample_snapshot.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <functional>

namespace {

using namespace plimsoll::tests; // NOLINT(google-build-using-namespace)
using plimsoll::memtrace::DeviceTrace;

constexpr std::int64_t kAddress = 0x7f0000000000;

class TorchSnapshotTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsAllThatASnapshotTells();
    void readsEveryProtocolAndStyleAlike_data();
    void readsEveryProtocolAndStyleAlike();
    void readsPartsOfAnySizeAlike_data();
    void readsPartsOfAnySizeAlike();
    void toleratesWhatVersionsAndFaultsDo_data();
    void toleratesWhatVersionsAndFaultsDo();
    void readsABareListOfSegments();
    void readsOwnersOfOldFiles();
    void readsListsThatAreSharedBeforeTheyAreTaken();
    void keepsTheOrderOfEventsWithOneKey();
    void readsLongListsOfFrames();
    void summarizesEachDevice();
};

void TorchSnapshotTest::readsAllThatASnapshotTells()
{
    const auto read = readPickle(pickled(sampleSnapshot()));
    QVERIFY2(read, messageOf(read));
    QCOMPARE(read->formatId, std::string{"torch-snapshot"});
    QCOMPARE(read->formatVersion, 4);
    const std::string difference =
        differenceFromGolden("torch_snapshot.txt", dumpTrace(*read->trace));
    QVERIFY2(difference.empty(), difference.c_str());
}

void TorchSnapshotTest::readsEveryProtocolAndStyleAlike_data()
{
    QTest::addColumn<int>("protocol");
    QTest::addColumn<PickleStyle>("style");
    for (int protocol = 2; protocol <= 5; ++protocol) {
        QTest::addRow("protocol %d in batches", protocol) << protocol << PickleStyle::Batches;
        QTest::addRow("protocol %d at once", protocol) << protocol << PickleStyle::Whole;
        QTest::addRow("protocol %d one by one", protocol) << protocol << PickleStyle::OneByOne;
    }
}

void TorchSnapshotTest::readsEveryProtocolAndStyleAlike()
{
    QFETCH(int, protocol);
    QFETCH(PickleStyle, style);
    const auto read = readPickle(pickled(sampleSnapshot(), protocol, style));
    QVERIFY2(read, messageOf(read));
    QCOMPARE(read->formatVersion, protocol);
    const std::string difference =
        differenceFromGolden("torch_snapshot.txt", dumpTrace(*read->trace));
    QVERIFY2(difference.empty(), difference.c_str());
}

void TorchSnapshotTest::readsPartsOfAnySizeAlike_data()
{
    QTest::addColumn<std::size_t>("part");
    for (const std::size_t part : {1U, 2U, 3U, 7U, 64U, 1000U})
        QTest::addRow("%zu bytes", part) << part;
}

void TorchSnapshotTest::readsPartsOfAnySizeAlike()
{
    QFETCH(std::size_t, part);
    const std::string bytes = pickled(sampleSnapshot(), 2);
    const auto expected = readPickle(bytes);
    const auto read = readPickle(bytes, part);
    QVERIFY2(read, messageOf(read));
    QCOMPARE(dumpTrace(*read->trace), dumpTrace(*expected->trace));
    QCOMPARE(read->contentHash, expected->contentHash);
}

using Change = std::function<void(PyValue& root, PyValue& event)>;

void TorchSnapshotTest::toleratesWhatVersionsAndFaultsDo_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<std::string>("expected"); // a line of the dump

    // The third event allocates 4000 B.
    const auto row = [](const char* name, Change change, const char* expected) {
        QTest::newRow(name) << std::move(change) << std::string{expected};
    };
    row(
        "no times",
        [](auto& root, auto&) {
            for (PyValue& each : root["device_traces"].items()[1].items())
                std::erase_if(each.fields(), [](const auto& f) { return f.first == "time_us"; });
        },
        "epoch 0 ns, duration 9 ns, times false");
    row(
        "a time that is a float", [](auto&, auto& event) { event["time_us"] = 1.5; },
        "fault values_of_other_types: 1");
    row(
        "a time beyond 64 bits of nanoseconds",
        [](auto&, auto& event) { event["time_us"] = std::int64_t{1} << 62U; },
        "fault values_out_of_range: 1");
    row(
        "a size that is a text", [](auto&, auto& event) { event["size"] = "many"; },
        "fault values_of_other_types: 1");
    row(
        "no address", [](auto&, auto& event) { event["addr"] = PyValue{}; },
        "fault incomplete_events: 1");
    row(
        "an action of the future", [](auto&, auto& event) { event["action"] = "defrag"; },
        "fault unknown_actions: 1");
    row(
        "frames that are none",
        [](auto&, auto& event) {
            event["frames"] = pyList({1, 2});
        },
        "fault values_of_other_types: 1");
    row(
        "no frames at all", [](auto&, auto& event) { event["frames"] = PyValue{}; },
        "allocation 1 0x7f0000001000 4000 B, events 2 to -, stream 0x0 pool 0,3, "
        "/w/toy.py:7:block /w/run.py:3:<module>"); // the block at the end has them
    row(
        "a stream that is a pointer",
        [](auto&, auto& event) { event["stream"] = std::uint64_t{0xffff800000000000}; },
        "stream 0xffff800000000000 pool 0,3");
    row(
        "a text with a surrogate",
        [](auto&, auto& event) { event["user_metadata"] = std::string{"a\xed\xa0\x80z"}; },
        "kind 0: a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
    row(
        "an event that is a number",
        [](auto& root, auto&) { root["device_traces"].items()[1].items().emplace_back(5); },
        "fault values_of_other_types: 1");
    row(
        "an event within itself", [](auto&, auto& event) { event["self"] = event; },
        "fault references_to_unfinished_values: 1");
    row(
        "a list within itself",
        [](auto& root, auto&) {
            PyValue list = pyList();
            list.items().push_back(list);
            root["loop"] = list;
        },
        "annotation step 1 on 0: 5000 to 45000 ns, depth 0"); // behind it
    row(
        "a segment without an address",
        [](auto& root, auto&) { root["segments"].items()[1]["address"] = PyValue{}; },
        "fault incomplete_segments: 1");
    row(
        "a segment of an impossible device",
        [](auto& root, auto&) { root["segments"].items()[1]["device"] = 5000; },
        "fault incomplete_segments: 1");
    row(
        "a block in a state of the future",
        [](auto& root, auto&) {
            root["segments"].items()[0]["blocks"].items()[0]["state"] = "resting";
        },
        "fault unknown_block_states: 1");
    row(
        "awaiting, as the documentation says",
        [](auto& root, auto&) {
            root["segments"].items()[0]["blocks"].items()[1]["state"] = "active_awaiting_free";
        },
        "block 0x7f0000001000 4096 B, allocation 1");
    row(
        "blocks without addresses",
        [](auto& root, auto&) {
            for (PyValue& block : root["segments"].items()[0]["blocks"].items())
                std::erase_if(block.fields(), [](const auto& f) { return f.first == "address"; });
        },
        "block 0x7f0000001000 4096 B, allocation 1");
    row(
        "an annotation without a time",
        [](auto& root, auto&) { root["external_annotations"].items()[0]["time_us"] = PyValue{}; },
        "fault incomplete_annotations: 1");
    row(
        "overflow flags at the root",
        [](auto& root, auto&) { root["trace_alloc_max_entries"] = 100000; },
        "setting trace_alloc_max_entries = 100000");
    row(
        "a converted file's free",
        [](auto& root, auto& event) {
            PyValue free = sampleEvent("free", kAddress + 4096, 4000, 60);
            static_cast<void>(event);
            root["device_traces"].items()[1].items().push_back(free);
        },
        "event 9 free_completed subject 1");
}

void TorchSnapshotTest::toleratesWhatVersionsAndFaultsDo()
{
    QFETCH(Change, change);
    QFETCH(std::string, expected);
    for (const PickleStyle style : {PickleStyle::Batches, PickleStyle::OneByOne}) {
        PyValue root = sampleSnapshot();
        change(root, root["device_traces"].items()[1].items()[2]);
        const auto read = readPickle(pickled(root, 4, style));
        QVERIFY2(read, messageOf(read));
        const std::string dump = dumpTrace(*read->trace);
        QVERIFY2(dump.find(expected) != std::string::npos, dump.c_str());
        clearContainers(root);
    }
}

void TorchSnapshotTest::readsABareListOfSegments()
{
    PyValue root = sampleSnapshot();
    const auto read = readPickle(pickled(root["segments"]));
    QVERIFY2(read, messageOf(read));
    const DeviceTrace& device = read->trace->devices().front();
    QCOMPARE(device.eventCount(), std::size_t{0});
    QCOMPARE(device.endBlocks().size(), std::size_t{5});
    QCOMPARE(device.allocations().size(), std::size_t{2});
}

void TorchSnapshotTest::readsOwnersOfOldFiles()
{
    const auto owner = [](std::int64_t bytes, int line) {
        return pyDict({{"addr", kAddress}, {"real_size", bytes}, {"frames", sampleFrames(line)}});
    };
    PyValue block = pyDict({{"size", 1024}, {"state", "active_allocated"}});
    block["history"] = pyList({owner(700, 21), owner(600, 22)});
    const PyValue idle = pyDict({{"size", 3072}, {"state", "inactive"}});
    PyValue segment = sampleSegment(kAddress, 4096, {block, idle});
    const auto read = readPickle(pickled(pyDict({{"segments", pyList({segment})}}), 3));
    QVERIFY2(read, messageOf(read));
    const std::string dump = dumpTrace(*read->trace);
    QVERIFY2(dump.find("700 B, events - to -") != std::string::npos
                 && dump.find("/w/toy.py:21:block") != std::string::npos
                 && dump.find("block 0x7f0000000400 3072 B, allocation -") != std::string::npos,
             dump.c_str());
}

void TorchSnapshotTest::readsListsThatAreSharedBeforeTheyAreTaken()
{
    // The frames of a segment stand on the stack, not yet taken, when a block refers to them.
    for (const PickleStyle style : {PickleStyle::Batches, PickleStyle::OneByOne}) {
        const PyValue shared = style == PickleStyle::Batches ? sampleFrames(30) : sampleFrames(31);
        PyValue block = sampleBlock(kAddress, 4096, 4000, "active_allocated");
        block["frames"] = shared;
        PyValue segment = sampleSegment(kAddress, 4096, {block});
        segment["frames"] = shared;
        const auto read = readPickle(pickled(pyDict({{"segments", pyList({segment})}}), 4, style));
        QVERIFY2(read, messageOf(read));
        QVERIFY(read->trace->statistics().count("references_to_unfinished_values") == 0);
        const DeviceTrace& device = read->trace->devices().front();
        QCOMPARE(device.allocations().stack[0], device.segments().front().stack);
        QVERIFY(device.allocations().stack[0] != 0);
    }
}

void TorchSnapshotTest::keepsTheOrderOfEventsWithOneKey()
{
    PyItems events;
    events.push_back(sampleEvent("alloc", kAddress, 10, 1));
    events.push_back(pyDict({{"action", "snapshot"}}));
    events.push_back(sampleEvent("alloc", kAddress + 512, 10, 2));
    const auto read =
        readPickle(pickled(pyDict({{"device_traces", pyList({pyList(std::move(events))})}})));
    QVERIFY2(read, messageOf(read));
    const DeviceTrace& device = read->trace->devices().front();
    QCOMPARE(device.eventCount(), std::size_t{3});
    QCOMPARE(device.action(1), plimsoll::memtrace::Action::Snapshot);
}

void TorchSnapshotTest::readsLongListsOfFrames()
{
    PyItems frames;
    for (int i = 0; i < 2500; ++i)
        frames.push_back(sampleFrames(i).items().front());
    PyValue event = sampleEvent("alloc", kAddress, 10, 1);
    event["frames"] = pyList(std::move(frames));
    for (const PickleStyle style :
         {PickleStyle::Batches, PickleStyle::Whole, PickleStyle::OneByOne}) {
        const auto read =
            readPickle(pickled(pyDict({{"device_traces", pyList({pyList({event})})}}), 4, style));
        QVERIFY2(read, messageOf(read));
        const auto& stacks = read->trace->stacks();
        QCOMPARE(stacks.stackCount(), std::size_t{2});
        QCOMPARE(stacks.stack(plimsoll::memtrace::StackId{1}).size(), std::size_t{2500});
        QCOMPARE(stacks.frame(stacks.stack(plimsoll::memtrace::StackId{1})[2499]).line, 2499);
    }
}

void TorchSnapshotTest::summarizesEachDevice()
{
    const auto read = readPickle(pickled(sampleSnapshot()));
    QVERIFY2(read, messageOf(read));
    const auto summary = plimsoll::memtrace::summaryOf(*read->trace);
    QCOMPARE(summary.devices.size(), std::size_t{2});
    QCOMPARE(summary.highest, std::size_t{0});
    const auto& second = summary.devices[0];
    QCOMPARE(second.ordinal, 1);
    QCOMPARE(second.events, std::uint64_t{11});
    constexpr std::int64_t kWithoutEvent = (1 << 20) - 1;
    QCOMPARE(second.initial.count(), kWithoutEvent + 512);
    QCOMPARE(second.peak.count(), kWithoutEvent + 512 + 900 + 4000);
    QCOMPARE(second.peakEvent, std::int64_t{2});
    QCOMPARE(second.end.count(), kWithoutEvent + 4000);
    QCOMPARE(second.endAllocated.count(), std::int64_t{1 << 20}); // the other one is pending
    QCOMPARE(second.endFreeBlocks, std::size_t{3});
    QCOMPARE(second.outOfMemory, std::size_t{1});
}

} // namespace

PLIMSOLL_TEST(TorchSnapshotTest, NoApplication)
#include "torch_snapshot_test.moc"
