// SPDX-License-Identifier: Apache-2.0
// Opening a PyTorch snapshot: time against CPython's pickle.load and a bare walk over the opcodes,
// and what the trace and its timeline take in memory.
#include "core/memtrace/build_timeline.h"
#include "core/readers/registry.h"
#include "core/readers/torch_snapshot/pickle_opcodes.h"
#include "core/timeline/layers.h"

#include "tests/bench/rows.h"
#include "tests/bench/yardsticks.h"
#include "tests/support/snapshots/snapshot_generator.h"
#include "tests/support/temp_folder.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <string>

namespace {

using namespace plimsoll; // NOLINT(google-build-using-namespace)

/// The size of every opcode and its argument, one after the other; returns their number.
std::size_t walk(std::string_view bytes)
{
    namespace format = readers::torch_snapshot;
    static constexpr auto kLayouts = format::opcodeLayouts();
    std::size_t count = 0;
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    while (at < end) {
        const format::OpcodeLayout layout = kLayouts[static_cast<unsigned char>(*at)];
        std::size_t size = std::size_t{1} + layout.fixed;
        if (layout.counts)
            size += layout.fixed == 1 ? static_cast<unsigned char>(at[1])
                                      : format::littleEndian(at + 1, layout.fixed);
        at += size;
        ++count;
    }
    return count;
}

struct Generated
{
    std::string path;
    std::size_t bytes = 0;
    tests::GeneratedFacts facts;
};

Generated generate(const tests::TempFolder& folder, const tests::GeneratedSnapshot& snapshot)
{
    Generated generated;
    generated.path = folder.file(fmt::format("{}.pickle", snapshot.events));
    std::ofstream file{generated.path, std::ios::binary};
    generated.facts = tests::generateSnapshot(snapshot, [&](std::string_view part) {
        file.write(part.data(), static_cast<std::streamsize>(part.size()));
        generated.bytes += part.size();
    });
    return generated;
}

memtrace::MemoryTracePtr readTrace(const Generated& generated)
{
    const auto read = readers::readProfile(io::Source{generated.path});
    return read ? read->trace : nullptr;
}

/// Of this process, in bytes; 0 if the system doesn't tell.
std::size_t anonymousBytes()
{
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("RssAnon:"))
            return std::strtoull(line.c_str() + 8, nullptr, 10) * 1024;
    return 0;
}

/// Seconds of CPython's pickle.load, of its processor time; not a number without Python.
double secondsOfPython(const std::string& path)
{
    const std::string out = path + ".seconds";
    const std::string command = fmt::format(
        "python3 -c 'import pickle, time, gc; b = time.process_time(); pickle.load(open(\"{}\", "
        "\"rb\")); print(time.process_time() - b)' > {} 2>/dev/null",
        path, out);
    if (std::system(command.c_str()) != 0) // NOLINT(*-env33-c,concurrency-mt-unsafe): the yardstick
        return bench::kNotMeasured;
    double seconds = bench::kNotMeasured;
    std::ifstream{out} >> seconds;
    return seconds;
}

template <typename Run>
double best(int rounds, Run run)
{
    double seconds = 1e9;
    for (int round = 0; round < rounds; ++round) {
        const bench::Span begin = bench::now();
        benchmark::DoNotOptimize(run());
        seconds = std::min(seconds, (bench::now() - begin).processor / 1e6);
    }
    return seconds;
}

double secondsOfWalk(const Generated& generated, int rounds)
{
    const auto mapped = io::MappedFile::open(generated.path);
    if (!mapped)
        return bench::kNotMeasured;
    return best(rounds, [&] { return walk(mapped->bytes()); });
}

bool isRight(const Generated& generated, const memtrace::MemoryTracePtr& trace)
{
    return trace != nullptr && trace->devices().front().recordedCount() == generated.facts.events;
}

void openMillion(const tests::TempFolder& folder)
{
    const Generated million = generate(folder, {.events = 1'000'000});
    const double python = secondsOfPython(million.path);
    const double walked = secondsOfWalk(million, 5);
    const double read = best(5, [&] { return readTrace(million); });
    fmt::print("snapshot: {} events, {} B: CPython {:.2f} s, walk {:.3f} s, read {:.3f} s\n",
               million.facts.events, million.bytes, python, walked, read);
    const bench::Rows rows{"10", "snapshot of 1e6 events"};
    rows.atMost("read by CPython's pickle.load",
                isRight(million, readTrace(million)) ? read / python : bench::kNotMeasured, 0.1);
    bench::printFigure("read by a walk over the opcodes", read / walked);
}

void openTenMillion(const tests::TempFolder& folder)
{
    const Generated all = generate(folder, {.events = 10'000'000});
    const double walked = secondsOfWalk(all, 3);
    malloc_trim(0);
    const std::size_t before = anonymousBytes();
    const bench::Span begin = bench::now();
    const memtrace::MemoryTracePtr trace = readTrace(all);
    const double first = (bench::now() - begin).processor / 1e6;
    malloc_trim(0);
    const std::size_t traced = anonymousBytes();
    timeline::TimelinePtr timeline;
    if (trace != nullptr)
        timeline = memtrace::buildTimeline(
            *trace, trace->devices().front(),
            {std::make_shared<const timeline::Layers>(timeline::Layers{{"all", "All"}}), {}},
            memtrace::Axis::Time);
    malloc_trim(0);
    const std::size_t shown = anonymousBytes();
    const double read = std::min(first, best(2, [&] { return readTrace(all); }));
    fmt::print("snapshot: {} events, {} B: walk {:.3f} s, read {:.3f} s\n", all.facts.events,
               all.bytes, walked, read);
    const auto perEvent = [&](std::size_t bytes) {
        return isRight(all, trace)
                   ? static_cast<double>(bytes - before) / static_cast<double>(all.facts.events)
                   : bench::kNotMeasured;
    };
    bench::Rows{"10", "snapshot of 1e7 events"}.atMost("read by a walk over the opcodes",
                                                       read / walked, 2);
    const bench::Rows memory{"11", "snapshot of 1e7 events"};
    memory.atMost("growth of RssAnon, trace and timeline, B per event", perEvent(shown), 32);
    bench::printFigure("the trace alone, B per event", perEvent(traced));
}

} // namespace

int main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    const tests::TempFolder folder;
    openMillion(folder);
    openTenMillion(folder);
    return EXIT_SUCCESS;
}
