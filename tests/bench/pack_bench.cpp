// SPDX-License-Identifier: Apache-2.0
// Goals 7 and 8: heights of packings, and what they take beside one first fit by size.
#include "core/solve/pack/first_fit.h"
#include "core/solve/pack/solve_pack.h"

#include "tests/support/pack_cbc_oracle.h"
#include "tests/support/pack_families.h"
#include "tests/support/random.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

using namespace plimsoll;
using namespace plimsoll::solve;
using tests::Random;

namespace {

constexpr std::int64_t kHeight = 1 << 20;

double secondsNow()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// The yardstick: the best of some rounds.
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

/// Goal 7: 20 planted packings of one size, seeds 1 to 20.
void plantedPackings(benchmark::State& state)
{
    constexpr std::uint64_t kInstances = 20;
    double reached = 0;
    double largest = 0;
    double sum = 0;
    for (auto _ : state) {
        for (std::uint64_t seed = 1; seed <= kInstances; ++seed) {
            Random random{seed};
            const PackBuffers buffers =
                cutRectangle(random, static_cast<std::size_t>(state.range(0)), state.range(1));
            const double yardstick = firstFitSeconds(buffers, 5);
            PackQuery query;
            query.capacity = kHeight;
            query.passes = 6;
            query.nodes = 30000;
            const double start = secondsNow();
            const base::Result<PackAnswer> answer = solvePack(buffers, query, {});
            const double ratio = (secondsNow() - start) / yardstick;
            if (!answer) {
                state.SkipWithError(answer.error().message.c_str());
                return;
            }
            reached += answer->height <= kHeight && ratio <= 1000 ? 1 : 0;
            largest = std::max(largest, ratio);
            sum += ratio;
        }
    }
    state.counters["reached_percent"] = 100 * reached / kInstances;
    state.counters["target_percent"] = 95;
    state.counters["mean_first_fits"] = sum / kInstances;
    state.counters["most_first_fits"] = largest;
    state.counters["target_first_fits"] = 1000;
}

constexpr std::uint64_t kSmallInstances = 20;
constexpr int kCbcSeconds = 20; ///< for each

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

/// Goal 7: small problems, of each family 20 of one size, as far as CBC proves their height.
void againstCbc(benchmark::State& state, PackBuffers (*instance)(std::uint64_t, std::size_t))
{
    double proven = 0;
    double equal = 0;
    double aboveLiveSum = 0;
    double logRatio = 0;
    for (auto _ : state) {
        for (std::uint64_t seed = 1; seed <= kSmallInstances; ++seed) {
            const PackBuffers buffers = instance(seed, static_cast<std::size_t>(state.range(0)));
            const tests::PackCbcAnswer peer = tests::packWithCbc(buffers, kCbcSeconds);
            const base::Result<PackAnswer> answer = solvePack(buffers, {}, {});
            if (!answer) {
                state.SkipWithError(answer.error().message.c_str());
                return;
            }
            if (!peer.height)
                continue;
            ++proven;
            equal += answer->height == *peer.height ? 1 : 0;
            aboveLiveSum += *peer.height > largestLiveSum(buffers) ? 1 : 0;
            logRatio += std::log(peer.seconds / std::max(packSeconds(buffers), 1e-9));
        }
    }
    state.counters["proven"] = proven;
    state.counters["equal"] = equal;
    state.counters["above_live_sum"] = aboveLiveSum;
    state.counters["times_faster"] = std::exp(logRatio / std::max(proven, 1.0));
    state.counters["target_times_faster"] = 1000;
}

void smallPackings(benchmark::State& state)
{
    againstCbc(state, smallBuffers);
}

/// Those where no packing has the live sum's height.
void tightPackings(benchmark::State& state)
{
    againstCbc(state, [](std::uint64_t seed, std::size_t count) {
        Random random{seed};
        return tests::tightBuffers(random, count, static_cast<int>(2 * count / 3));
    });
}

/// Goal 8: buffers anywhere in a time, as long as 1 to 1000, of 1 B to 1 MiB.
void randomBuffers(benchmark::State& state)
{
    Random random{static_cast<std::uint64_t>(state.range(2))};
    PackBuffers buffers;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        const auto lower =
            static_cast<std::int64_t>(random.below(static_cast<std::size_t>(state.range(1))));
        buffers.push_back({lower, lower + random.between(1, 1000), random.between(1, kHeight)});
    }
    double ratio = 0;
    double height = 0;
    for (auto _ : state) {
        const double yardstick = firstFitSeconds(buffers, 2);
        PackQuery query;
        query.passes = 8;
        const double start = secondsNow();
        const base::Result<PackAnswer> answer = solvePack(buffers, query, {});
        ratio = (secondsNow() - start) / yardstick;
        if (!answer) {
            state.SkipWithError(answer.error().message.c_str());
            return;
        }
        height = static_cast<double>(answer->height) / static_cast<double>(answer->lowerBound);
    }
    state.counters["height_to_bound"] = height;
    state.counters["target_height"] = 1.01;
    state.counters["first_fits"] = ratio;
    state.counters["target_first_fits"] = 100;
}

} // namespace

BENCHMARK(plantedPackings)
    ->ArgsProduct({{50, 100, 200, 300, 500}, {1000, 100000}})
    ->ArgNames({"n", "time"})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(smallPackings)
    ->Arg(12)
    ->Arg(20)
    ->Arg(30)
    ->ArgName("n")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(tightPackings)
    ->Arg(8)
    ->Arg(10)
    ->Arg(12)
    ->ArgName("n")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(randomBuffers)
    ->Args({10000, 10000, 7})
    ->Args({10000, 10000, 8})
    ->Args({10000, 10000, 9})
    ->Args({10000, 100000, 7})
    ->Args({100000, 1000000, 7})
    ->ArgNames({"n", "time", "seed"})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
