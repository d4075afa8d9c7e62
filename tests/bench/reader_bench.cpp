// SPDX-License-Identifier: Apache-2.0
// The reader against a bare walk of the same text with simdjson: what the format costs beyond JSON.
#include "core/io/byte_source.h"
#include "core/readers/plimsoll_graph/reader.h"

#include "tests/bench/rows.h"
#include "tests/support/graph_file.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

using plimsoll::base::JobContext;

constexpr std::size_t kOps = 10'000;
constexpr int kRounds = 15;

/// A graph of kOps ops with the padding that simdjson asks for.
const std::string& graphText()
{
    static const std::string kText = [] {
        std::string text = plimsoll::tests::graphText(plimsoll::tests::layeredProgram(kOps));
        text.reserve(text.size() + plimsoll::io::kPadding);
        return text;
    }();
    return kText;
}

/// Visits every value and converts numbers and strings; returns something that depends on all.
std::uint64_t walk(simdjson::ondemand::value value)
{
    std::uint64_t sum = 1;
    switch (value.type()) {
    case simdjson::ondemand::json_type::array:
        for (auto item : value.get_array())
            sum += walk(item.value());
        break;
    case simdjson::ondemand::json_type::object:
        for (auto field : value.get_object())
            sum += walk(field.value());
        break;
    case simdjson::ondemand::json_type::number:
        sum += static_cast<std::uint64_t>(value.get_number().value().get_number_type());
        break;
    case simdjson::ondemand::json_type::string: sum += value.get_string().value().size(); break;
    default: break;
    }
    return sum;
}

std::uint64_t walkText()
{
    simdjson::ondemand::parser parser;
    const std::string& text = graphText();
    auto document = parser.iterate(text.data(), text.size(), text.capacity());
    std::uint64_t sum = 0;
    for (auto field : document.get_object())
        sum += walk(field.value());
    return sum;
}

std::size_t readText()
{
    const auto read = plimsoll::readers::plimsoll_graph::parse({"bench", graphText(), false}, {});
    return read ? read->program->ops.size() : 0;
}

void walkWithSimdjson(benchmark::State& state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(walkText());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(graphText().size()));
}
BENCHMARK(walkWithSimdjson)->Unit(benchmark::kMillisecond);

void readWithPlimsoll(benchmark::State& state)
{
    if (readText() < kOps)
        state.SkipWithError("the graph was refused");
    for (auto _ : state)
        benchmark::DoNotOptimize(readText());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(graphText().size()));
}
BENCHMARK(readWithPlimsoll)->Unit(benchmark::kMillisecond);

/// The shortest of kRounds runs, in seconds of processor time: a busy machine does not count.
template <typename Run>
double bestTime(Run run)
{
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
        const std::clock_t begin = std::clock();
        benchmark::DoNotOptimize(run());
        best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    return best;
}

} // namespace

int main(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    const double walked = bestTime(walkText);
    const double read = bestTime(readText);
    fmt::print("reader: {} ops, {} B: walk {:.2f} ms, read {:.2f} ms\n", kOps, graphText().size(),
               walked * 1e3, read * 1e3);
    plimsoll::bench::Rows{"-", "graph reader, 10000 ops"}.atLeast(
        "rate by that of a bare walk with simdjson", walked / read, 0.3);
    return EXIT_SUCCESS;
}
