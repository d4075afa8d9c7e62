// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/gaps.h"

#include "core/memtrace/analysis/gap_curve.h"
#include "core/memtrace/builder.h"

#include "tests/support/messages.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <random>
#include <set>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::messageOf;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

constexpr std::uint64_t kBegin = 0x7f0000000000;
constexpr std::int64_t kUnit = 512;

class GapsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void areWhatNoAllocationHas();
    void areTheBlocksThatTheEndHas();
    void blocksOfTheEndAreKnownBefore();
    void equalACountOfUnits_data();
    void equalACountOfUnits();
};

void add(DeviceBuilder& device, Action action, std::uint64_t address, std::int64_t bytes)
{
    RecordedEvent event;
    event.action = action;
    event.address = address;
    event.bytes = bytes;
    if (!device.add(event))
        qFatal("not added");
}

GapFigures figuresAt(const MemoryTrace& trace, std::size_t step)
{
    const DeviceTrace& device = trace.devices().front();
    std::vector<std::uint32_t> live;
    for (std::uint32_t i = 0; i < device.allocations().size(); ++i)
        if (device.firstStep(i) <= step && step <= device.lastStep(i))
            live.push_back(i);
    return figuresOf(gapsAt(device, live, step));
}

void GapsTest::areWhatNoAllocationHas()
{
    Builder builder;
    DeviceBuilder& device = builder.device(0);
    add(device, Action::SegmentAlloc, kBegin, 20 * kUnit);
    add(device, Action::Alloc, kBegin, 600);                           // two units
    add(device, Action::Alloc, kBegin + 5 * kUnit, 4 * kUnit);         // gaps of 3 and 11
    add(device, Action::SegmentAlloc, kBegin + 20 * kUnit, 8 * kUnit); // touches, but is another
    const auto trace = std::move(builder).build();
    QVERIFY2(trace, messageOf(trace));
    QCOMPARE(figuresAt(**trace, 0), (GapFigures{}));
    QCOMPARE(figuresAt(**trace, 1), (GapFigures{Bytes{20 * kUnit}, Bytes{20 * kUnit}, 1}));
    QCOMPARE(figuresAt(**trace, 1).fragmentation(), 0.0);
    QCOMPARE(figuresAt(**trace, 3), (GapFigures{Bytes{14 * kUnit}, Bytes{11 * kUnit}, 2}));
    QCOMPARE(figuresAt(**trace, 4), (GapFigures{Bytes{22 * kUnit}, Bytes{11 * kUnit}, 3}));
    QCOMPARE(figuresAt(**trace, 4).fragmentation(), 0.5);
}

/// The recording ends with a block of 8 units for a request of 600 bytes: what is behind it in the
/// block isn't idle.
void GapsTest::areTheBlocksThatTheEndHas()
{
    Builder builder;
    DeviceBuilder& device = builder.device(0);
    add(device, Action::SegmentAlloc, kBegin, 20 * kUnit);
    add(device, Action::Alloc, kBegin, 600);
    QVERIFY(device.addSegment({kBegin, 20 * kUnit, 0, {}, true, false, {}}));
    QVERIFY(device.addBlock({kBegin, 8 * kUnit, 600, RecordedBlock::State::Active, {}}));
    QVERIFY(device.addBlock({kBegin + 8 * kUnit, 12 * kUnit, 0, RecordedBlock::State::Idle, {}}));
    const auto trace = std::move(builder).build();
    QVERIFY2(trace, messageOf(trace));
    QCOMPARE(figuresAt(**trace, 2), (GapFigures{Bytes{12 * kUnit}, Bytes{12 * kUnit}, 1}));
    QCOMPARE(figuresAt(**trace, 1), (GapFigures{Bytes{20 * kUnit}, Bytes{20 * kUnit}, 1}));
}

/// A block is as large all the time that its allocation lives.
void GapsTest::blocksOfTheEndAreKnownBefore()
{
    Builder builder;
    DeviceBuilder& device = builder.device(0);
    add(device, Action::SegmentAlloc, kBegin, 20 * kUnit);
    add(device, Action::Alloc, kBegin, 600);
    add(device, Action::Alloc, kBegin + 8 * kUnit, 600);
    add(device, Action::FreeCompleted, kBegin + 8 * kUnit, 600);
    QVERIFY(device.addSegment({kBegin, 20 * kUnit, 0, {}, true, false, {}}));
    QVERIFY(device.addBlock({kBegin, 8 * kUnit, 600, RecordedBlock::State::Active, {}}));
    QVERIFY(device.addBlock({kBegin + 8 * kUnit, 12 * kUnit, 0, RecordedBlock::State::Idle, {}}));
    const auto trace = std::move(builder).build();
    QVERIFY2(trace, messageOf(trace));
    const GapFigures before{Bytes{12 * kUnit}, Bytes{12 * kUnit}, 1};
    const GapFigures between{Bytes{10 * kUnit}, Bytes{10 * kUnit}, 1}; // of the other, two units
    QCOMPARE(figuresAt(**trace, 2), before);
    QCOMPARE(figuresAt(**trace, 3), between);
    const auto curve = largestGaps((*trace)->devices().front());
    QVERIFY(curve.has_value());
    QCOMPARE((*curve)->at(2), before.largest);
    QCOMPARE((*curve)->at(3), between.largest);
}

void GapsTest::equalACountOfUnits_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 20; ++seed)
        QTest::addRow("%d", seed) << seed;
}

/// Random allocations in segments, against one flag for each unit.
void GapsTest::equalACountOfUnits()
{
    QFETCH(int, seed);
    std::mt19937 random{static_cast<unsigned>(seed)};
    constexpr int kSegment = 40; // units
    constexpr int kSegments = 6;
    Builder builder;
    DeviceBuilder& device = builder.device(0);
    std::vector<bool> isUsed(static_cast<std::size_t>(kSegment * kSegments), false);
    for (int i = 0; i < kSegments; ++i) // far apart, so that they don't touch
        add(device, Action::SegmentAlloc, kBegin + static_cast<std::uint64_t>(i) * 1'000'000,
            kSegment * kUnit);
    std::set<std::pair<int, int>> live; // unit, count
    for (int event = 0; event < 60; ++event) {
        const int at = static_cast<int>(random() % static_cast<unsigned>(kSegment * kSegments));
        const int count = 1 + static_cast<int>(random() % 6);
        const auto address = [](int unit) {
            return kBegin + static_cast<std::uint64_t>(unit / kSegment) * 1'000'000
                   + static_cast<std::uint64_t>(unit % kSegment * kUnit);
        };
        bool fits = at % kSegment + count <= kSegment;
        for (int i = 0; fits && i < count; ++i)
            fits = !isUsed[static_cast<std::size_t>(at + i)];
        if (fits && random() % 3 != 0) {
            add(device, Action::Alloc, address(at),
                count * kUnit - static_cast<int>(random() % 512));
            live.emplace(at, count);
            for (int i = 0; i < count; ++i)
                isUsed[static_cast<std::size_t>(at + i)] = true;
        } else if (!live.empty()) {
            const auto [unit, units] = *live.begin();
            live.erase(live.begin());
            add(device, Action::FreeCompleted, address(unit), units * kUnit);
            for (int i = 0; i < units; ++i)
                isUsed[static_cast<std::size_t>(unit + i)] = false;
        }
    }
    GapFigures expected;
    for (int segment = 0; segment < kSegments; ++segment) {
        int run = 0;
        for (int unit = 0; unit <= kSegment; ++unit) {
            const bool isIdle =
                unit < kSegment && !isUsed[static_cast<std::size_t>(segment * kSegment + unit)];
            run += isIdle ? 1 : 0;
            if (isIdle || run == 0)
                continue;
            expected.idle += Bytes{run * kUnit};
            expected.largest = std::max(expected.largest, Bytes{run * kUnit});
            ++expected.gaps;
            run = 0;
        }
    }
    const auto trace = std::move(builder).build();
    QVERIFY2(trace, messageOf(trace));
    const std::size_t end = (*trace)->devices().front().stepCount() - 1;
    QCOMPARE(figuresAt(**trace, end), expected);
}

} // namespace

PLIMSOLL_TEST(GapsTest, QCoreApplication)
#include "gaps_test.moc"
