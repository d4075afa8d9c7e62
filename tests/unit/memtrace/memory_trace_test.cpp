// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/builder.h"

#include "tests/support/test_main.h"

#include <QTest>

namespace {

using plimsoll::base::Bytes;
using plimsoll::base::Nanoseconds;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

RecordedEvent eventOf(Action action, std::uint64_t address, std::int64_t bytes,
                      std::int64_t timeNs = 0)
{
    RecordedEvent event;
    event.action = action;
    event.address = address;
    event.bytes = bytes;
    event.timeNs = timeNs;
    event.pool = std::array<std::uint64_t, 2>{};
    return event;
}

MemoryTracePtr built(Builder builder)
{
    auto trace = std::move(builder).build();
    return trace ? *trace : nullptr;
}

MemoryTracePtr traceOf(const std::vector<RecordedEvent>& events,
                       const std::vector<RecordedBlock>& blocks = {})
{
    Builder builder;
    for (const RecordedEvent& one : events)
        if (!builder.device(0).add(one))
            return nullptr;
    if (!blocks.empty()
        && !builder.device(0).addSegment({0x1000, 0x10000, 0, {}, false, false, {}}))
        return nullptr;
    for (const RecordedBlock& block : blocks)
        if (!builder.device(0).addBlock(block))
            return nullptr;
    return built(std::move(builder));
}

std::vector<std::int64_t> curve(const MemoryTracePtr& trace, std::size_t device = 0)
{
    const auto timeline = buildTimeline(*trace, trace->devices().at(device),
                                        {plimsoll::timeline::categoryLayers(), {}}, Axis::Time);
    return timeline->totals();
}

using Curve = std::vector<std::int64_t>;
using Counts = std::map<std::string, std::size_t>;

class MemoryTraceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addsCurves();
    void pairsAllocationsWithFrees();
    void keepsBlocksUntilTheirFreeCompletes();
    void countsWhatDoesNotFit_data();
    void countsWhatDoesNotFit();
    void takesRequestsForFreesIfNoneCompletes();
    void showsTheEndAloneWithoutAllocations();
    void internsStacksByContent();
    void nestsAnnotations();
    void nestsRangesWithBothEnds();
    void keepsTotalsOfReservedBytes();
    void keepsWhatWasThereBefore();
    void forgetsNamesInsteadOfAddresses();
    void putsPinnedMemoryLast();
    void resolvesPoolsBySegments();
    void refusesWhatNoDeviceHas_data();
    void refusesWhatNoDeviceHas();
    void needsSomethingToShow();
    void worksWithoutTimes();
};

void MemoryTraceTest::addsCurves()
{
    using Points = std::vector<StepCurve::Point>;
    const StepCurve a{{{0, Bytes{5}}, {3, Bytes{7}}, {9, Bytes{}}}};
    const StepCurve b{{{2, Bytes{1}}, {3, Bytes{4}}}};
    const StepCurve sum = a + b;
    QCOMPARE(sum.points(), (Points{{0, Bytes{5}}, {2, Bytes{6}}, {3, Bytes{11}}, {9, Bytes{4}}}));
    for (std::size_t step = 0; step < 12; ++step)
        QCOMPARE(sum.at(step), a.at(step) + b.at(step));
    QCOMPARE((a + StepCurve{}).points(), a.points());
    QCOMPARE((StepCurve{} + a).points(), a.points());
}

void MemoryTraceTest::pairsAllocationsWithFrees()
{
    const auto trace = traceOf({eventOf(Action::Alloc, 0x1000, 100, 5'000),
                                eventOf(Action::Alloc, 0x2000, 20, 6'000),
                                eventOf(Action::FreeRequested, 0x1000, 100, 7'000),
                                eventOf(Action::FreeCompleted, 0x1000, 100, 8'000),
                                eventOf(Action::Alloc, 0x1000, 3, 9'000)});
    QVERIFY(trace);
    QCOMPARE(curve(trace), (Curve{0, 100, 120, 20, 23}));
    const DeviceTrace& device = trace->devices().front();
    QCOMPARE(device.action(2), Action::Free);
    QCOMPARE(device.timeOf(2), Nanoseconds{3'000});
    QCOMPARE(device.recordedCount(), std::uint64_t{5});
    QCOMPARE(device.recordedIndex(3), std::uint64_t{4});
    QCOMPARE(device.freeRequested(AllocationId{0}), EventIndex{2});
    QCOMPARE(device.freeRequested(AllocationId{1}), kNoEvent);
    QCOMPARE(device.allocations().freeEvent[0], EventIndex{2});
    QCOMPARE(trace->epochNs(), std::int64_t{5'000});
    QCOMPARE(trace->duration(), Nanoseconds{4'000});
    QVERIFY(trace->statistics().empty());
}

void MemoryTraceTest::keepsBlocksUntilTheirFreeCompletes()
{
    const auto trace =
        traceOf({eventOf(Action::Alloc, 0x1000, 100), eventOf(Action::FreeRequested, 0x1000, 100),
                 eventOf(Action::Alloc, 0x2000, 7), eventOf(Action::FreeCompleted, 0x1000, 100)});
    QVERIFY(trace);
    QCOMPARE(curve(trace), (Curve{0, 100, 100, 107, 7}));
    const DeviceTrace& device = trace->devices().front();
    QCOMPARE(device.freeRequested(AllocationId{0}), EventIndex{1});
    QCOMPARE(device.allocations().freeEvent[0], EventIndex{3});
}

void MemoryTraceTest::countsWhatDoesNotFit_data()
{
    QTest::addColumn<std::vector<RecordedEvent>>("events");
    QTest::addColumn<Curve>("expected");
    QTest::addColumn<Counts>("counts");
    using Events = std::vector<RecordedEvent>;
    QTest::newRow("free without allocation")
        << Events{eventOf(Action::FreeCompleted, 0x1000, 9), eventOf(Action::Alloc, 0x1000, 4)}
        << Curve{9, 0, 4} << Counts{{"frees_without_allocation", 1}};
    QTest::newRow("freed twice") << Events{eventOf(Action::Alloc, 0x1000, 4),
                                           eventOf(Action::FreeCompleted, 0x1000, 4),
                                           eventOf(Action::FreeCompleted, 0x1000, 4)}
                                 << Curve{0, 4, 0, 0} << Counts{{"frees_of_freed_blocks", 1}};
    QTest::newRow("allocated twice")
        << Events{eventOf(Action::Alloc, 0x1000, 4), eventOf(Action::Alloc, 0x1000, 5)}
        << Curve{0, 4, 5} << Counts{{"allocations_of_live_blocks", 1}};
    QTest::newRow("time goes back")
        << Events{eventOf(Action::Alloc, 0x1000, 4, 50), eventOf(Action::Alloc, 0x2000, 5, 40)}
        << Curve{0, 4, 9} << Counts{{"times_going_back", 1}};
    QTest::newRow("released twice")
        << Events{eventOf(Action::SegmentAlloc, 0x1000, 64),
                  eventOf(Action::SegmentFree, 0x1000, 64),
                  eventOf(Action::SegmentFree, 0x1000, 64)}
        << Curve{0, 0, 0, 0} << Counts{{"releases_of_released_segments", 1}};
}

void MemoryTraceTest::countsWhatDoesNotFit()
{
    QFETCH(std::vector<RecordedEvent>, events);
    QFETCH(Curve, expected);
    QFETCH(Counts, counts);
    const auto trace = traceOf(events);
    QVERIFY(trace);
    QCOMPARE(curve(trace), expected);
    QCOMPARE(trace->statistics(), counts);
}

void MemoryTraceTest::takesRequestsForFreesIfNoneCompletes()
{
    // skip_actions=["free_completed"]; 0x3000 is still there, waiting for its stream.
    const auto trace =
        traceOf({eventOf(Action::Alloc, 0x1000, 100), eventOf(Action::FreeRequested, 0x1000, 100),
                 eventOf(Action::Alloc, 0x1000, 7), eventOf(Action::Alloc, 0x2000, 20),
                 eventOf(Action::FreeRequested, 0x2000, 20), eventOf(Action::Alloc, 0x3000, 3),
                 eventOf(Action::FreeRequested, 0x3000, 3)},
                {{0x1000, 512, 7, RecordedBlock::State::Active, {}},
                 {0x2000, 512, 0, RecordedBlock::State::Idle, {}},
                 {0x3000, 512, 3, RecordedBlock::State::PendingFree, {}}});
    QVERIFY(trace);
    QCOMPARE(curve(trace), (Curve{0, 100, 0, 7, 27, 7, 10, 10}));
    QVERIFY(!trace->statistics().contains("allocations_of_live_blocks"));
}

void MemoryTraceTest::showsTheEndAloneWithoutAllocations()
{
    const auto trace = traceOf({eventOf(Action::FreeCompleted, 0x1000, 100),
                                eventOf(Action::FreeCompleted, 0x1000, 50),
                                eventOf(Action::FreeCompleted, 0x2000, 20)},
                               {{0x3000, 512, 30, RecordedBlock::State::Active, {}}});
    QVERIFY(trace);
    QCOMPARE(curve(trace), (Curve{30, 30, 30, 30}));
    QCOMPARE(trace->gaps().size(), std::size_t{1});
    QCOMPARE(trace->devices().front().subject(0), kNone);
}

void MemoryTraceTest::internsStacksByContent()
{
    StackTableBuilder builder;
    const FrameId inner =
        builder.frame({builder.text("model.py"), builder.text("forward"), 12, {}});
    const FrameId outer = builder.frame({builder.text("train.py"), builder.text("main"), 3, {}});
    QCOMPARE(builder.frame({builder.text("model.py"), builder.text("forward"), 12, {}}), inner);
    const std::vector<FrameId> both{inner, outer};
    const std::vector<FrameId> reversed{outer, inner};
    const StackId first = builder.stack(both);
    QCOMPARE(builder.stack(std::vector<FrameId>{inner, outer}), first);
    QVERIFY(builder.stack(reversed) != first);
    QCOMPARE(builder.stack({}), StackId{0});
    const StackTable table = std::move(builder).build();
    QCOMPARE(table.stackCount(), std::size_t{3});
    QCOMPARE(table.stack(first).size(), std::size_t{2});
    QCOMPARE(table.text(table.frame(table.stack(first)[0]).file), std::string_view{"model.py"});
    QCOMPARE(table.text(TextId{0}), std::string_view{});
}

void MemoryTraceTest::nestsAnnotations()
{
    Builder builder;
    QVERIFY(builder.device(0).add(eventOf(Action::Alloc, 0x1000, 1, 1'000)));
    QVERIFY(builder.device(0).add(eventOf(Action::Alloc, 0x2000, 1, 2'000)));
    builder.beginRange("step", 0, 500);
    builder.beginRange("forward", 0, 1'200);
    builder.endRange("forward", 0, 1'500);
    builder.endRange("backward", 0, 1'600);
    builder.beginRange("optimizer", 0, 1'700);
    const auto trace = built(std::move(builder));
    QVERIFY(trace);
    QCOMPARE(trace->annotations().size(), std::size_t{3});
    QCOMPARE(trace->annotations()[0].name, std::string{"step"});
    QCOMPARE(trace->annotations()[0].begin, Nanoseconds{0});
    QCOMPARE(trace->annotations()[0].end, Nanoseconds{1'000});
    QCOMPARE(trace->annotations()[1].depth, 1);
    QCOMPARE(trace->annotations()[1].end, Nanoseconds{500});
    QCOMPARE(trace->annotations()[2].name, std::string{"optimizer"});
    QCOMPARE(trace->statistics(), (Counts{{"annotations_without_begin", 1}}));
    const auto timeline = buildTimeline(*trace, trace->devices().front(),
                                        {plimsoll::timeline::categoryLayers(), {}}, Axis::Time);
    QCOMPARE(timeline->bands().size(), std::size_t{3});
    QCOMPARE(timeline->bands()[1].label, std::string{"forward"});
}

void MemoryTraceTest::nestsRangesWithBothEnds()
{
    Builder builder;
    QVERIFY(builder.device(0).add(eventOf(Action::Alloc, 1, 1, 100)));
    QVERIFY(builder.device(0).add(eventOf(Action::Alloc, 2, 1, 200)));
    builder.addRange("outer", 0, 90, 190);
    builder.addRange("inner", 0, 110, 120);
    builder.addRange("inner", 0, 120, 300);
    builder.addRange("other", 1, 120, 130);
    builder.addRange("next", 0, 190, 195);
    const auto trace = built(std::move(builder));
    QVERIFY(trace);
    std::vector<int> depths;
    for (const Annotation& range : trace->annotations())
        depths.push_back(range.depth);
    QCOMPARE(depths, (std::vector<int>{0, 1, 1, 0, 1}));
    QCOMPARE(trace->annotations()[2].begin, Nanoseconds{20});
    QCOMPARE(trace->annotations()[2].end, Nanoseconds{100}); // the trace's end
}

void MemoryTraceTest::keepsTotalsOfReservedBytes()
{
    using plimsoll::base::Bytes;
    Builder builder;
    DeviceBuilder& device = builder.device(0);
    QVERIFY(device.add(eventOf(Action::Alloc, 1, 1)));
    device.setReserved(Bytes{10});
    QVERIFY(device.add(eventOf(Action::Alloc, 2, 1)));
    device.setReserved(Bytes{10});
    QVERIFY(device.add(eventOf(Action::Alloc, 3, 1)));
    device.setReserved(Bytes{30});
    device.setReserved(Bytes{20});
    const auto trace = built(std::move(builder));
    QVERIFY(trace);
    const StepCurve& reserved = trace->devices().front().reserved();
    QCOMPARE(reserved.points(), (std::vector<StepCurve::Point>{{0, Bytes{10}}, {3, Bytes{20}}}));
    QVERIFY(trace->devices().front().segments().empty());
}

void MemoryTraceTest::keepsWhatWasThereBefore()
{
    using plimsoll::base::Bytes;
    Builder builder;
    DeviceBuilder& device = builder.device(0);
    QVERIFY(device.addBefore(eventOf(Action::Other, 2, 7)));
    QVERIFY(device.addBefore(eventOf(Action::Other, 3, 11)));
    QVERIFY(!device.addBefore(eventOf(Action::Other, 4, -1)));
    QVERIFY(device.add(eventOf(Action::FreeCompleted, 1, 5)));
    QVERIFY(device.add(eventOf(Action::FreeCompleted, 2, 7)));
    QCOMPARE(device.beforeBytes(), Bytes{23});
    const auto trace = built(std::move(builder));
    QVERIFY(trace);
    QCOMPARE(curve(trace), (Curve{23, 18, 11}));
    QCOMPARE(trace->statistics(), (Counts{{"frees_without_allocation", 1}}));
    Builder without;
    QVERIFY(without.device(0).addBefore(eventOf(Action::Other, 2, 7)));
    QCOMPARE(curve(built(std::move(without))), Curve{7});
}

void MemoryTraceTest::forgetsNamesInsteadOfAddresses()
{
    const std::uint64_t name = kNamesInsteadOfAddresses + 3;
    const auto trace =
        traceOf({eventOf(Action::Alloc, name, 5), eventOf(Action::Alloc, name + 1, 7),
                 eventOf(Action::FreeCompleted, name, 5)});
    QVERIFY(trace);
    QCOMPARE(curve(trace), (Curve{0, 5, 12, 7}));
    QCOMPARE(trace->devices().front().allocations().address[0], kNoAddress);
    QCOMPARE(trace->devices().front().allocations().address[1], kNoAddress);
    QVERIFY(trace->statistics().empty());
}

void MemoryTraceTest::putsPinnedMemoryLast()
{
    Builder builder;
    QVERIFY(builder.device(-1).add(eventOf(Action::Alloc, 0x1000, 1, 1'000)));
    QVERIFY(builder.device(1).add(eventOf(Action::Alloc, 0x1000, 2, 3'000)));
    QVERIFY(builder.device(0).add(eventOf(Action::Alloc, 0x1000, 3, 2'000)));
    static_cast<void>(builder.device(2)); // nothing happened there
    const auto trace = built(std::move(builder));
    QVERIFY(trace);
    std::vector<int> ordinals;
    for (const DeviceTrace& device : trace->devices())
        ordinals.push_back(device.ordinal());
    QCOMPARE(ordinals, (std::vector<int>{0, 1, -1}));
    QCOMPARE(trace->devices()[1].timeOf(0), Nanoseconds{2'000});
    QCOMPARE(curve(trace, 2), (Curve{0, 1}));
}

void MemoryTraceTest::resolvesPoolsBySegments()
{
    Builder builder;
    RecordedEvent alloc = eventOf(Action::Alloc, 0x1200, 5);
    alloc.pool.reset();
    QVERIFY(builder.device(0).add(alloc));
    alloc.address = 0x9000;
    QVERIFY(builder.device(0).add(alloc));
    QVERIFY(builder.device(0).addSegment({0x1000, 0x1000, 0, {0, 7}, true, false, {}}));
    QVERIFY(builder.device(0).addSegment({0x9000, 0x1000, 0, {}, true, false, {}}));
    const auto trace = built(std::move(builder));
    QVERIFY(trace);
    QVERIFY(trace->devices().front().placeOf(AllocationId{0}).isPrivate());
    QVERIFY(!trace->devices().front().placeOf(AllocationId{1}).isPrivate());
}

void MemoryTraceTest::refusesWhatNoDeviceHas_data()
{
    QTest::addColumn<RecordedEvent>("bad");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("negative") << eventOf(Action::Alloc, 0x1000, -5)
                              << "a size of -5 bytes is impossible";
    QTest::newRow("huge") << eventOf(Action::SegmentAlloc, 0x1000, std::int64_t{1} << 62U)
                          << "a size of 4611686018427387904 bytes is impossible";
    QTest::newRow("address") << eventOf(Action::Alloc, ~std::uint64_t{15}, 5)
                             << "the address 0xfffffffffffffff0 is impossible";
}

void MemoryTraceTest::refusesWhatNoDeviceHas()
{
    QFETCH(RecordedEvent, bad);
    QFETCH(QString, sentence);
    Builder builder;
    const auto result = builder.device(0).add(bad);
    QVERIFY(!result);
    QCOMPARE(QString::fromStdString(result.error().message), sentence);
    QCOMPARE(builder.device(0).eventCount(), std::size_t{0});
}

void MemoryTraceTest::needsSomethingToShow()
{
    Builder builder;
    static_cast<void>(builder.device(0));
    QVERIFY(!std::move(builder).build());
}

void MemoryTraceTest::worksWithoutTimes()
{
    RecordedEvent first = eventOf(Action::Alloc, 0x1000, 5);
    first.timeNs.reset();
    RecordedEvent second = first;
    second.address = 0x2000;
    const auto trace = traceOf({first, second});
    QVERIFY(trace);
    QVERIFY(!trace->hasTimes());
    QCOMPARE(trace->devices().front().timeOf(1), Nanoseconds{1});
    QCOMPARE(trace->duration(), Nanoseconds{2});
}

} // namespace

PLIMSOLL_TEST(MemoryTraceTest, QCoreApplication)
#include "memory_trace_test.moc"
