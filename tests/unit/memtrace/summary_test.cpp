// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/summary.h"

#include "core/memtrace/builder.h"

#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)
using State = RecordedBlock::State;

constexpr std::uint64_t kAddress = 0x10000;

/// A device that is being recorded.
class Recorder
{
public:
    explicit Recorder(Builder& builder, int ordinal = 0) : m_device{builder.device(ordinal)} {}

    Recorder& event(Action action, std::uint64_t address, std::int64_t bytes)
    {
        RecordedEvent event;
        event.action = action;
        event.address = kAddress + address;
        event.bytes = bytes;
        event.timeNs = m_time += 100;
        event.pool = std::array<std::uint64_t, 2>{};
        m_isGood = m_isGood && m_device.add(event).has_value();
        return *this;
    }
    Recorder& segment(std::uint64_t address, std::int64_t bytes, bool isExpandable = false)
    {
        RecordedSegment segment;
        segment.address = kAddress + address;
        segment.bytes = bytes;
        segment.isExpandable = isExpandable;
        m_isGood = m_isGood && m_device.addSegment(segment).has_value();
        return *this;
    }
    Recorder& block(std::uint64_t address, std::int64_t bytes, std::int64_t requested, State state)
    {
        m_isGood = m_isGood && m_device.addBlock({kAddress + address, bytes, requested, state, {}});
        return *this;
    }
    [[nodiscard]] bool isGood() const { return m_isGood; }

private:
    DeviceBuilder& m_device;
    std::int64_t m_time = 1000;
    bool m_isGood = true;
};

TraceSummary summaryOfBuilt(Builder& builder)
{
    const auto trace = std::move(builder).build();
    return trace ? summaryOf(**trace) : TraceSummary{};
}

class SummaryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsTheFirstEventOfThePeak();
    void aPeakBeforeTheRecordingHasNoEvent();
    void countsBlocksAtTheEnd();
    void joinsWhatIsMappedPieceByPiece();
    void choosesTheDeviceWithTheHighestPeak();
    void noticesARingThatRanOver_data();
    void noticesARingThatRanOver();
};

void SummaryTest::findsTheFirstEventOfThePeak()
{
    Builder builder;
    Recorder recorder{builder};
    recorder.event(Action::Alloc, 0, 100)
        .event(Action::FreeRequested, 0, 100) // with the next one a single event of the trace
        .event(Action::FreeCompleted, 0, 100)
        .event(Action::Alloc, 0, 300)
        .event(Action::FreeCompleted, 0, 300)
        .event(Action::Alloc, 0, 300);
    QVERIFY(recorder.isGood());
    const DeviceSummary summary = summaryOfBuilt(builder).devices.at(0);
    QCOMPARE(summary.peak.count(), 300);
    QCOMPARE(summary.peakEvent, 3);
    QCOMPARE(summary.peakTime.count(), 300);
    QCOMPARE(summary.events, 6U);
    QCOMPARE(summary.allocations, 3U);
    QCOMPARE(summary.end.count(), 300);
}

void SummaryTest::aPeakBeforeTheRecordingHasNoEvent()
{
    Builder builder;
    Recorder recorder{builder};
    recorder.event(Action::FreeCompleted, 0, 500).event(Action::Alloc, 0x1000, 200);
    QVERIFY(recorder.isGood());
    const DeviceSummary summary = summaryOfBuilt(builder).devices.at(0);
    QCOMPARE(summary.initial.count(), 500);
    QCOMPARE(summary.peak.count(), 500);
    QCOMPARE(summary.peakEvent, -1);
    QCOMPARE(summary.peakTime.count(), 0);
    QCOMPARE(summary.end.count(), 200);
}

void SummaryTest::countsBlocksAtTheEnd()
{
    Builder builder;
    Recorder recorder{builder};
    recorder.event(Action::Alloc, 0, 500)
        .event(Action::Alloc, 0x400, 900)
        .event(Action::FreeRequested, 0x400, 900)
        .event(Action::Snapshot, 0, 0)
        .segment(0, 0x2000)
        .block(0, 512, 500, State::Active)
        .block(0x200, 512, 0, State::Idle)
        .block(0x400, 1024, 900, State::PendingFree)
        .block(0x800, 0x1800, 0, State::Idle);
    QVERIFY(recorder.isGood());
    const DeviceSummary summary = summaryOfBuilt(builder).devices.at(0);
    QCOMPARE(summary.end.count(), 1400);
    QCOMPARE(summary.endAllocated.count(), 512); // as PyTorch counts it
    QCOMPARE(summary.endReserved.count(), 0x2000);
    QCOMPARE(summary.peakReserved.count(), 0x2000);
    QCOMPARE(summary.endFreeBlocks, 2U);
    QCOMPARE(summary.endFree.count(), 512 + 0x1800);
    QCOMPARE(summary.endLargestFree.count(), 0x1800);
    QCOMPARE(summary.segments, 1U);
}

void SummaryTest::joinsWhatIsMappedPieceByPiece()
{
    Builder builder;
    Recorder recorder{builder};
    recorder.event(Action::SegmentMap, 0, 0x1000)
        .event(Action::SegmentMap, 0x1000, 0x1000)
        .event(Action::SegmentMap, 0x4000, 0x1000)
        .segment(0, 0x2000, true)
        .segment(0x4000, 0x1000, true)
        .segment(0x5000, 0x1000);
    QVERIFY(recorder.isGood());
    const DeviceSummary summary = summaryOfBuilt(builder).devices.at(0);
    QCOMPARE(summary.segments, 3U);
    QCOMPARE(summary.endReserved.count(), 0x4000);
}

void SummaryTest::choosesTheDeviceWithTheHighestPeak()
{
    Builder builder;
    Recorder{builder, 0}.event(Action::Alloc, 0, 10);
    Recorder{builder, 3}.event(Action::Alloc, 0, 20);
    Recorder{builder, 5}.event(Action::Alloc, 0, 15);
    Recorder{builder, -1}.event(Action::Alloc, 0, 500); // host memory isn't what runs out
    const auto trace = std::move(builder).build();
    QVERIFY(trace);
    const TraceSummary summary = summaryOf(**trace);
    QCOMPARE(summary.devices.size(), 4U);
    QCOMPARE(summary.devices.at(summary.highest).ordinal, 3);
    QCOMPARE((*trace)->devices().at(highestDevice(**trace)).ordinal(), 3);

    Builder single;
    Recorder{single, 2}.event(Action::Alloc, 0, 10);
    Recorder{single, -1}.event(Action::Alloc, 0, 500);
    const auto one = std::move(single).build();
    QVERIFY(one);
    QCOMPARE((*one)->devices().at(highestDevice(**one)).ordinal(), 2);

    Builder host;
    Recorder{host, -1}.event(Action::Alloc, 0, 500);
    QCOMPARE(summaryOfBuilt(host).highest, 0U);
}

void SummaryTest::noticesARingThatRanOver_data()
{
    QTest::addColumn<int>("events");
    QTest::addColumn<bool>("beginsWithAFree");
    QTest::addColumn<bool>("ranOver");
    QTest::newRow("a thousand") << 1000 << true << true;
    QTest::newRow("twenty thousand") << 20'000 << true << true;
    QTest::newRow("a power of two") << 1024 << true << true;
    QTest::newRow("no round number") << 1001 << true << false;
    QTest::newRow("few") << 10 << true << false;
    QTest::newRow("nothing lost") << 1000 << false << false;
}

void SummaryTest::noticesARingThatRanOver()
{
    QFETCH(int, events);
    QFETCH(bool, beginsWithAFree);
    QFETCH(bool, ranOver);
    Builder builder;
    Recorder recorder{builder};
    recorder.event(beginsWithAFree ? Action::FreeCompleted : Action::Alloc, 0, 512);
    for (int i = 1; i < events; ++i)
        recorder.event(Action::Alloc, static_cast<std::uint64_t>(i) * 512, 512);
    QVERIFY(recorder.isGood());
    QCOMPARE(summaryOfBuilt(builder).devices.at(0).mayHaveOverflowed, ranOver);
}

} // namespace

PLIMSOLL_TEST(SummaryTest, plimsoll::tests::NoApplication)
#include "summary_test.moc"
