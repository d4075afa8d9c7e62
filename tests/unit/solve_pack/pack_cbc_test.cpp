// SPDX-License-Identifier: Apache-2.0
// Small packings, against the height that CBC proves to be the lowest.
#include "core/solve/pack/solve_pack.h"

#include "tests/support/pack_cbc_oracle.h"
#include "tests/support/pack_families.h"
#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace plimsoll;

namespace {

constexpr int kSeconds = 1; ///< of CBC, per problem

class PackCbcTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theSearchFindsTheProvenHeight();
    void itProvesThatTheLiveSumIsNotEnough();
};

solve::PackBuffers randomBuffers(tests::Random& random, int count)
{
    solve::PackBuffers buffers;
    for (int i = 0; i < count; ++i) {
        const auto lower = static_cast<std::int64_t>(random.below(static_cast<std::size_t>(count)));
        buffers.push_back({lower, lower + random.between(1, 2 + count / 3), random.between(1, 9)});
    }
    return buffers;
}

/// For 3 to 30 buffers, wherever CBC proves an optimum in its time.
void PackCbcTest::theSearchFindsTheProvenHeight()
{
    int proven = 0;
    double logRatio = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        tests::Random random{seed};
        const solve::PackBuffers buffers = randomBuffers(random, static_cast<int>(3 * seed));
        const tests::PackCbcAnswer peer = tests::packWithCbc(buffers, kSeconds);
        const auto begin = std::chrono::steady_clock::now();
        const base::Result<solve::PackAnswer> answer = solve::solvePack(buffers, {}, {});
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        QVERIFY(answer.has_value());
        QCOMPARE(solve::heightOf(buffers, answer->offsets), answer->height);
        if (!peer.height)
            continue;
        QCOMPARE(answer->height, *peer.height);
        QVERIFY(answer->lowerBound <= *peer.height);
        ++proven;
        logRatio += std::log(peer.seconds / std::max(seconds, 1e-9));
    }
    qInfo("%d proven; CBC takes %.0f times as long", proven,
          std::exp(logRatio / std::max(proven, 1)));
    QVERIFY(proven >= 5);
}

/// Where every packing is higher than the live sum, which takes a proof: so far as CBC has it, too.
void PackCbcTest::itProvesThatTheLiveSumIsNotEnough()
{
    int proven = 0;
    double logRatio = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        tests::Random random{seed};
        const solve::PackBuffers buffers = tests::tightBuffers(random, 10, 7);
        const auto begin = std::chrono::steady_clock::now();
        const base::Result<solve::PackAnswer> answer = solve::solvePack(buffers, {}, {});
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        QVERIFY(answer.has_value());
        QCOMPARE(answer->status, solve::Status::Optimal);
        const tests::PackCbcAnswer peer = tests::packWithCbc(buffers, kSeconds);
        if (!peer.height)
            continue;
        QCOMPARE(answer->height, *peer.height);
        QVERIFY(*peer.height > solve::largestLiveSum(buffers));
        ++proven;
        logRatio += std::log(peer.seconds / std::max(seconds, 1e-9));
    }
    qInfo("%d proven; CBC takes %.0f times as long", proven,
          std::exp(logRatio / std::max(proven, 1)));
    QVERIFY(proven >= 3);
}

} // namespace

PLIMSOLL_TEST(PackCbcTest, plimsoll::tests::NoApplication)
#include "pack_cbc_test.moc"
