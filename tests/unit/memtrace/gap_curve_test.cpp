// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/gap_curve.h"

#include "core/memtrace/analysis/gaps.h"

#include "tests/support/messages.h"
#include "tests/support/test_main.h"
#include "tests/unit/memtrace/simulated_device.h"

#include <QTest>

#include <random>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::messageOf;
using plimsoll::tests::SimulatedDevice;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

class GapCurveTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalsTheGapsOfEachStep_data();
    void equalsTheGapsOfEachStep();
    void followsFullSegments();
    void findsTheLargestOfARange();
    void isEmptyWhereNothingIsKnown();
    void canBeStopped();
};

Bytes largestAt(const DeviceTrace& device, std::size_t step)
{
    std::vector<std::uint32_t> live;
    for (std::uint32_t i = 0; i < device.allocations().size(); ++i)
        if (device.firstStep(i) <= step && step <= device.lastStep(i))
            live.push_back(i);
    return figuresOf(gapsAt(device, live, step)).largest;
}

void GapCurveTest::equalsTheGapsOfEachStep_data()
{
    QTest::addColumn<int>("seed");
    QTest::addColumn<int>("first");
    for (int seed = 1; seed <= 30; ++seed)
        QTest::addRow("%d", seed) << seed << (seed % 3) * 150;
}

/// Segments are mapped piece by piece and side by side; blocks are there before the recording, wait
/// for other streams, and are there at the end.
void GapCurveTest::equalsTheGapsOfEachStep()
{
    QFETCH(int, seed);
    QFETCH(int, first);
    SimulatedDevice truth{seed};
    truth.run(600);
    const MemoryTracePtr trace = plimsoll::tests::recorded(truth, static_cast<std::size_t>(first));
    QVERIFY(trace != nullptr);
    const DeviceTrace& device = trace->devices().front();
    const auto curve = largestGaps(device);
    QVERIFY2(curve, messageOf(curve));
    QVERIFY(!(*curve)->isEmpty());
    for (std::size_t step = 0; step < device.stepCount(); ++step)
        QCOMPARE((*curve)->at(step).count(), largestAt(device, step).count());
}

/// Two segments that are mostly full, so that the largest gap changes often. Some blocks lie in
/// both, which only damaged recordings have.
void GapCurveTest::followsFullSegments()
{
    constexpr std::uint64_t kUnit = 512;
    constexpr std::uint64_t kUnits = 200;
    plimsoll::tests::Random random{5};
    Builder builder;
    DeviceBuilder& device = builder.device(0);
    const auto add = [&](Action action, std::uint64_t address, std::int64_t bytes) {
        RecordedEvent event;
        event.action = action;
        event.address = address;
        event.bytes = bytes;
        QVERIFY(device.add(event).has_value());
    };
    constexpr std::uint64_t kBegin = 0x7f0000000000;
    for (const std::uint64_t segment :
         {std::uint64_t{0}, std::uint64_t{1}}) // side by side, but two
        add(Action::SegmentAlloc, kBegin + segment * kUnits * kUnit,
            static_cast<std::int64_t>(kUnits * kUnit));
    std::map<std::uint64_t, std::uint64_t> live; // unit, end
    for (int i = 0; i < 3000; ++i) {
        const std::uint64_t at = random.below(2 * kUnits);
        const std::uint64_t end = at + 1 + random.below(12);
        const auto next = live.lower_bound(at);
        const bool fits = end <= 2 * kUnits && (next == live.end() || next->first >= end)
                          && (next == live.begin() || std::prev(next)->second <= at);
        if (fits) {
            live.emplace(at, end);
            add(Action::Alloc, kBegin + at * kUnit,
                static_cast<std::int64_t>((end - at) * kUnit - random.below(512)));
        } else if (random.percent(30) && next != live.end()) {
            add(Action::FreeCompleted, kBegin + next->first * kUnit, 1);
            live.erase(next);
        }
    }
    const auto trace = std::move(builder).build();
    QVERIFY2(trace, messageOf(trace));
    const DeviceTrace& recorded = (*trace)->devices().front();
    const auto curve = largestGaps(recorded);
    QVERIFY2(curve, messageOf(curve));
    QVERIFY2((*curve)->size() > 200, qPrintable(QString::number((*curve)->size())));
    for (std::size_t step = 0; step < recorded.stepCount(); ++step)
        QCOMPARE((*curve)->at(step).count(), largestAt(recorded, step).count());
}

void GapCurveTest::findsTheLargestOfARange()
{
    std::mt19937 random{3};
    GapCurve curve;
    std::vector<std::int64_t> values;
    for (std::uint32_t step = 0; step < 3000; ++step) {
        if (step == 0 || random() % 3 == 0) {
            values.push_back(static_cast<std::int64_t>(random() % 1000));
            curve.append(step, Bytes{values.back()});
        } else {
            values.push_back(values.back());
        }
    }
    const auto check = [&](std::size_t begin, std::size_t end) {
        const auto at = [&](std::size_t i) {
            return values.begin() + static_cast<std::ptrdiff_t>(std::min(i, values.size()));
        };
        QCOMPARE(curve.largestIn(begin, end).count(), *std::max_element(at(begin), at(end)));
    };
    for (int i = 0; i < 2000; ++i) {
        const std::size_t begin = random() % values.size();
        check(begin, begin + 1 + random() % (values.size() - begin));
    }
    check(0, values.size());
    curve.cutAt(1234);
    values.resize(1234);
    curve.append(1234, Bytes{7});
    values.push_back(7);
    check(0, values.size());
    check(1200, 1235);
    QCOMPARE(curve.at(5000).count(), std::int64_t{7});
}

void GapCurveTest::isEmptyWhereNothingIsKnown()
{
    const auto add = [](DeviceBuilder& device, Action action, std::uint64_t address,
                        std::int64_t bytes) {
        RecordedEvent event;
        event.action = action;
        event.address = address;
        event.bytes = bytes;
        QVERIFY(device.add(event).has_value());
    };
    for (const bool hasSegment : {false, true}) {
        Builder builder;
        if (hasSegment)
            add(builder.device(0), Action::SegmentAlloc, 0x10000, 0x10000);
        add(builder.device(0), Action::Alloc, 0x10000, 4096);
        add(builder.device(0), Action::Alloc, 0x10800, 4096); // overlaps
        const auto trace = std::move(builder).build();
        QVERIFY2(trace, messageOf(trace));
        const auto curve = largestGaps((*trace)->devices().front());
        QVERIFY2(curve, messageOf(curve));
        QVERIFY((*curve)->isEmpty());
        QCOMPARE((*curve)->at(1).count(), std::int64_t{0});
        QCOMPARE((*curve)->largestIn(0, 3).count(), std::int64_t{0});
    }
}

void GapCurveTest::canBeStopped()
{
    SimulatedDevice truth{1};
    truth.run(50);
    const MemoryTracePtr trace = plimsoll::tests::recorded(truth, 0);
    std::stop_source source;
    source.request_stop();
    const auto curve = largestGaps(trace->devices().front(),
                                   plimsoll::base::JobContext{.stop = source.get_token()});
    QVERIFY(!curve);
    QVERIFY(curve.error().kind == plimsoll::base::ErrorKind::Cancelled);
}

} // namespace

PLIMSOLL_TEST(GapCurveTest, QCoreApplication)
#include "gap_curve_test.moc"
