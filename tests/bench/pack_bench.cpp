// SPDX-License-Identifier: Apache-2.0
// Heights of packings, and their time compared with one first fit by size or with CBC.
#include "core/solve/pack/greedy_orders.h"
#include "core/solve/pack/solve_pack.h"

#include "tests/bench/rows.h"
#include "tests/support/pack_cbc_oracle.h"
#include "tests/support/pack_families.h"
#include "tests/support/random.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

using namespace plimsoll;
using namespace plimsoll::bench;
using namespace plimsoll::solve;
using tests::Random;

namespace {

constexpr std::int64_t kHeight = 1 << 20;

double secondsNow()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// The yardstick: the best of several rounds.
double firstFitSeconds(const PackBuffers& buffers, int rounds)
{
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < rounds; ++round) {
        const double start = secondsNow();
        std::vector<std::uint32_t> order(buffers.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = static_cast<std::uint32_t>(i);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair{-buffers[a].size, a} < std::pair{-buffers[b].size, b};
        });
        FirstFit firstFit{buffers};
        benchmark::DoNotOptimize(firstFit.pack(order));
        best = std::min(best, secondsNow() - start);
    }
    return best;
}

/// A rectangle of that time and kHeight, cut at random places into `count` pieces; of three pieces
/// drawn the largest is cut.
PackBuffers cutRectangle(Random& random, std::size_t count, std::int64_t time)
{
    PackBuffers pieces{{0, time, kHeight}};
    const auto area = [&](std::size_t i) {
        return static_cast<double>(pieces[i].upper - pieces[i].lower)
               * static_cast<double>(pieces[i].size);
    };
    while (pieces.size() < count) {
        std::size_t at = random.below(pieces.size());
        for (int draw = 0; draw < 2; ++draw)
            if (const std::size_t other = random.below(pieces.size()); area(other) > area(at))
                at = other;
        const PackBuffer whole = pieces[at];
        const bool inTime = random.percent(50);
        const std::int64_t length = inTime ? whole.upper - whole.lower : whole.size;
        if (length < 2)
            continue;
        const auto cut =
            1 + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(length - 1)));
        if (inTime) {
            pieces[at].upper = whole.lower + cut;
            pieces.push_back({whole.lower + cut, whole.upper, whole.size});
        } else {
            pieces[at].size = cut;
            pieces.push_back({whole.lower, whole.upper, whole.size - cut});
        }
    }
    for (std::size_t i = pieces.size(); i > 1; --i)
        std::swap(pieces[i - 1], pieces[random.below(i)]);
    return pieces;
}

/// 20 planted packings of one size, seeds 1 to 20.
void plantedPackings(std::size_t count, std::int64_t time)
{
    constexpr std::uint64_t kInstances = 20;
    constexpr double kMostFirstFits = 1000;
    int reached = 0;
    double most = 0;
    for (std::uint64_t seed = 1; seed <= kInstances; ++seed) {
        Random random{seed};
        const PackBuffers buffers = cutRectangle(random, count, time);
        const double yardstick = firstFitSeconds(buffers, 5);
        PackQuery query;
        query.capacity = kHeight;
        query.passes = 6;
        query.nodes = 30000;
        const double start = secondsNow();
        const base::Result<PackAnswer> answer = solvePack(buffers, query, {});
        const double ratio = (secondsNow() - start) / yardstick;
        reached += answer && answer->height <= kHeight && ratio <= kMostFirstFits ? 1 : 0;
        most = std::max(most, ratio);
    }
    printFigure("most first fits for one", most);
    Rows{"7", fmt::format("planted packings of {} buffers, time {}", count, time)}.atLeast(
        "% reached within 1000 first fits", 100.0 * reached / kInstances, 95);
}

constexpr std::uint64_t kSmallInstances = 20;
constexpr int kCbcSeconds = 3; ///< for each: a minute for those of one size

PackBuffers smallBuffers(std::uint64_t seed, std::size_t count)
{
    Random random{seed};
    PackBuffers buffers;
    for (std::size_t i = 0; i < count; ++i) {
        const auto lower = static_cast<std::int64_t>(random.below(count));
        const int most = 2 + static_cast<int>(count) / 3;
        buffers.push_back({lower, lower + random.between(1, most), random.between(1, 40)});
    }
    return buffers;
}

/// The median of some rounds: one is over in microseconds.
double packSeconds(const PackBuffers& buffers)
{
    std::array<double, 5> rounds{};
    for (double& round : rounds) {
        const double start = secondsNow();
        benchmark::DoNotOptimize(solvePack(buffers, {}, {}));
        round = secondsNow() - start;
    }
    std::sort(rounds.begin(), rounds.end());
    return rounds[rounds.size() / 2];
}

/// Small problems, 20 of one size. If CBC is stopped before a proof, the ratio uses its best result
/// so far; the true ratio would be larger.
template <typename Instance>
void againstCbc(const char* family, std::size_t count, const Instance& instance)
{
    int proven = 0;
    int equal = 0;
    int aboveLiveSum = 0;
    Mean speed; // logarithms
    for (std::uint64_t seed = 1; seed <= kSmallInstances; ++seed) {
        const PackBuffers buffers = instance(seed);
        const tests::PackCbcAnswer peer = tests::packWithCbc(buffers, kCbcSeconds);
        const base::Result<PackAnswer> answer = solvePack(buffers, {}, {});
        speed.add(std::log(peer.seconds / std::max(packSeconds(buffers), 1e-9)));
        if (!peer.height)
            continue;
        ++proven;
        equal += answer && answer->height == *peer.height ? 1 : 0;
        aboveLiveSum += *peer.height > largestLiveSum(buffers) ? 1 : 0;
    }
    printFigure("above the live sum", aboveLiveSum);
    const Rows rows{"7", fmt::format("{} packings of {} buffers", family, count)};
    rows.atLeast(fmt::format("% as low as CBC's, of {} proven", proven),
                 proven == 0 ? kNotMeasured : 100.0 * equal / proven, 100);
    const int stopped = static_cast<int>(kSmallInstances) - proven;
    rows.atLeast(fmt::format("CBC's time by ours{}",
                             stopped == 0 ? ""
                                          : fmt::format(", at least ({} stopped at {} s)", stopped,
                                                        kCbcSeconds)),
                 std::exp(speed.value()), 1000);
}

void smallPackings(std::size_t count)
{
    againstCbc("random", count, [count](std::uint64_t seed) { return smallBuffers(seed, count); });
}

/// Problems in which no packing reaches the live sum's height.
void tightPackings(std::size_t count)
{
    againstCbc("tight", count, [count](std::uint64_t seed) {
        Random random{seed};
        return tests::tightBuffers(random, count, static_cast<int>(2 * count / 3));
    });
}

/// Buffers anywhere in a time, as long as 1 to 1000, of 1 B to 1 MiB.
void randomBuffers(std::int64_t count, std::size_t time, std::uint64_t seed)
{
    Random random{seed};
    PackBuffers buffers;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto lower = static_cast<std::int64_t>(random.below(time));
        buffers.push_back({lower, lower + random.between(1, 1000), random.between(1, kHeight)});
    }
    const double yardstick = firstFitSeconds(buffers, 2);
    PackQuery query;
    query.passes = 8;
    const double start = secondsNow();
    const base::Result<PackAnswer> answer = solvePack(buffers, query, {});
    const double seconds = secondsNow() - start;
    const Rows rows{"8", fmt::format("{} random buffers, time {}, seed {}", count, time, seed)};
    rows.atMost("height by lower bound",
                answer
                    ? static_cast<double>(answer->height) / static_cast<double>(answer->lowerBound)
                    : kNotMeasured,
                1.01);
    rows.atMost("first fits", seconds / yardstick, 100);
}

} // namespace

int main()
{
    for (const std::size_t count : {50U, 100U, 200U, 300U, 500U})
        for (const std::int64_t time : {1000, 100'000})
            plantedPackings(count, time);
    for (const std::size_t count : {12U, 20U, 30U})
        smallPackings(count);
    for (const std::size_t count : {8U, 10U, 12U})
        tightPackings(count);
    for (const std::uint64_t seed : {7U, 8U, 9U})
        randomBuffers(10'000, 10'000, seed);
    randomBuffers(10'000, 100'000, 7);
    randomBuffers(100'000, 1'000'000, 7);
    return EXIT_SUCCESS;
}
