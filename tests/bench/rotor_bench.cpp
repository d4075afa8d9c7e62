// SPDX-License-Identifier: Apache-2.0
// The rotor table beside as many bare min-plus steps, and what finer slots cost.
#include "core/solve/chain/rotor/chain_table.h"

#include "tests/bench/rows.h"
#include "tests/unit/solve_chain/chain_examples.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <optional>
#include <vector>

using namespace plimsoll;
using namespace plimsoll::bench;
using namespace plimsoll::solve;

namespace {

constexpr std::size_t kStages = 200;
constexpr int kSlots = 500;
constexpr int kRounds = 10;

/// The processor time of all threads together, which depends less on the machine's load than time.
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
void rotorTable(int threads, double target)
{
    tests::ChainRandom random{1};
    const Chain chain = tests::randomChain(random, kStages, std::int64_t{64} << 20, 8 << 20);
    std::int64_t saved = 0;
    for (const std::int64_t size : chain.xbar)
        saved += size;
    RotorOptions options;
    options.slots = kSlots;
    options.threads = threads;
    double best = std::numeric_limits<double>::infinity();
    double yardstick = best;
    double bestProcessor = best;
    double yardstickProcessor = best;
    std::optional<std::size_t> bytes;
    for (int round = 0; round < kRounds; ++round) {
        double processor = processorSeconds();
        yardstick = std::min(yardstick, sweepSeconds(kStages, kSlots));
        yardstickProcessor = std::min(yardstickProcessor, processorSeconds() - processor);
        processor = processorSeconds();
        const auto start = std::chrono::steady_clock::now();
        const auto table = buildRotorTable(chain, saved * 35 / 100, options, {});
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        bestProcessor = std::min(bestProcessor, processorSeconds() - processor);
        best = std::min(best, seconds.count());
        if (table && (*table)->sequence(saved * 35 / 100))
            bytes = (*table)->bytes();
    }
    printFigure("table, ms", best * 1e3);
    printFigure("sweep, ms", yardstick * 1e3);
    printFigure("processor time by the sweep's", bestProcessor / yardstickProcessor);
    const Rows rows{"1", fmt::format("rotor table of {} stages, {} slots, {} thread{}", kStages,
                                     kSlots, threads, threads == 1 ? "" : "s")};
    rows.atMost("min-plus sweeps", bytes ? best / yardstick : kNotMeasured, target);
    rows.atMost("MiB", bytes ? static_cast<double>(*bytes) / (1 << 20) : kNotMeasured, 128);
}

/// The number of slots used where sizes are rounded, compared with 500 (yardstick, time) and with
/// 4,000 (the schedule's loss, in percent).
void adaptiveSlots(int percent)
{
    tests::ChainRandom random{static_cast<std::uint64_t>(percent)};
    const Chain chain = tests::largeChain(random, 60);
    const std::int64_t budget = tests::shareOfSaved(chain, percent);
    const auto solve = [&](std::optional<int> slots, double& best) {
        RotorOptions options;
        options.slots = slots;
        const auto start = std::chrono::steady_clock::now();
        const auto sequence =
            buildRotorTable(chain, budget, options, {})
                .and_then([budget](const ChainTablePtr& table) { return table->sequence(budget); });
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::min(best, seconds.count());
        return sequence ? simulate(chain, *sequence)->makespan : kNotMeasured;
    };
    double best = std::numeric_limits<double>::infinity();
    double yardstick = best;
    double most = best;
    double makespan = 0;
    for (int round = 0; round < kRounds; ++round) {
        solve(kSlots, yardstick);
        makespan = solve({}, best);
    }
    const Rows rows{"-", fmt::format("adaptive slots, chain of 60 at {} % of all saved", percent)};
    rows.atMost("time by that of 500 slots", best / yardstick, 2);
    rows.atMost("% slower than by 4000", (makespan / solve(4000, most) - 1) * 100, 0.1);
}

} // namespace

int main()
{
    rotorTable(1, 4);
    rotorTable(2, 2);
    adaptiveSlots(25);
    adaptiveSlots(50);
    return EXIT_SUCCESS;
}
