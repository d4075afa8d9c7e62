// SPDX-License-Identifier: Apache-2.0
// Expected values are counted by hand from PyTorch's rules, in the comments.
#include "core/allocator/allocator_replay.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;
using allocator::AllocatorReplay;

namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

class AllocatorReplayTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oneAllocation_data();
    void oneAllocation();
    void smallOnesShareASegment();
    void aLargeRestOfAMiBIsNotSplitOff();
    void theSmallestFreeBlockIsTaken();
    void neighboursJoinWithinTheirSegment();
    void poolsDontShare();
    void aSegmentOfItsOwnIsSplitLater();
    void ofEqualOnesTheLowestIsTaken();
    void expandableSmallOnesGrowBy2MiB();
    void expandableGrowsAtItsEnd();
    void expandablePrefersABlockThatCantGrow();
    void fragmentationIsWhatExpandableAvoids();
    void aFreeThatAStreamWaitsForIsActive();
    void streamsAndPoolsDontShare();
    void aFullDeviceGetsBackWhatIsCached();
    void expandableGivesBackWholeSteps();
    void privatePoolsKeepWhatTheyCached();
    void aSplitLimitKeepsLargeBlocksWhole();
    void idlePartsOfSegmentsAreCounted();
    void cachedBlocksAreListed();
    void whatIsCachedServesWhatFits();
};

void AllocatorReplayTest::oneAllocation_data()
{
    QTest::addColumn<qint64>("size");
    QTest::addColumn<qint64>("allocated");
    QTest::addColumn<qint64>("reserved");
    QTest::addColumn<qint64>("expandable");
    const auto row = [](const char* name, qint64 size, qint64 allocated, qint64 reserved,
                        qint64 expandable) {
        QTest::newRow(name) << size << allocated << reserved << expandable;
    };
    row("one byte", 1, 512, 2 * kMiB, 2 * kMiB);
    row("513 bytes are two blocks", 513, 1024, 2 * kMiB, 2 * kMiB);
    row("the largest small one", kMiB, kMiB, 2 * kMiB, 2 * kMiB);
    row("the smallest large one", kMiB + 1, kMiB + 512, 20 * kMiB, 20 * kMiB);
    row("the last to share", 10 * kMiB - 512, 10 * kMiB - 512, 20 * kMiB, 20 * kMiB);
    // 10 MiB get a segment of their own; in 20 MiB steps it is 20 MiB.
    row("rounded up to its own", 10 * kMiB - 511, 10 * kMiB, 10 * kMiB, 20 * kMiB);
    row("the first of its own", 10 * kMiB, 10 * kMiB, 10 * kMiB, 20 * kMiB);
    // 11 MiB: a segment of 12 MiB; the rest of 1 MiB is not more than 1 MiB, so all 12 are in use.
    // Expandable, the 9 MiB behind it stay free.
    row("a rest that stays in use", 11 * kMiB, 12 * kMiB, 12 * kMiB, 20 * kMiB);
    // 100 MiB + 512 B leave 2 MiB - 512 B of 102 MiB, which are more than 1 MiB and split off.
    row("rounded up to 2 MiB", 100 * kMiB + 1, 100 * kMiB + 512, 102 * kMiB, 120 * kMiB);
}

void AllocatorReplayTest::oneAllocation()
{
    QFETCH(qint64, size);
    QFETCH(qint64, allocated);
    QFETCH(qint64, reserved);
    QFETCH(qint64, expandable);
    AllocatorReplay fixed;
    const AllocatorReplay::Handle handle = *fixed.allocate(base::Bytes{size});
    QCOMPARE(fixed.counters().reserved.count(), reserved);
    QCOMPARE(fixed.counters().allocated.count(), allocated);
    fixed.free(handle);
    QCOMPARE(fixed.counters().allocated.count(), std::int64_t{0});
    QCOMPARE(fixed.counters().reserved.count(), reserved); // nothing goes back
    AllocatorReplay growing{{.expandableSegments = true}};
    (void)growing.allocate(base::Bytes{size});
    QCOMPARE(growing.counters().reserved.count(), expandable);
}

void AllocatorReplayTest::smallOnesShareASegment()
{
    AllocatorReplay replay;
    for (int i = 0; i < 4; ++i) // 4 x 512 KiB fill 2 MiB
        (void)replay.allocate(base::Bytes{512 * kKiB});
    QCOMPARE(replay.counters().reserved.count(), 2 * kMiB);
    (void)replay.allocate(base::Bytes{1});
    QCOMPARE(replay.counters().reserved.count(), 4 * kMiB);
}

void AllocatorReplayTest::aLargeRestOfAMiBIsNotSplitOff()
{
    AllocatorReplay replay;
    // 9 + 9 MiB of a 20 MiB segment leave 2 MiB; 1 MiB + 512 B of these leave less than 1 MiB,
    // which stays with the block: the next one needs another segment.
    (void)replay.allocate(base::Bytes{9 * kMiB});
    (void)replay.allocate(base::Bytes{9 * kMiB});
    (void)replay.allocate(base::Bytes{kMiB + 512});
    QCOMPARE(replay.counters().reserved.count(), 20 * kMiB);
    QCOMPARE(replay.counters().allocated.count(), 20 * kMiB);
    (void)replay.allocate(base::Bytes{kMiB + 512});
    QCOMPARE(replay.counters().reserved.count(), 40 * kMiB);
}

void AllocatorReplayTest::theSmallestFreeBlockIsTaken()
{
    AllocatorReplay replay;
    const auto large = *replay.allocate(base::Bytes{40 * kMiB});
    const auto medium = *replay.allocate(base::Bytes{30 * kMiB});
    replay.free(large);
    replay.free(medium);
    // 30 MiB go into the block of 30, so that 40 MiB still fit the block of 40.
    (void)replay.allocate(base::Bytes{30 * kMiB});
    (void)replay.allocate(base::Bytes{40 * kMiB});
    QCOMPARE(replay.counters().reserved.count(), 70 * kMiB);
}

void AllocatorReplayTest::neighboursJoinWithinTheirSegment()
{
    AllocatorReplay replay;
    const auto a = *replay.allocate(base::Bytes{5 * kMiB});
    const auto b = *replay.allocate(base::Bytes{5 * kMiB});
    const auto c = *replay.allocate(base::Bytes{5 * kMiB});
    const auto d = *replay.allocate(base::Bytes{5 * kMiB}); // 20 MiB are full
    replay.free(a);
    replay.free(c);
    // Two holes of 5 MiB: 9 MiB need another segment, of which 11 MiB are left.
    const auto e = *replay.allocate(base::Bytes{9 * kMiB});
    QCOMPARE(replay.counters().reserved.count(), 40 * kMiB);
    replay.free(b); // 15 MiB in one piece now
    (void)replay.allocate(base::Bytes{15 * kMiB});
    QCOMPARE(replay.counters().reserved.count(), 40 * kMiB);
    replay.free(d);
    replay.free(e); // 20 MiB, and 5 MiB behind the 15, which are not of one segment
    (void)replay.allocate(base::Bytes{25 * kMiB}); // 26 MiB of its own
    QCOMPARE(replay.counters().reserved.count(), 66 * kMiB);
}

void AllocatorReplayTest::poolsDontShare()
{
    AllocatorReplay replay;
    replay.free(*replay.allocate(base::Bytes{15 * kMiB})); // 16 MiB
    (void)replay.allocate(base::Bytes{kMiB});              // 2 MiB of the small pool nevertheless
    QCOMPARE(replay.counters().reserved.count(), 18 * kMiB);
}

void AllocatorReplayTest::aSegmentOfItsOwnIsSplitLater()
{
    AllocatorReplay replay;
    replay.free(*replay.allocate(base::Bytes{30 * kMiB}));
    // 2 + 9 + 18 MiB of the 30; the last 1 MiB is no more than 1 MiB and stays with the 18.
    (void)replay.allocate(base::Bytes{2 * kMiB});
    (void)replay.allocate(base::Bytes{9 * kMiB});
    (void)replay.allocate(base::Bytes{18 * kMiB});
    QCOMPARE(replay.counters().reserved.count(), 30 * kMiB);
    QCOMPARE(replay.counters().allocated.count(), 30 * kMiB);
}

void AllocatorReplayTest::ofEqualOnesTheLowestIsTaken()
{
    AllocatorReplay replay;
    std::vector<AllocatorReplay::Handle> fives;
    for (int i = 0; i < 4; ++i) // 20 MiB
        fives.push_back(*replay.allocate(base::Bytes{5 * kMiB}));
    replay.free(fives[0]);
    replay.free(fives[2]);
    (void)replay.allocate(base::Bytes{5 * kMiB}); // the first hole
    replay.free(fives[3]);                        // joins the third: 10 MiB
    (void)replay.allocate(base::Bytes{10 * kMiB});
    QCOMPARE(replay.counters().reserved.count(), 20 * kMiB);
}

void AllocatorReplayTest::expandableSmallOnesGrowBy2MiB()
{
    AllocatorReplay replay{{.expandableSegments = true}};
    for (int i = 0; i < 3; ++i) // 1.5 of 2 MiB
        (void)replay.allocate(base::Bytes{512 * kKiB});
    QCOMPARE(replay.counters().reserved.count(), 2 * kMiB);
    (void)replay.allocate(base::Bytes{kMiB}); // 512 KiB are there: 2 MiB more, 1.5 left
    QCOMPARE(replay.counters().reserved.count(), 4 * kMiB);
    (void)replay.allocate(base::Bytes{kMiB});
    (void)replay.allocate(base::Bytes{512 * kKiB});
    QCOMPARE(replay.counters().reserved.count(), 4 * kMiB);
    QCOMPARE(replay.counters().allocated.count(), 4 * kMiB);
}

void AllocatorReplayTest::expandableGrowsAtItsEnd()
{
    AllocatorReplay replay{{.expandableSegments = true}};
    const auto a = *replay.allocate(base::Bytes{15 * kMiB}); // 20 MiB, 5 free at the end
    QCOMPARE(replay.counters().reserved.count(), 20 * kMiB);
    (void)replay.allocate(base::Bytes{30 * kMiB}); // 25 MiB are missing: 40 more
    QCOMPARE(replay.counters().reserved.count(), 60 * kMiB);
    replay.free(a);                                // 15 MiB hole, 15 MiB at the end
    (void)replay.allocate(base::Bytes{16 * kMiB}); // 1 MiB is missing: 20 more, 19 left
    QCOMPARE(replay.counters().reserved.count(), 80 * kMiB);
    (void)replay.allocate(base::Bytes{19 * kMiB});
    (void)replay.allocate(base::Bytes{15 * kMiB}); // the hole
    QCOMPARE(replay.counters().reserved.count(), 80 * kMiB);
    QCOMPARE(replay.counters().allocated.count(), 80 * kMiB);
}

void AllocatorReplayTest::expandablePrefersABlockThatCantGrow()
{
    AllocatorReplay replay{{.expandableSegments = true}};
    const auto a = *replay.allocate(base::Bytes{12 * kMiB});
    (void)replay.allocate(base::Bytes{20 * kMiB}); // 32 of 40 MiB: 8 MiB at the end
    replay.free(a);                                // a hole of 12 MiB
    // 5 MiB fit the end's 8 MiB more closely, but these can grow: the hole is taken, and 28 MiB
    // need 20 more.
    (void)replay.allocate(base::Bytes{5 * kMiB});
    (void)replay.allocate(base::Bytes{28 * kMiB});
    QCOMPARE(replay.counters().reserved.count(), 60 * kMiB);
}

void AllocatorReplayTest::fragmentationIsWhatExpandableAvoids()
{
    AllocatorReplay fixed;
    AllocatorReplay growing{{.expandableSegments = true}};
    // Each is larger than all before: 20 + 30 + 40 MiB in segments of their own; in one range that
    // grows, each takes the place of the one before: 20, then 40 MiB.
    for (const std::int64_t size : {20, 30, 40}) {
        fixed.free(*fixed.allocate(base::Bytes{size * kMiB}));
        growing.free(*growing.allocate(base::Bytes{size * kMiB}));
    }
    QCOMPARE(fixed.counters().reserved.count(), 90 * kMiB);
    QCOMPARE(growing.counters().reserved.count(), 40 * kMiB);
}

void AllocatorReplayTest::aFreeThatAStreamWaitsForIsActive()
{
    AllocatorReplay replay;
    const auto a = *replay.allocate(base::Bytes{15 * kMiB});
    replay.requestFree(a);
    QCOMPARE(replay.counters().allocated.count(), std::int64_t{0});
    QCOMPARE(replay.counters().active.count(), 16 * kMiB);
    QCOMPARE(replay.counters().requested.count(), 15 * kMiB);
    (void)replay.allocate(base::Bytes{15 * kMiB}); // can't have it yet
    QCOMPARE(replay.counters().reserved.count(), 32 * kMiB);
    replay.completeFree(a);
    QCOMPARE(replay.counters().active.count(), 16 * kMiB);
    (void)replay.allocate(base::Bytes{15 * kMiB});
    QCOMPARE(replay.counters().reserved.count(), 32 * kMiB);
}

void AllocatorReplayTest::streamsAndPoolsDontShare()
{
    AllocatorReplay replay;
    replay.free(*replay.allocate(base::Bytes{20 * kMiB}));
    replay.free(*replay.allocate(base::Bytes{20 * kMiB}, 1));
    replay.free(*replay.allocate(base::Bytes{20 * kMiB}, 0, 1));
    QCOMPARE(replay.counters().reserved.count(), 60 * kMiB);
    (void)replay.allocate(base::Bytes{20 * kMiB}, 1);
    QCOMPARE(replay.counters().reserved.count(), 60 * kMiB);
}

void AllocatorReplayTest::aFullDeviceGetsBackWhatIsCached()
{
    AllocatorReplay replay{{}, base::Bytes{100 * kMiB}};
    const auto a = *replay.allocate(base::Bytes{40 * kMiB});
    const auto b = *replay.allocate(base::Bytes{40 * kMiB});
    QVERIFY(!replay.allocate(base::Bytes{50 * kMiB})); // nothing is cached
    QCOMPARE(replay.retries(), 1);
    replay.free(a);
    QVERIFY(replay.allocate(base::Bytes{50 * kMiB})); // a's segment goes back
    QCOMPARE(replay.retries(), 2);
    QCOMPARE(replay.counters().reserved.count(), 90 * kMiB);
    QCOMPARE(replay.peaks().reserved.count(), 90 * kMiB);
    replay.free(b);
    const auto c = replay.allocate(base::Bytes{4 * kMiB}); // a part of b's segment
    QVERIFY(c);
    QVERIFY(!replay.allocate(base::Bytes{44 * kMiB})); // the other 36 MiB can't go back
    QCOMPARE(replay.counters().reserved.count(), 90 * kMiB);
}

void AllocatorReplayTest::expandableGivesBackWholeSteps()
{
    AllocatorReplay replay{{.expandableSegments = true}, base::Bytes{100 * kMiB}};
    const auto a = *replay.allocate(base::Bytes{10 * kMiB});
    const auto b = *replay.allocate(base::Bytes{60 * kMiB}); // 70 of 80 MiB
    (void)replay.allocate(base::Bytes{10 * kMiB});           // the other 10
    replay.free(b);
    // 60 MiB from 10 on: the steps from 20 to 60 go back, 10 and 10 stay.
    replay.releaseCached();
    QCOMPARE(replay.counters().reserved.count(), 40 * kMiB);
    // 75 MiB need 80 in the range behind, or 55 more than there are: 20 of the hole don't help.
    QVERIFY(!replay.allocate(base::Bytes{75 * kMiB}));
    QVERIFY(replay.allocate(base::Bytes{60 * kMiB})); // the hole again: 40 MiB are mapped
    QCOMPARE(replay.counters().reserved.count(), 80 * kMiB);
    replay.free(a);
}

void AllocatorReplayTest::privatePoolsKeepWhatTheyCached()
{
    AllocatorReplay replay;
    replay.free(*replay.allocate(base::Bytes{20 * kMiB}, 0, 1));
    replay.free(*replay.allocate(base::Bytes{30 * kMiB}));
    replay.releaseCached();
    QCOMPARE(replay.counters().reserved.count(), 20 * kMiB);
}

void AllocatorReplayTest::aSplitLimitKeepsLargeBlocksWhole()
{
    AllocatorReplay replay{{.maxSplitSize = base::Bytes{32 * kMiB}}, base::Bytes{100 * kMiB}};
    replay.free(*replay.allocate(base::Bytes{60 * kMiB}));
    (void)replay.allocate(base::Bytes{20 * kMiB}); // not a part of the 60
    QCOMPARE(replay.counters().reserved.count(), 80 * kMiB);
    // 38 MiB may take a block of less than 58; the 60 go back first, without a retry.
    (void)replay.allocate(base::Bytes{38 * kMiB});
    QCOMPARE(replay.counters().reserved.count(), 58 * kMiB);
    QCOMPARE(replay.retries(), 0);
}

void AllocatorReplayTest::idlePartsOfSegmentsAreCounted()
{
    AllocatorReplay replay;
    const auto a = *replay.allocate(base::Bytes{5 * kMiB}); // 15 of 20 MiB are idle
    QCOMPARE(replay.counters().inactiveSplit.count(), 15 * kMiB);
    const auto b = *replay.allocate(base::Bytes{5 * kMiB});
    QCOMPARE(replay.counters().inactiveSplit.count(), 10 * kMiB);
    replay.free(a);
    QCOMPARE(replay.counters().inactiveSplit.count(), 15 * kMiB);
    replay.free(b); // in one piece again, which could go back
    QCOMPARE(replay.counters().inactiveSplit.count(), std::int64_t{0});
    QCOMPARE(replay.peaks().inactiveSplit.count(), 15 * kMiB);
}

void AllocatorReplayTest::cachedBlocksAreListed()
{
    AllocatorReplay allocator;
    QVERIFY(allocator.allocate(base::Bytes{512}));      // 2 MiB less 512 B remain
    QVERIFY(allocator.allocate(base::Bytes{4 * kMiB})); // 16 MiB remain
    QVERIFY(allocator.allocate(base::Bytes{3 * kMiB}, 5, 7));
    const auto blocks = allocator.cachedBlocks();
    QCOMPARE(blocks.size(), std::size_t{3});
    QCOMPARE(blocks[0].bytes.count(), 16 * kMiB);
    QVERIFY(!blocks[0].isSmall && blocks[0].pool == 0 && blocks[0].stream == 0);
    QCOMPARE(blocks[1].bytes.count(), 2 * kMiB - 512);
    QVERIFY(blocks[1].isSmall);
    QCOMPARE(blocks[2].bytes.count(), 17 * kMiB);
    QVERIFY(blocks[2].pool == 7 && blocks[2].stream == 5);
}

/// It is served exactly if nothing more is reserved.
void AllocatorReplayTest::whatIsCachedServesWhatFits()
{
    for (const char* settings : {"", "expandable_segments:True", "max_split_size_mb:32"}) {
        AllocatorReplay allocator{*allocator::parseAllocatorSettings(settings)};
        allocator.free(*allocator.allocate(base::Bytes{100 * kMiB}));
        QVERIFY(allocator.allocate(base::Bytes{5 * kMiB}));
        for (const std::int64_t bytes : {512L, 2 * kMiB, 20 * kMiB, 40 * kMiB, 97 * kMiB}) {
            AllocatorReplay then = allocator;
            const bool isCached = allocator.hasCached(base::Bytes{bytes});
            QVERIFY(then.allocate(base::Bytes{bytes}));
            QCOMPARE(then.counters().reserved == allocator.counters().reserved, isCached);
            QVERIFY(!allocator.hasCached(base::Bytes{bytes}, 3));
        }
    }
}

} // namespace

PLIMSOLL_TEST(AllocatorReplayTest, plimsoll::tests::NoApplication)
#include "allocator_replay_test.moc"
