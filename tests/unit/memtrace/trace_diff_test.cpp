// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/trace_diff.h"

#include "tests/support/recorded_training.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using plimsoll::base::Bytes;
using plimsoll::tests::RecordedTraining;
using namespace plimsoll::memtrace; // NOLINT(google-build-using-namespace)

constexpr std::int64_t kMiB = RecordedTraining::kMiB;

class TraceDiffTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ofOneTraceIsEmpty_data();
    void ofOneTraceIsEmpty();
    void countsWhatEachSideHasAlone();
    void sortsByTheLargestDifference();
    void matchesStacksByTheirFrames();
    void sumsAreThoseOfBothSides();
};

DiffSide sideOf(const MemoryTracePtr& trace, std::size_t step)
{
    return {*trace, trace->devices().front(), step};
}

void TraceDiffTest::ofOneTraceIsEmpty_data()
{
    QTest::addColumn<QByteArray>("by");
    for (const char* by : {"frame", "stack", "class", "module", "stream", "pool"})
        QTest::newRow(by) << QByteArray{by};
}

void TraceDiffTest::ofOneTraceIsEmpty()
{
    QFETCH(QByteArray, by);
    RecordedTraining training;
    const MemoryTracePtr trace = training.trace();
    for (const std::size_t step : {std::size_t{0}, std::size_t{5}, std::size_t{12}}) {
        const TraceDiff diff =
            diffTraces(sideOf(trace, step), sideOf(trace, step), *findLiveBy(by.toStdString()));
        QCOMPARE(diff.onlyA, BlockSum{});
        QCOMPARE(diff.onlyB, BlockSum{});
        QCOMPARE(diff.common, diff.a);
        QVERIFY(diff.common.blocks >= 12);
        for (const DiffGroup& group : diff.groups) {
            QCOMPARE(group.a, group.b);
            QCOMPARE(group.common, group.a);
            QCOMPARE(group.delta(), Bytes{});
        }
    }
}

/// 12 blocks of 2 MiB are there before; layers have 1, 2, 3, 1, … MiB. After two steps A has
/// allocated layers 0 and 1, B after five layers 0 to 4.
void TraceDiffTest::countsWhatEachSideHasAlone()
{
    RecordedTraining training;
    const MemoryTracePtr trace = training.trace();
    const TraceDiff diff = diffTraces(sideOf(trace, 2), sideOf(trace, 5), LiveBy::Class);
    QCOMPARE(diff.a, (BlockSum{Bytes{27 * kMiB}, 14}));
    QCOMPARE(diff.b, (BlockSum{Bytes{33 * kMiB}, 17}));
    QCOMPARE(diff.onlyA, BlockSum{});
    QCOMPARE(diff.common, diff.a);
    QCOMPARE(diff.onlyB, (BlockSum{Bytes{6 * kMiB}, 3}));
    // The other way round, and where both have something alone: two of 1 and 2 MiB in one group
    // against one of 3 MiB, beside 1 MiB of both.
    const TraceDiff back = diffTraces(sideOf(trace, 5), sideOf(trace, 2), LiveBy::Class);
    QCOMPARE(back.onlyA, diff.onlyB);
    QCOMPARE(back.onlyB, diff.onlyA);
}

void TraceDiffTest::sortsByTheLargestDifference()
{
    RecordedTraining training;
    const MemoryTracePtr trace = training.trace();
    const TraceDiff diff = diffTraces(sideOf(trace, 2), sideOf(trace, 5), LiveBy::Frame);
    QCOMPARE(diff.groups.size(), std::size_t{6});
    QCOMPARE(diff.groups[0].name, std::string{"train/model.py:12:forward"});
    QCOMPARE(diff.groups[0].delta(), Bytes{3 * kMiB});
    QCOMPARE(diff.groups[0].a, BlockSum{});
    QCOMPARE(diff.groups[1].name, std::string{"train/model.py:14:forward"});
    QCOMPARE(diff.groups[2].name, std::string{"train/model.py:13:forward"});
    QCOMPARE(diff.groups[3].name, std::string{"(before the recording)"}); // equal ones by name
    QCOMPARE(diff.groups[3].common, (BlockSum{Bytes{24 * kMiB}, 12}));
}

/// Texts, frames and stacks have other numbers in another recording.
void TraceDiffTest::matchesStacksByTheirFrames()
{
    RecordedTraining training;
    RecordedTraining other;
    other.layers = 3;
    const MemoryTracePtr trace = training.trace();
    const MemoryTracePtr small = other.trace();
    const TraceDiff diff = diffTraces(sideOf(trace, 3), sideOf(small, 3), LiveBy::Stack);
    QCOMPARE(diff.groups.size(), std::size_t{4});
    QCOMPARE(diff.groups[0].name, std::string{"(before the recording)"});
    QCOMPARE(diff.groups[0].delta(), Bytes{-18 * kMiB}); // 3 blocks instead of 12
    QCOMPARE(diff.groups[0].common, (BlockSum{Bytes{6 * kMiB}, 3}));
    QCOMPARE(diff.onlyA, (BlockSum{Bytes{18 * kMiB}, 9}));
    QCOMPARE(diff.onlyB, BlockSum{});
    QCOMPARE(diff.groups[1].frames.size(), std::size_t{2});
}

void TraceDiffTest::sumsAreThoseOfBothSides()
{
    RecordedTraining training;
    RecordedTraining other;
    other.layers = 7;
    const MemoryTracePtr trace = training.trace();
    const MemoryTracePtr small = other.trace();
    for (const LiveBy by : {LiveBy::Frame, LiveBy::Stack, LiveBy::Class, LiveBy::Pool})
        for (std::size_t step = 0; step < 20; ++step) {
            const TraceDiff diff = diffTraces(sideOf(trace, step), sideOf(small, 19 - step), by);
            BlockSum a;
            BlockSum b;
            for (const DiffGroup& group : diff.groups) {
                a += group.a;
                b += group.b;
                QVERIFY(group.common.blocks <= std::min(group.a.blocks, group.b.blocks));
            }
            QCOMPARE(a, diff.a);
            QCOMPARE(b, diff.b);
            QCOMPARE(diff.onlyA.bytes + diff.common.bytes, diff.a.bytes);
            QCOMPARE(diff.onlyB.blocks + diff.common.blocks, diff.b.blocks);
        }
}

} // namespace

PLIMSOLL_TEST(TraceDiffTest, QCoreApplication)
#include "trace_diff_test.moc"
