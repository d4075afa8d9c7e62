// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/builder.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <limits>
#include <random>

namespace {

using plimsoll::base::Bytes;
using plimsoll::base::Column;
using plimsoll::base::Nanoseconds;
using namespace plimsoll::timeline; // NOLINT(google-build-using-namespace)

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

/// A block as the events tell it: alive in steps begin..end.
struct Block
{
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int64_t bytes = 0;
    std::size_t layer = 0;
};

/// Random events on an axis, told to a Builder and kept as blocks.
struct Events
{
    /// Sizes are multiples of `unit`, below `most` of it.
    Events(bool hasSteps, std::size_t count, unsigned seed, std::int64_t unit, std::int64_t most)
        : builder{hasSteps ? Builder{std::vector<Nanoseconds>(count, Nanoseconds{7})}
                           : Builder{categoryLayers()}}
    {
        std::mt19937 random{seed};
        std::vector<std::size_t> open;
        std::int64_t time = hasSteps ? 0 : 1'700'000'000'000'000'000; // nanoseconds since 1970
        for (std::size_t event = 0; event < count; ++event) {
            const std::size_t step = hasSteps ? static_cast<std::size_t>(time) : event;
            times.push_back(time);
            if (open.empty() || random() % 2 == 0) {
                const Block block{step, 0, static_cast<std::int64_t>(random()) % most * unit,
                                  random() % kCategoryCount};
                open.push_back(blocks.size());
                QVERIFY(builder.alloc(time, {blocks.size(), Bytes{block.bytes},
                                             static_cast<std::uint8_t>(block.layer), 0,
                                             static_cast<std::uint32_t>(blocks.size())}));
                blocks.push_back(block);
            } else {
                // Most blocks live a short time.
                const std::size_t back = std::min<std::size_t>(
                    open.size() - 1, random() % 8 == 0 ? random() % open.size() : random() % 3);
                const auto freed = open.end() - 1 - static_cast<std::ptrdiff_t>(back);
                blocks[*freed].end = hasSteps ? step : step - 1;
                QVERIFY(builder.free(time, *freed));
                open.erase(freed);
            }
            if (hasSteps)
                time = std::min(time + static_cast<std::int64_t>(random() % 3),
                                static_cast<std::int64_t>(count) - 1);
            else if (random() % 3 != 0) // some at one time, some seconds apart
                time += random() % 1000 == 0 ? 9'000'000'000
                                             : static_cast<std::int64_t>(random() % 5000);
        }
        for (const std::size_t block : open)
            blocks[block].end = count - 1;
    }

    Builder builder;
    std::vector<Block> blocks;
    std::vector<std::int64_t> times; ///< of the events
};

Stack stackOf(const std::vector<Block>& blocks, std::size_t step)
{
    Stack stack{};
    for (const Block& block : blocks)
        if (block.begin <= step && step <= block.end)
            stack[block.layer] += Bytes{block.bytes};
    return stack;
}

class TimelineTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answersAsBruteForce_data();
    void answersAsBruteForce();
    void keepsATransientPeakBetweenEqualTimes();
    void holdsNothingWithoutEvents();
    void keepsTimesOf64Bits();
    void checksColumnsOfTimes_data();
    void checksColumnsOfTimes();
    void sortsByBegin();
    void keepsLanesMarksAndBands();
    void refusesImpossibleEvents();
};

void TimelineTest::answersAsBruteForce_data()
{
    QTest::addColumn<bool>("hasSteps");
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("rounds");
    QTest::addColumn<qint64>("unit");
    QTest::addColumn<qint64>("most");
    constexpr qint64 kAny = std::numeric_limits<std::uint32_t>::max();
    for (const bool hasSteps : {true, false}) {
        QTest::addRow("%s, few", hasSteps ? "steps" : "nanoseconds")
            << hasSteps << 150 << 40 << qint64{16} << kAny;
        // As on a GPU: all totals are below 2^32 units, and above 4 GiB.
        QTest::addRow("%s, blocks of 512", hasSteps ? "steps" : "nanoseconds")
            << hasSteps << 150 << 40 << qint64{512} << qint64{10'000'000};
        // Single sizes fit 32 bits, sums don't.
        QTest::addRow("%s, odd sizes", hasSteps ? "steps" : "nanoseconds")
            << hasSteps << 150 << 40 << qint64{1} << kAny;
        // More steps than a timeline keeps whole, with a whole last section and with a cut one.
        QTest::addRow("%s, many", hasSteps ? "steps" : "nanoseconds")
            << hasSteps << (1 << 20) + (hasSteps ? 1000 : 1024) << 1 << qint64{16} << kAny;
    }
}

void TimelineTest::answersAsBruteForce()
{
    QFETCH(bool, hasSteps);
    QFETCH(int, count);
    QFETCH(int, rounds);
    QFETCH(qint64, unit);
    QFETCH(qint64, most);
    for (int round = 0; round < rounds; ++round) {
        Events events{hasSteps, static_cast<std::size_t>(count), static_cast<unsigned>(round), unit,
                      most};
        const TimelinePtr timeline = std::move(events.builder).build();
        const std::size_t steps = timeline->stepCount();
        QCOMPARE(steps, static_cast<std::size_t>(count));
        std::vector<std::int64_t> totals(steps + 1);
        for (const Block& block : events.blocks) {
            totals[block.begin] += block.bytes;
            totals[block.end + 1] -= block.bytes;
        }
        for (std::size_t step = 1; step < steps; ++step)
            totals[step] += totals[step - 1];
        totals.pop_back();
        QCOMPARE(timeline->totals(), totals);
        const auto peak = std::max_element(totals.begin(), totals.end());
        QCOMPARE(timeline->peak().count(), *peak);
        QCOMPARE(timeline->peakStep(), static_cast<std::size_t>(peak - totals.begin()));
        std::mt19937 random{99};
        for (int query = 0; query < 60; ++query) {
            const std::size_t step = random() % steps;
            const std::size_t begin = random() % steps;
            const std::size_t end =
                begin + 1
                + random()
                      % (query % 2 == 0 ? steps - begin
                                        : std::min<std::size_t>(steps - begin, 100));
            const Stack stack = stackOf(events.blocks, step);
            QCOMPARE(timeline->stackAt(step), stack);
            QCOMPARE(timeline->totalAt(step).count(), totals[step]);
            const auto at = [&](std::size_t place) {
                return totals.begin() + static_cast<std::ptrdiff_t>(place);
            };
            QCOMPARE(at(timeline->largestStepIn(begin, end)), std::max_element(at(begin), at(end)));
            QCOMPARE(at(timeline->smallestStepIn(begin, end)),
                     std::min_element(at(begin), at(end)));
            std::size_t alive = 0;
            for (const Block& block : events.blocks)
                alive += block.begin <= step && step <= block.end ? 1 : 0;
            const std::vector<std::uint32_t> found = timeline->aliveAt(step);
            QCOMPARE(found.size(), alive);
            Bytes before{kFar};
            for (const std::uint32_t index : found) {
                const Interval& interval = timeline->intervals()[index];
                const Block& block = events.blocks[interval.origin];
                QVERIFY(block.begin <= step && step <= block.end && interval.bytes <= before);
                before = interval.bytes;
            }
            if (hasSteps)
                continue;
            QCOMPARE(timeline->timeAt(step).count(), events.times[step] - events.times[0]);
            const std::size_t last = timeline->stepAtTime(timeline->timeAt(step));
            QVERIFY(last >= step && timeline->timeAt(last) == timeline->timeAt(step));
            QVERIFY(last + 1 == steps || timeline->timeAt(last + 1) > timeline->timeAt(step));
            const std::size_t from = random() % (last + 1);
            QCOMPARE(timeline->stepAtTime(timeline->timeAt(step), from, random() % steps), last);
        }
        // Columns of a plot, from several for each step to a few for all.
        for (const std::size_t stride : {std::size_t{1}, std::size_t{7}, steps / 150}) {
            std::vector<StepSpan> columns;
            for (std::size_t at = random() % 20; at < steps && columns.size() < 160; at += stride)
                for (const std::size_t begin : {at, at})
                    columns.push_back({begin, std::min(steps, at + stride + at % 2)});
            const std::vector<Timeline::Found> found = timeline->largestInEach(columns);
            QCOMPARE(found.size(), columns.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                QCOMPARE(found[i].step, timeline->largestStepIn(columns[i].begin, columns[i].end));
                QCOMPARE(found[i].stack, timeline->stackAt(found[i].step));
            }
        }
    }
}

void TimelineTest::keepsATransientPeakBetweenEqualTimes()
{
    Builder builder{categoryLayers()};
    QVERIFY(builder.alloc(5, {1, Bytes{10}, 5}));
    QVERIFY(builder.free(5, 1));
    QVERIFY(builder.alloc(5, {1, Bytes{4}, 6}));
    const TimelinePtr timeline = std::move(builder).build();
    QCOMPARE(timeline->totals(), (std::vector<std::int64_t>{10, 0, 4}));
    QCOMPARE(timeline->peak().count(), 10);
    QCOMPARE(timeline->duration().count(), 0);

    // On an axis of steps a block freed at a step was there in it.
    Builder steps{std::vector<Nanoseconds>(3)};
    QVERIFY(steps.alloc(1, {1, Bytes{10}, 5}));
    QVERIFY(steps.free(1, 1));
    QVERIFY(steps.alloc(1, {1, Bytes{4}, 6}));
    QCOMPARE(std::move(steps).build()->totals(), (std::vector<std::int64_t>{0, 14, 4}));
}

void TimelineTest::holdsNothingWithoutEvents()
{
    for (const TimelinePtr& timeline :
         {Builder{categoryLayers()}.build(), Builder{std::vector<Nanoseconds>{}}.build()}) {
        QCOMPARE(timeline->stepCount(), std::size_t{0});
        QCOMPARE(timeline->peak().count(), 0);
        QCOMPARE(timeline->duration().count(), 0);
        QVERIFY(timeline->totals().empty() && timeline->intervals().empty());
    }
    QVERIFY(Builder{categoryLayers()}.build()->largestInEach({}).empty());
    const TimelinePtr bare = Builder{std::vector<Nanoseconds>(2)}.build();
    QCOMPARE(bare->totals(), (std::vector<std::int64_t>{0, 0}));
    QVERIFY(bare->aliveAt(1).empty());
}

void TimelineTest::keepsTimesOf64Bits()
{
    Times times;
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < 1000; ++i)
        all.push_back(i < 500 ? i * 3 : i < 700 ? (std::int64_t{1} << 33) * i : kFar - 1000 + i);
    for (const std::int64_t time : all)
        times.append(time);
    for (const bool isCompressed : {false, true}) {
        if (isCompressed)
            times.compress();
        QCOMPARE(times.size(), all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            QCOMPARE(times[i], all[i]);
            QCOMPARE(times.countUntil(all[i]), i + 1);
            QCOMPARE(times.countUntil(all[i] - 1), i);
            for (const std::size_t from : {i, i / 2, std::size_t{0}})
                for (const std::size_t ahead : {0U, 1U, 40U, 300U, 2000U})
                    QCOMPARE(times.countUntil(all[i], from, ahead), i + 1);
        }
    }
}

void TimelineTest::checksColumnsOfTimes_data()
{
    QTest::addColumn<QList<qint64>>("first");
    QTest::addColumn<QList<quint32>>("end"); ///< of the 64 distances of the first block: the last
    QTest::addColumn<QList<qint64>>("exact");
    QTest::addColumn<bool>("isRight");
    const QList<qint64> rising = {0, 1, 1, 5};
    QTest::newRow("rising") << QList<qint64>{0, 100} << QList<quint32>{8, 9} << rising << true;
    QTest::newRow("equal") << QList<qint64>{7, 7} << QList<quint32>{0, 0} << rising << true;
    QTest::newRow("falls") << QList<qint64>{0, 100} << QList<quint32>{8, 7} << rising << false;
    QTest::newRow("next falls") << QList<qint64>{0, 8} << QList<quint32>{8, 9} << rising << false;
    QTest::newRow("too few") << QList<qint64>{0} << QList<quint32>{8, 9} << rising << false;
    QTest::newRow("whole") << QList<qint64>{0, -1} << QList<quint32>{0, 0} << rising << true;
    QTest::newRow("whole falls") << QList<qint64>{0, -1} << QList<quint32>{0, 0}
                                 << QList<qint64>{0, 1, 0, 5} << false;
    QTest::newRow("whole too few")
        << QList<qint64>{0, -2} << QList<quint32>{0, 0} << rising << false;
    QTest::newRow("too late") << QList<qint64>{0, kFar - 1} << QList<quint32>{0, 9} << rising
                              << false;
}

/// A block of 64 times and one of 4.
void TimelineTest::checksColumnsOfTimes()
{
    QFETCH(QList<qint64>, first);
    QFETCH(QList<quint32>, end);
    QFETCH(QList<qint64>, exact);
    QFETCH(bool, isRight);
    std::vector<std::uint32_t> behind(62, 0);
    behind.insert(behind.end(), end.begin(), end.end());
    behind.insert(behind.end(), {0, 1, 2, 3});
    const auto times = Times::fromColumns(
        {Column{std::vector<std::int64_t>(first.begin(), first.end())}, Column{std::move(behind)},
         Column{std::vector<std::int64_t>(exact.begin(), exact.end())}});
    QCOMPARE(times.has_value(), isRight);
    if (isRight)
        QCOMPARE(qint64{(*times)[63]}, first[0] + end[1]);
}

/// What is added in any order; of those that begin together the first added comes first.
void TimelineTest::sortsByBegin()
{
    Builder builder{std::vector<Nanoseconds>(4)};
    std::uint32_t added = 0;
    for (const std::uint32_t begin : {2U, 0U, 3U, 0U, 1U})
        builder.add({begin, 3, Bytes{8}, Category::Inputs, added++});
    const TimelinePtr timeline = std::move(builder).build();
    std::vector<std::uint32_t> origins;
    for (const Interval& interval : timeline->intervals())
        origins.push_back(interval.origin);
    QCOMPARE(origins, (std::vector<std::uint32_t>{1, 3, 4, 0, 2}));
    QCOMPARE(timeline->totals(), (std::vector<std::int64_t>{16, 24, 32, 40}));
}

void TimelineTest::keepsLanesMarksAndBands()
{
    const auto layers = std::make_shared<const Layers>(Layers{{"block", "Blocks", 3}});
    Builder builder{std::vector<Nanoseconds>(4, Nanoseconds{1}), layers};
    builder.setLanes({"pool 0", "pool 1"}).addBand({0, 1, "Forward"}).addMark({2, "OOM"});
    QVERIFY(builder.alloc(0, {7, Bytes{1}, 0, 1}));
    const TimelinePtr timeline = std::move(builder).build();
    QCOMPARE(timeline->layers().size(), std::size_t{1});
    QCOMPARE(timeline->lanes().at(timeline->intervals()[0].lane), std::string{"pool 1"});
    QCOMPARE(timeline->bands().at(0).label, std::string{"Forward"});
    QCOMPARE(timeline->marks().at(0).step, std::uint32_t{2});
    QCOMPARE(timeline->intervals()[0].end, std::uint32_t{3});
}

void TimelineTest::refusesImpossibleEvents()
{
    Builder builder{categoryLayers()};
    QVERIFY(!builder.free(3, 1)); // without alloc
    QVERIFY(builder.alloc(3, {1, Bytes{kFar - 5}, 0}));
    QVERIFY(!builder.alloc(4, {1, Bytes{1}, 0})); // twice
    QVERIFY(!builder.alloc(4, {2, Bytes{6}, 0})); // more bytes than 64 bits count
    QVERIFY(!builder.alloc(4, {2, Bytes{-1}, 0}));
    QVERIFY(!builder.alloc(4, {2, Bytes{1}, 8}));    // layer
    QVERIFY(!builder.alloc(4, {2, Bytes{1}, 0, 1})); // lane
    QVERIFY(!builder.alloc(2, {2, Bytes{1}, 0}));    // before the last event
    QVERIFY(builder.alloc(4, {2, Bytes{5}, 0}));
    QVERIFY(builder.free(4, 1));
    QVERIFY(!builder.free(5, 1)); // once more
    QCOMPARE(std::move(builder).build()->totals(), (std::vector<std::int64_t>{kFar - 5, kFar, 5}));

    Builder wide{categoryLayers()};
    QVERIFY(wide.alloc(-10, {1, Bytes{1}, 0}));
    QVERIFY(!wide.free(kFar, 1));
    QVERIFY(wide.free(kFar - 10, 1));
    QCOMPARE(std::move(wide).build()->duration().count(), kFar);

    Builder steps{std::vector<Nanoseconds>(2)};
    QVERIFY(!steps.alloc(-1, {1, Bytes{1}, 0}));
    QVERIFY(!steps.alloc(2, {1, Bytes{1}, 0}));
    QVERIFY(steps.alloc(1, {1, Bytes{kFar}, 0}));
    QVERIFY(steps.free(1, 1));
    QVERIFY(!steps.alloc(1, {2, Bytes{1}, 0})); // both are alive in this step
}

} // namespace

PLIMSOLL_TEST(TimelineTest, plimsoll::tests::NoApplication)
#include "timeline_test.moc"
