// SPDX-License-Identifier: Apache-2.0
#include "app/inject/buffer_pool.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

using namespace plimsoll;
using inject::BufferPool;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kMost = 3;

class BufferPoolTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesSoManyAndNoMore();
    void givesZerosAgain();
    void waitsForABufferOrTheEnd();
    void losesNothingBetweenThreads();
};

void BufferPoolTest::givesSoManyAndNoMore()
{
    BufferPool pool{kMost};
    std::set<std::uint8_t*> taken;
    for (std::size_t i = 0; i < kMost; ++i)
        taken.insert(pool.take());
    QCOMPARE(taken.size(), kMost);
    QVERIFY(!taken.contains(nullptr));
    QCOMPARE(pool.take(), nullptr);
    pool.giveBack({*taken.begin(), 0});
    QCOMPARE(pool.take(), *taken.begin());
    QCOMPARE(pool.take(), nullptr);
}

void BufferPoolTest::givesZerosAgain()
{
    BufferPool pool{1};
    for (const std::size_t used : {std::size_t{1}, std::size_t{4097}, BufferPool::kBytes}) {
        std::uint8_t* const bytes = pool.take();
        QVERIFY(std::all_of(bytes, bytes + BufferPool::kBytes,
                            [](std::uint8_t byte) { return byte == 0; }));
        std::memset(bytes, 0xFF, used);
        pool.push({bytes, used});
        for (const BufferPool::Filled& filled : pool.wait(0ms))
            pool.giveBack(filled);
    }
}

void BufferPoolTest::waitsForABufferOrTheEnd()
{
    BufferPool pool{1};
    QVERIFY(pool.wait(1ms).empty());
    std::jthread filler{[&] { pool.push({pool.take(), 8}); }};
    const std::vector<BufferPool::Filled> filled = pool.wait(60s);
    QCOMPARE(filled.size(), std::size_t{1});
    QCOMPARE(filled[0].valid, std::size_t{8});
    std::jthread ender{[&] { pool.stop(); }};
    QVERIFY(pool.wait(60s).empty());
}

void BufferPoolTest::losesNothingBetweenThreads()
{
    constexpr std::size_t kEach = 300;
    BufferPool pool{kMost};
    std::atomic<std::size_t> refused{0};
    std::size_t sum = 0;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&] {
                for (std::size_t i = 1; i <= kEach; ++i)
                    if (std::uint8_t* const bytes = pool.take(); bytes != nullptr)
                        pool.push({bytes, 1});
                    else
                        ++refused;
            });
        for (std::size_t round = 0; round < 100; ++round)
            for (const BufferPool::Filled& filled : pool.wait(1ms)) {
                sum += filled.valid;
                pool.giveBack(filled);
            }
    }
    for (const BufferPool::Filled& filled : pool.wait(0ms))
        sum += filled.valid;
    QCOMPARE(sum + refused, 4 * kEach);
}

} // namespace

PLIMSOLL_TEST(BufferPoolTest, tests::NoApplication)
#include "buffer_pool_test.moc"
