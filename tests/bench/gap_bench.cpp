// SPDX-License-Identifier: Apache-2.0
// How far the plans of the planner remat for the shipped graphs are from their proven bounds. The
// distances are judged by the table; only a plan below its bound makes the program fail.
#include "core/device/device.h"
#include "core/device/known_devices.h"
#include "core/readers/registry.h"
#include "core/solve/registry.h"

#include "tests/bench/rows.h"
#include "tests/bench/yardsticks.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

namespace {

using namespace plimsoll;        // NOLINT(google-build-using-namespace)
using namespace plimsoll::bench; // NOLINT(google-build-using-namespace)

constexpr double kTarget = 3; // points of the step time

/// Plans below their bounds.
int faults = 0;

plan::Problem problemOf(const std::string& sample)
{
    const base::Result<readers::ReadProgram> file = readers::readProgram(
        std::string{PLIMSOLL_SOURCE_DIR "/resources/samples/"} + sample + ".plimsoll.json.gz");
    if (!file) {
        fmt::print("{}\n", file.error().message);
        std::abort();
    }
    return {file->program, plan::findDevice(plan::kDefaultDevice).value(), plan::kUnlimited,
            base::Bytes{}, graph::Rounding::Cuda512};
}

/// Percentage points between the plan and the bound at one budget; nullopt without a plan.
std::optional<double> gapAt(const plan::Problem& problem, const plan::FrontierPtr& frontier,
                            base::Nanoseconds plain)
{
    const solve::Outcome outcome = solve::outcomeAt(problem, frontier);
    if (!outcome.best)
        return std::nullopt;
    const base::Nanoseconds gap = outcome.best->evaluation().stepTime - outcome.timeBound;
    faults += gap.count() < 0 ? 1 : 0;
    return 100.0 * static_cast<double>(gap.count()) / static_cast<double>(plain.count());
}

/// All budgets of one graph, printed and added to all others.
void measure(const std::string& sample, std::int64_t runtime, Mean& all, int& notFound)
{
    plan::Problem problem = problemOf(sample);
    const Span begin = now();
    const plan::FrontierPtr found =
        solve::findPlanner("remat").value()->frontier(problem, {{"runtime", runtime}}, {}).value();
    const double seconds = (now() - begin).processor / 1e6;
    const plan::Evaluation& plain = found->points().back()->evaluation();
    const auto peak =
        static_cast<double>(plan::evaluate(problem, plan::keepEverything())->peak.count());
    std::string row;
    Mean gaps;
    for (const double share : {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3}) {
        problem.budget = base::Bytes{static_cast<std::int64_t>(std::floor(share * peak))};
        if (problem.budget < plan::peakLowerBound(problem, found->runtime()).bytes)
            break; // nothing fits from here on
        const std::optional<double> gap = gapAt(problem, found, plain.stepTime);
        row += gap ? fmt::format(" {:>6.2f}", *gap) : "   none";
        notFound += gap ? 0 : 1;
        if (gap) {
            gaps.add(*gap);
            all.add(*gap);
        }
    }
    fmt::print("  {:<12} {:>5.1f} s {:<50}", sample, seconds, row);
    printFigure("mean", gaps.value());
}

} // namespace

int main()
{
    for (const auto& [runtime, name] : {std::pair{1, "step"}, std::pair{0, "checkpoint"}}) {
        fmt::print("runtime {}: gap from bound to plan, points of the step time, at 0.9, 0.8 ... "
                   "0.3 of the peak as far as that may be feasible\n",
                   name);
        Mean all;
        int notFound = 0;
        for (const char* sample :
             {"bert", "densenet121", "gpt2", "llama", "llama_7b", "resnet18", "unet", "vit_b_16"})
            measure(sample, runtime, all, notFound);
        Rows{"6", fmt::format("shipped graphs, runtime {}, {} plans", name, all.count)}.atMost(
            "mean gap from bound to plan, points", all.value(), kTarget);
        printFigure("budgets with neither a plan nor a proof", notFound);
    }
    Rows{"6", "shipped graphs"}.atMost("plans below their bounds", faults, 0);
    return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
