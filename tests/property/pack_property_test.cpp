// SPDX-License-Identifier: Apache-2.0
// Random packings: never an overlap, never below the bound, the least height where it can be
// enumerated, and the same answer for any number of threads.
#include "core/solve/pack/greedy_orders.h"
#include "core/solve/pack/pack_check.h"
#include "core/solve/pack/solve_pack.h"

#include "tests/support/pack_families.h"
#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace plimsoll;
using namespace plimsoll::solve;
using tests::fullBuffers;
using tests::Random;

namespace {

PackBuffers randomBuffers(Random& random, int count, int times, int mostSize)
{
    PackBuffers buffers;
    for (int i = 0; i < count; ++i) {
        const int lower = random.between(0, times - 1);
        buffers.push_back({lower, random.between(lower + 1, times), random.between(0, mostSize)});
    }
    return buffers;
}

bool meet(const PackBuffer& a, const PackBuffer& b)
{
    return a.lower < b.upper && b.lower < a.upper && a.size > 0 && b.size > 0;
}

/// Every pair, as the definition says.
bool overlaps(const PackBuffers& buffers, const PackOffsets& offsets)
{
    for (std::size_t a = 0; a < buffers.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (meet(buffers[a], buffers[b]) && offsets[a] < offsets[b] + buffers[b].size
                && offsets[b] < offsets[a] + buffers[a].size)
                return true;
    return false;
}

/// Whether the buffers from `next` on, sorted by begin, fit below `height` beside the earlier ones:
/// tries every whole offset.
bool fitsFrom(const PackBuffers& buffers, std::size_t next, std::int64_t height,
              PackOffsets& offsets)
{
    if (next == buffers.size())
        return true;
    for (std::int64_t at = 0; at + buffers[next].size <= height; ++at) {
        bool isFree = true;
        for (std::size_t other = 0; other < next && isFree; ++other)
            isFree = !meet(buffers[next], buffers[other])
                     || at >= offsets[other] + buffers[other].size
                     || at + buffers[next].size <= offsets[other];
        offsets[next] = at;
        if (isFree && fitsFrom(buffers, next + 1, height, offsets))
            return true;
    }
    return false;
}

/// The least height there is.
std::int64_t leastHeight(PackBuffers buffers)
{
    std::sort(buffers.begin(), buffers.end(),
              [](const PackBuffer& a, const PackBuffer& b) { return a.lower < b.lower; });
    std::int64_t height = largestLiveSum(buffers);
    for (PackOffsets offsets(buffers.size(), 0); !fitsFrom(buffers, 0, height, offsets);)
        ++height;
    return height;
}

/// A rectangle cut into pieces: it can be packed without a gap.
PackBuffers cutRectangle(Random& random, std::size_t count, std::int64_t time, std::int64_t size)
{
    PackBuffers pieces{{0, time, size}};
    while (pieces.size() < count) {
        PackBuffer& piece = pieces[random.below(pieces.size())];
        const PackBuffer whole = piece;
        const bool inTime = random.percent(50);
        const std::int64_t length = inTime ? whole.upper - whole.lower : whole.size;
        if (length < 2)
            continue;
        const auto cut =
            1 + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(length - 1)));
        if (inTime) {
            piece.upper = whole.lower + cut;
            pieces.push_back({whole.lower + cut, whole.upper, whole.size});
        } else {
            piece.size = cut;
            pieces.push_back({whole.lower, whole.upper, whole.size - cut});
        }
    }
    for (std::size_t i = pieces.size(); i > 1; --i)
        std::swap(pieces[i - 1], pieces[random.below(i)]);
    return pieces;
}

PackAnswer solved(const PackBuffers& buffers, const PackQuery& query)
{
    const base::Result<PackAnswer> answer = solvePack(buffers, query, {});
    if (!answer)
        qFatal("%s", answer.error().message.c_str());
    return *answer;
}

class PackPropertyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void randomPackingsDontOverlap();
    void smallOnesAreLowest();
    void capacitiesAreDecided();
    void threadsDontMatter();
    void cutRectanglesArePutTogether();
    void aStoppedSearchStillPacks();
    void largeGroupsAreSearchedToo();
};

void PackPropertyTest::randomPackingsDontOverlap()
{
    Random random{1};
    PackQuery query;
    query.threads = 1;
    query.nodes = 300;
    query.passes = 8;
    for (int round = 0; round < 10000; ++round) {
        const PackBuffers buffers = randomBuffers(
            random, random.between(0, 24), random.between(2, 30), random.percent(50) ? 5 : 1000000);
        const PackAnswer answer = solved(buffers, query);
        QVERIFY(!overlaps(buffers, answer.offsets));
        const base::Result<std::int64_t> checked = checkPacking(buffers, answer.offsets);
        QVERIFY(checked.has_value());
        QCOMPARE(*checked, answer.height);
        QVERIFY(answer.height >= answer.lowerBound);
        QVERIFY(answer.lowerBound >= largestLiveSum(buffers));
        // The greedy orders by themselves.
        const Packed greedy = packGreedily(buffers, {.passes = 7}, {});
        QVERIFY(!overlaps(buffers, greedy.offsets));
        QVERIFY(greedy.height >= answer.height);
    }
}

void PackPropertyTest::smallOnesAreLowest()
{
    Random random{2};
    PackQuery query;
    query.threads = 1;
    int aboveBound = 0;
    for (int round = 0; round < 4000; ++round) {
        const PackBuffers buffers =
            round < 1000 ? randomBuffers(random, random.between(1, 8), random.between(2, 8), 9)
                         : fullBuffers(random, 12, random.between(4, 9));
        const PackAnswer answer = solved(buffers, query);
        const std::int64_t least = leastHeight(buffers);
        QCOMPARE(answer.height, least);
        QCOMPARE(answer.lowerBound, least);
        QCOMPARE(answer.status, Status::Optimal);
        aboveBound += least > largestLiveSum(buffers) ? 1 : 0;
    }
    QVERIFY2(aboveBound > 3, "the search never had to prove anything");
}

void PackPropertyTest::capacitiesAreDecided()
{
    Random random{3};
    PackQuery query;
    query.threads = 1;
    for (int round = 0; round < 500; ++round) {
        const PackBuffers buffers = fullBuffers(random, 12, 8);
        const std::int64_t least = leastHeight(buffers);
        query.capacity = least;
        QVERIFY(solved(buffers, query).height <= least);
        query.capacity = least - 1;
        QCOMPARE(solved(buffers, query).status, Status::Infeasible);
    }
}

void PackPropertyTest::threadsDontMatter()
{
    Random random{4};
    for (int round = 0; round < 30; ++round) {
        const PackBuffers buffers = randomBuffers(random, 40, 30, 100);
        PackQuery query;
        query.nodes = 400;
        query.threads = 1;
        const PackAnswer one = solved(buffers, query);
        for (const int threads : {2, 4}) {
            query.threads = threads;
            const PackAnswer more = solved(buffers, query);
            QCOMPARE(more.offsets, one.offsets);
            QCOMPARE(more.lowerBound, one.lowerBound);
            QCOMPARE(more.status, one.status);
        }
    }
}

void PackPropertyTest::cutRectanglesArePutTogether()
{
    Random random{5};
    PackQuery query;
    query.passes = 6;
    for (const std::size_t count : {20U, 50U, 100U, 200U}) {
        const PackBuffers buffers = cutRectangle(random, count, 100000, 1 << 20);
        const PackAnswer answer = solved(buffers, query);
        QCOMPARE(answer.height, std::int64_t{1 << 20});
        QCOMPARE(answer.status, Status::Optimal);
    }
}

void PackPropertyTest::aStoppedSearchStillPacks()
{
    Random random{6};
    const PackBuffers buffers = randomBuffers(random, 3000, 500, 1000000);
    std::stop_source source;
    source.request_stop();
    const base::Result<PackAnswer> answer =
        solvePack(buffers, {}, {.stop = source.get_token(), .progress = {}});
    QVERIFY(answer.has_value());
    QVERIFY(answer->stopped);
    QVERIFY(!overlaps(buffers, answer->offsets));
    QVERIFY(answer->height * 2 < answer->lowerBound * 3); // as a first order has it, no mere pile
}

void PackPropertyTest::largeGroupsAreSearchedToo()
{
    Random random{7};
    PackBuffers buffers;
    for (int i = 0; i < 3000; ++i) {
        const int lower = random.between(0, 29999);
        buffers.push_back({lower, lower + random.between(1, 1000), random.between(1, 1 << 20)});
    }
    PackQuery query;
    query.passes = 1;
    query.nodes = 1;
    const std::int64_t greedy = packGreedily(buffers, {.passes = 1}, {}).height;
    query.threads = 1;
    const PackAnswer one = solved(buffers, query);
    QVERIFY(!overlaps(buffers, one.offsets));
    QVERIFY2(one.height < greedy, "the search was of no use");
    QVERIFY(one.height <= one.lowerBound + one.lowerBound / 200);
    query.threads = 2;
    QCOMPARE(solved(buffers, query).offsets, one.offsets);
}

} // namespace

PLIMSOLL_TEST(PackPropertyTest, plimsoll::tests::NoApplication)
#include "pack_property_test.moc"
