// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/columns/column_file.h"

#include "core/memtrace/build_timeline.h"
#include "core/memtrace/columns/column_check.h"

#include "tests/support/test_main.h"
#include "tests/unit/memtrace/simulated_device.h"

#include <QTest>

#include <functional>
#include <limits>

namespace {

using plimsoll::base::Result;
using plimsoll::tests::Random;
using plimsoll::tests::recorded;
using plimsoll::tests::SimulatedDevice;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

/// With everything that a trace can have.
MemoryTracePtr anyTrace()
{
    SimulatedDevice truth{7};
    truth.run(300);
    Builder builder;
    const FrameId frame =
        builder.stacks().frame({builder.stacks().text("a.py"), builder.stacks().text("f"), 3,
                                builder.stacks().text("fx")});
    const StackId stack = builder.stacks().stack(std::vector<FrameId>{frame, frame});
    for (std::size_t i = 50; i < truth.log.size(); ++i) {
        RecordedEvent event = truth.log[i];
        event.stack = i % 2 == 0 ? stack : StackId{};
        if (!builder.device(0).add(event))
            return nullptr;
    }
    RecordedEvent failed;
    failed.action = Action::OutOfMemory;
    failed.bytes = 5000;
    failed.deviceFreeBytes = 100;
    failed.timeNs = truth.log.back().timeNs;
    const Result<EventIndex> index = builder.device(0).add(failed);
    if (!index)
        return nullptr;
    builder.device(0).addText(
        {*index, builder.stacks().text("forward"), EventText::Kind::UserMetadata});
    RecordedEvent host;
    host.action = Action::Alloc;
    host.bytes = 5;
    host.timeNs = truth.log.back().timeNs;
    if (!builder.device(-1).add(host))
        return nullptr;
    builder.device(-1).setReserved(plimsoll::base::Bytes{4096});
    for (const std::uint64_t page : truth.pages)
        if (!builder.device(0).addSegment(
                {page, plimsoll::tests::kPage, page % 3, {0, 1}, true, true, stack}))
            return nullptr;
    for (const auto& [address, block] : truth.blocks)
        if (!builder.device(0).addBlock(
                {address, 512, block.bytes, RecordedBlock::State::Active, {}}))
            return nullptr;
    builder.beginRange("step", 0, *truth.log[60].timeNs);
    builder.setSetting("expandable_segments", "true");
    builder.count("skipped", 4);
    auto trace = std::move(builder).build();
    return trace ? *trace : nullptr;
}

Result<MemoryTracePtr> readBack(std::string bytes)
{
    return readColumns(std::make_shared<const std::string>(std::move(bytes)));
}

/// What columns are made of.
struct Loose
{
    std::vector<Action> actions = std::vector<Action>(100, Action::Annotate);
    std::vector<std::uint32_t> subjects = std::vector<std::uint32_t>(100, 1);
    std::vector<std::uint32_t> ranks = {0, 1};
    std::vector<EventIndex> begins = {kNoEvent, 2};
    std::vector<EventIndex> ends = {5, kNoEvent};
    std::vector<std::int64_t> bytes = {10, 20};
    std::vector<std::uint32_t> stacks = {0, 0};
    std::vector<PlaceId> places = {0, 0};

    Loose() { actions[5] = Action::Free; }
    [[nodiscard]] DeviceColumns columns() const
    {
        using plimsoll::base::Column;
        DeviceColumns columns;
        columns.actions = Column{actions};
        columns.subjects = Column{subjects};
        columns.foldedBefore = Column{ranks};
        for (std::int64_t time = 0; time < 102; ++time)
            columns.times.append(time);
        columns.times.compress();
        columns.allocations = {Column{std::vector<std::uint64_t>{512, 1024}},
                               Column{bytes},
                               Column{begins},
                               Column{ends},
                               Column{stacks},
                               {},
                               Column{places}};
        columns.places.resize(1);
        return columns;
    }
};
using Change = std::function<void(Loose&)>;

class ColumnFileTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesBackTheTrace();
    void readsEarlierVersions();
    void tellsBlocksOfTheDriver();
    void refusesWhatIsCut();
    void survivesFlippedBits();
    void findsWrongColumns_data();
    void findsWrongColumns();
    void refusesOtherFiles_data();
    void refusesOtherFiles();
};

void ColumnFileTest::givesBackTheTrace()
{
    const MemoryTracePtr trace = anyTrace();
    QVERIFY(trace);
    const std::string bytes = writeColumns(*trace);
    const Result<MemoryTracePtr> read = readBack(bytes);
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(writeColumns(**read), bytes);
    QCOMPARE((*read)->devices().size(), trace->devices().size());
    QCOMPARE((*read)->statistics(), trace->statistics());
    QCOMPARE((*read)->settings(), trace->settings());
    QCOMPARE((*read)->annotations().front().name, std::string{"step"});
    for (std::size_t i = 0; i < trace->devices().size(); ++i) {
        const Layering layering{plimsoll::timeline::categoryLayers(), {}};
        const DeviceTrace& was = trace->devices()[i];
        const DeviceTrace& is = (*read)->devices()[i];
        QCOMPARE(buildTimeline(**read, is, layering, Axis::Time)->totals(),
                 buildTimeline(*trace, was, layering, Axis::Time)->totals());
        QCOMPARE(is.reserved().points(), was.reserved().points());
        QCOMPARE(is.reserved().points().empty(), false);
        QCOMPARE(is.recordedCount(), was.recordedCount());
        QCOMPARE(is.ordinal(), was.ordinal());
    }
}

void ColumnFileTest::readsEarlierVersions()
{
    Builder builder;
    RecordedEvent event;
    event.action = Action::Alloc;
    event.bytes = 5;
    event.timeNs = 1;
    QVERIFY(builder.device(0).add(event));
    const auto trace = std::move(builder).build();
    QVERIFY(trace);
    // Version 3 lacks whether blocks are the driver's, which is 0 here, between no gaps and one
    // device.
    std::string bytes = writeColumns(**trace);
    const auto number = [](char value) { return std::string{value} + std::string(7, '\0'); };
    const std::size_t gaps = bytes.find(number(0) + number(0) + number(1) + number(0));
    QVERIFY(gaps != std::string::npos);
    bytes.erase(gaps, 8);
    bytes[8] = '\3';
    QVERIFY(readBack(bytes));
    // Version 2 ends before the list of foreign memory, version 1 before that of totals; both are
    // empty here.
    for (const char version : {'\2', '\1'}) {
        QCOMPARE(bytes.substr(bytes.size() - 8), std::string(8, '\0'));
        bytes.resize(bytes.size() - 8);
        QVERIFY(!readBack(bytes));
        bytes[8] = version;
        const Result<MemoryTracePtr> read = readBack(bytes);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QVERIFY((*read)->devices().front().reserved().points().empty());
        QVERIFY((*read)->devices().front().foreign().points().empty());
        QCOMPARE((*read)->devices().front().allocations().bytes[0], std::int64_t{5});
    }
}

/// Earlier versions have a sentence for it only.
void ColumnFileTest::tellsBlocksOfTheDriver()
{
    for (const bool isOfDriver : {false, true}) {
        Builder builder;
        RecordedEvent event;
        event.action = Action::Alloc;
        event.bytes = 5;
        event.timeNs = 1;
        QVERIFY(builder.device(0).add(event));
        if (isOfDriver)
            builder.setOfDriver();
        const auto trace = std::move(builder).build();
        QVERIFY(trace);
        std::string bytes = writeColumns(**trace);
        const Result<MemoryTracePtr> read = readBack(bytes);
        QVERIFY(read);
        QCOMPARE((*read)->isOfDriver(), isOfDriver);
        if (!isOfDriver)
            continue;
        // Behind the sentence; then come one device and its ordinal.
        const std::string one = '\1' + std::string(7, '\0');
        const std::size_t devices =
            bytes.find(one + one + std::string(8, '\0'), bytes.find("within."));
        QVERIFY(devices != std::string::npos);
        bytes.erase(devices, 8);
        bytes[8] = '\3';
        const Result<MemoryTracePtr> earlier = readBack(bytes);
        QVERIFY2(earlier, earlier ? "" : earlier.error().message.c_str());
        QVERIFY((*earlier)->isOfDriver());
    }
}

void ColumnFileTest::refusesWhatIsCut()
{
    const MemoryTracePtr trace = anyTrace();
    QVERIFY(trace);
    const std::string bytes = writeColumns(*trace);
    for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 37)
        QVERIFY(!readBack(bytes.substr(0, size)));
    QVERIFY(!readBack(bytes + std::string(8, '\0')));
}

/// Whatever is read can be drawn.
void ColumnFileTest::survivesFlippedBits()
{
    const MemoryTracePtr trace = anyTrace();
    QVERIFY(trace);
    const std::string bytes = writeColumns(*trace);
    Random random{3};
    int refused = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string damaged = bytes;
        char& byte = damaged[random.below(damaged.size())];
        byte = static_cast<char>(byte ^ (1 << random.below(8)));
        const Result<MemoryTracePtr> read = readBack(std::move(damaged));
        refused += read ? 0 : 1;
        if (!read)
            continue;
        const DeviceTrace& device = (*read)->devices().front();
        const auto timeline =
            buildTimeline(**read, device, {plimsoll::timeline::categoryLayers(), {}}, Axis::Time);
        QVERIFY(timeline->peak().count() >= 0);
        static_cast<void>(timeline->aliveAt(timeline->stepCount() / 2));
    }
    QVERIFY(refused > 500);
}

void ColumnFileTest::findsWrongColumns_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("fault");
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const auto row = [](const char* name, const Change& change, const char* fault) {
        QTest::newRow(name) << change << QString{fault};
    };
    const char* wrongLength = "columns differ in length";
    const char* wrongEvents = "the events are wrong";
    const char* wrongAllocations = "the allocations are wrong";
    row(
        "right", [](Loose&) {}, "");
    row(
        "live at both ends", [](Loose& l) { l.begins[1] = l.ends[1] = kNoEvent; }, "");
    row(
        "too few ranks", [](Loose& l) { l.ranks.pop_back(); }, wrongLength);
    row(
        "too few sizes", [](Loose& l) { l.bytes.pop_back(); }, wrongLength);
    row(
        "no such action", [](Loose& l) { l.actions[3] = Action{12}; }, wrongEvents);
    row(
        "nothing known", [](Loose& l) { l.subjects[99] = kNone; }, "");
    row(
        "no such allocation", [](Loose& l) { l.subjects[99] = 2; }, wrongEvents);
    row(
        "no such failure", [](Loose& l) { l.actions[99] = Action::OutOfMemory; }, wrongEvents);
    row(
        "wrong rank", [](Loose& l) { l.ranks[1] = 0; }, wrongEvents);
    row(
        "wrong first rank", [](Loose& l) { l.ranks[0] = 1; }, wrongEvents);
    row(
        "begins behind", [](Loose& l) { l.begins[1] = 100; }, wrongAllocations);
    row(
        "begins with the last", [](Loose& l) { l.begins[1] = 99, l.ends[1] = kNoEvent; }, "");
    row(
        "ends with the last", [](Loose& l) { l.ends[1] = 99; }, "");
    row(
        "ends behind", [](Loose& l) { l.ends[1] = 100; }, wrongAllocations);
    row(
        "ends as it begins", [](Loose& l) { l.ends[1] = l.begins[1]; }, wrongAllocations);
    row(
        "negative", [](Loose& l) { l.bytes[0] = -1; }, wrongAllocations);
    row(
        "all that counts",
        [](Loose& l) {
            l.bytes = {kMost - 1, 1};
        },
        "");
    row(
        "too much",
        [](Loose& l) {
            l.bytes = {kMost, 1};
        },
        wrongAllocations);
    row(
        "no such stack", [](Loose& l) { l.stacks[1] = 1; }, wrongAllocations);
    row(
        "no such place", [](Loose& l) { l.places[0] = 1; }, wrongAllocations);
}

/// Of a device with two allocations and 100 events.
void ColumnFileTest::findsWrongColumns()
{
    QFETCH(Change, change);
    QFETCH(QString, fault);
    Loose loose;
    change(loose);
    const std::string_view found = columnFault(loose.columns(), StackTableBuilder{}.build());
    QCOMPARE(QString::fromUtf8(found.data(), static_cast<qsizetype>(found.size())), fault);
}

void ColumnFileTest::refusesOtherFiles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("empty") << QByteArray{} << "byte 0: it ends early";
    QTest::newRow("another kind") << QByteArray{"GIF89a__"} << "byte 8: this is not a memory trace";
    QTest::newRow("newer") << QByteArray{"PLMTRACE\5\0\0\0\0\0\0", 16}
                           << "byte 16: version 5 of memory traces is unknown; a newer Plimsoll "
                              "wrote it";
}

void ColumnFileTest::refusesOtherFiles()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, sentence);
    const Result<MemoryTracePtr> read = readBack(bytes.toStdString());
    QVERIFY(!read);
    QCOMPARE(QString::fromStdString(read.error().message), sentence);
}

} // namespace

PLIMSOLL_TEST(ColumnFileTest, QCoreApplication)
#include "column_file_test.moc"
