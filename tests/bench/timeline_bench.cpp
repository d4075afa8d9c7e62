// SPDX-License-Identifier: Apache-2.0
// A timeline of 10^7 events: its bytes per event, and the time to tell what is alive at a point in
// time.
#include "core/timeline/builder.h"

#include "tests/bench/rows.h"
#include "tests/bench/yardsticks.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <malloc.h>
#include <random>

namespace {

using namespace plimsoll;        // NOLINT(google-build-using-namespace)
using namespace plimsoll::bench; // NOLINT(google-build-using-namespace)

constexpr std::size_t kEvents = 10'000'000;
constexpr int kQueries = 101;

double allocated()
{
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

/// Blocks live for 1 to 200,000 events, as many in each decade of that: some thousands are alive at
/// a time, as in a training step.
timeline::TimelinePtr randomTimeline()
{
    std::mt19937_64 random{5};
    std::uniform_real_distribution<double> decades{0.0, 5.3};
    // By the event at which they are due.
    std::vector<std::uint64_t> due(kEvents);
    timeline::Builder builder{timeline::categoryLayers()};
    std::int64_t time = 0;
    std::uint64_t made = 0;
    for (std::size_t event = 0; event < kEvents; ++event) {
        time += static_cast<std::int64_t>(random() % 2000);
        if (due[event] != 0) {
            if (!builder.free(time, due[event]))
                std::abort();
            continue;
        }
        ++made;
        const auto bytes = static_cast<std::int64_t>(512 + random() % (1U << 24U));
        if (!builder.alloc(time, {made, base::Bytes{bytes}, static_cast<std::uint8_t>(random() % 8),
                                  0, static_cast<std::uint32_t>(made)}))
            std::abort();
        auto last = event + static_cast<std::size_t>(std::pow(10.0, decades(random)));
        while (last < kEvents && due[last] != 0)
            ++last;
        if (last < kEvents)
            due[last] = made;
    }
    return std::move(builder).build();
}

const timeline::TimelinePtr& sharedTimeline()
{
    static const timeline::TimelinePtr kTimeline = randomTimeline();
    return kTimeline;
}

void buildsAllEvents(benchmark::State& state)
{
    for ([[maybe_unused]] auto round : state)
        benchmark::DoNotOptimize(randomTimeline());
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations())
                            * static_cast<std::int64_t>(kEvents));
}
BENCHMARK(buildsAllEvents)->Iterations(1)->Unit(benchmark::kMillisecond);

void findsWhatIsAlive(benchmark::State& state)
{
    const timeline::Timeline& timeline = *sharedTimeline();
    std::mt19937_64 random{7};
    for ([[maybe_unused]] auto round : state)
        benchmark::DoNotOptimize(timeline.aliveAt(random() % timeline.stepCount()));
}
BENCHMARK(findsWhatIsAlive)->Unit(benchmark::kMicrosecond);

void findsTheLargestStep(benchmark::State& state)
{
    const timeline::Timeline& timeline = *sharedTimeline();
    std::mt19937_64 random{7};
    for ([[maybe_unused]] auto round : state) {
        const std::size_t begin = random() % timeline.stepCount();
        benchmark::DoNotOptimize(
            timeline.largestStepIn(begin, begin + 1 + random() % (timeline.stepCount() - begin)));
    }
}
BENCHMARK(findsTheLargestStep)->Unit(benchmark::kMicrosecond);

void printGoals()
{
    const double before = allocated();
    const timeline::Timeline& timeline = *sharedTimeline();
    const double bytes = allocated() - before;
    ColumnFill fill;
    std::mt19937_64 random{11};
    std::vector<Span> fills;
    std::vector<Span> queries;
    std::size_t alive = 0;
    for (int query = 0; query < kQueries; ++query) {
        Span begin = now();
        benchmark::DoNotOptimize(fill.run());
        fills.push_back(now() - begin);
        const std::size_t step = random() % timeline.stepCount();
        begin = now();
        const std::vector<std::uint32_t> found = timeline.aliveAt(step);
        queries.push_back(now() - begin);
        alive += found.size();
    }
    const Rows rows{"-", fmt::format("timeline of {:.0e} events", static_cast<double>(kEvents))};
    rows.atMost("bytes per event", bytes / static_cast<double>(kEvents), 20);
    const Span unit = quantile(fills, 0.5);
    const Span middle = quantile(queries, 0.5);
    rows.atMost("alive at a time p50, column fills", middle.wall / unit.wall, 1.5);
    rows.atMost("alive at a time p50, column fills, processor", middle.processor / unit.processor,
                1.5);
    rows.atMost("alive at a time p99, column fills, processor",
                quantile(queries, 0.99).processor / unit.processor, 1.5);
    printFigure("blocks alive at a time, mean", static_cast<double>(alive) / kQueries);
}

} // namespace

int main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    printGoals();
    benchmark::RunSpecifiedBenchmarks();
    return EXIT_SUCCESS;
}
