// SPDX-License-Identifier: Apache-2.0
// A device is simulated; a recording sees a window of its events and the state at the end. The
// trace must tell what was live and reserved after each event, also of what began before.
#include "core/memtrace/build_timeline.h"

#include "tests/support/test_main.h"
#include "tests/unit/memtrace/simulated_device.h"

#include <QTest>

namespace {

using plimsoll::tests::recorded;
using plimsoll::tests::SimulatedDevice;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

class RecordedWindowTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tellsWhatWasThere_data();
    void tellsWhatWasThere();
};

void RecordedWindowTest::tellsWhatWasThere_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 60; ++seed)
        QTest::addRow("seed %d", seed) << seed;
}

void RecordedWindowTest::tellsWhatWasThere()
{
    QFETCH(int, seed);
    SimulatedDevice truth{seed};
    truth.run(400);
    for (const std::size_t first :
         {std::size_t{0}, std::size_t{1}, std::size_t{150}, std::size_t{390}}) {
        const MemoryTracePtr trace = recorded(truth, first);
        QVERIFY(trace);
        const DeviceTrace& device = trace->devices().front();
        const auto timeline =
            buildTimeline(*trace, device, {plimsoll::timeline::categoryLayers(), {}}, Axis::Events);
        QCOMPARE(device.recordedCount(), std::uint64_t{truth.log.size() - first});
        QCOMPARE(timeline->stepCount(), device.stepCount());
        for (EventIndex event = 0; event < device.eventCount(); ++event) {
            // The last of the recorded events that this one is.
            const std::uint64_t index =
                device.recordedIndex(event) + (device.action(event) == Action::Free ? 1U : 0U);
            const std::size_t at = first + index;
            QCOMPARE(device.eventAtRecorded(index), event);
            QCOMPARE(timeline->totalAt(event + 1).count(), truth.live[at]);
            QCOMPARE(device.reserved().at(event + 1).count(), truth.reserved[at]);
            QCOMPARE(device.timeOf(event).count(),
                     *truth.log[at].timeNs - *truth.log[first].timeNs);
        }
        if (first > 0) {
            QCOMPARE(timeline->totalAt(0).count(), truth.live[first - 1]);
            QCOMPARE(device.reserved().at(0).count(), truth.reserved[first - 1]);
        }
        std::int64_t atEnd = 0;
        for (const EndBlock& block : device.endBlocks())
            atEnd += device.allocations().bytes[block.allocation];
        QCOMPARE(atEnd, truth.live.back());
        QVERIFY(!trace->statistics().contains("frees_of_freed_blocks"));
        QVERIFY(!trace->statistics().contains("segments_missing_at_end"));
        QVERIFY(!trace->statistics().contains("releases_of_released_segments"));
    }
}

} // namespace

PLIMSOLL_TEST(RecordedWindowTest, QCoreApplication)
#include "recorded_window_test.moc"
