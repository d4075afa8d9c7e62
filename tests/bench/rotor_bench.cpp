// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor.h"

#include "tests/unit/solve/chain_examples.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <optional>
#include <vector>

using namespace plimsoll;
using namespace plimsoll::solve;

namespace {

constexpr std::size_t kStages = 200;
constexpr int kSlots = 500;

/// Of all threads together: what a busy machine changes less than time.
double processorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The yardstick: as many steps as the table of `stages` has at most, on rows that stay in L1.
double sweepSeconds(std::size_t stages, int slots)
{
    const auto width = static_cast<std::size_t>(slots);
    std::vector<double> out(width, std::numeric_limits<double>::infinity());
    std::vector<double> first(width);
    std::vector<double> second(width);
    for (std::size_t m = 0; m < width; ++m) {
        first[m] = static_cast<double>(width - m);
        second[m] = static_cast<double>(2 * width - m);
    }
    const std::size_t passes = stages * (stages + 1) * (stages + 2) / 6;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t pass = 0; pass < passes; ++pass) {
        const auto time = static_cast<double>(pass & 7U);
        double* const to = out.data();
        const double* const a = first.data();
        const double* const b = second.data();
        for (std::size_t m = 0; m < width; ++m) {
            const double value = (time + a[m]) + b[m];
            to[m] = value < to[m] ? value : to[m];
        }
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Random times and MiB sizes, budget 35 % of all saved sets.
void rotorTable(benchmark::State& state)
{
    examples::Random random{1};
    const Chain chain = examples::randomChain(random, kStages, std::int64_t{64} << 20, 8 << 20);
    std::int64_t saved = 0;
    for (const std::int64_t size : chain.xbar)
        saved += size;
    RotorOptions options;
    options.slots = kSlots;
    options.threads = static_cast<int>(state.range(0));
    double best = std::numeric_limits<double>::infinity();
    double yardstick = best;
    double bestProcessor = best;
    double yardstickProcessor = best;
    std::size_t bytes = 0;
    for (auto _ : state) {
        double processor = processorSeconds();
        yardstick = std::min(yardstick, sweepSeconds(kStages, kSlots));
        yardstickProcessor = std::min(yardstickProcessor, processorSeconds() - processor);
        processor = processorSeconds();
        const auto start = std::chrono::steady_clock::now();
        const auto table = RotorTable::build(chain, saved * 35 / 100, options, {});
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        bestProcessor = std::min(bestProcessor, processorSeconds() - processor);
        if (!table || !table->sequence(saved * 35 / 100)) {
            state.SkipWithError("no table");
            return;
        }
        bytes = table->bytes();
        best = std::min(best, seconds.count());
        state.SetIterationTime(seconds.count());
    }
    state.counters["yardstick_s"] = yardstick;
    state.counters["ours_s"] = best;
    state.counters["ratio"] = best / yardstick;
    state.counters["processor_ratio"] = bestProcessor / yardstickProcessor;
    state.counters["target"] = state.range(0) == 1 ? 4 : 2;
    state.counters["table_MiB"] = static_cast<double>(bytes) / (1 << 20);
}

/// The slots that are taken where sizes are rounded, against 500 (yardstick, time) and against
/// 4,000 (what the schedule loses by them, in percent).
void adaptiveSlots(benchmark::State& state)
{
    examples::Random random{static_cast<std::uint64_t>(state.range(0))};
    const Chain chain = examples::largeChain(random, 60);
    const std::int64_t budget = examples::shareOfSaved(chain, state.range(0));
    const auto solve = [&](std::optional<int> slots, double& best) {
        RotorOptions options;
        options.slots = slots;
        const auto start = std::chrono::steady_clock::now();
        const auto sequence =
            RotorTable::build(chain, budget, options, {})
                .and_then([budget](const RotorTable& table) { return table.sequence(budget); });
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::min(best, seconds.count());
        return sequence ? simulate(chain, *sequence)->makespan : 0.0;
    };
    double best = std::numeric_limits<double>::infinity();
    double yardstick = best;
    double most = best;
    double makespan = 0;
    for (auto _ : state) {
        solve(500, yardstick);
        makespan = solve({}, best);
        state.SetIterationTime(best);
    }
    state.counters["yardstick_s"] = yardstick;
    state.counters["ours_s"] = best;
    state.counters["ratio"] = best / yardstick;
    state.counters["target"] = 2;
    state.counters["loss_percent"] = (makespan / solve(4000, most) - 1) * 100;
}

} // namespace

BENCHMARK(adaptiveSlots)
    ->Arg(25)
    ->Arg(50)
    ->ArgName("percent")
    ->Iterations(10)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(rotorTable)
    ->Arg(1)
    ->Arg(2)
    ->ArgName("threads")
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
