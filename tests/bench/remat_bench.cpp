// SPDX-License-Identifier: Apache-2.0
// Recomputation of general graphs against its yardsticks: CBC on small chains, planted plans,
// profile scans at scale, proven bounds. Ratios are judged; only a plan or a bound that is wrong
// makes the program fail.
#include "core/solve/bounds/remat_bounds.h"
#include "core/solve/remat/search/solve_remat.h"

#include "tests/bench/rows.h"
#include "tests/bench/yardsticks.h"
#include "tests/support/remat/cbc_oracle.h"
#include "tests/support/remat/remat_families.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace plimsoll;        // NOLINT(google-build-using-namespace)
using namespace plimsoll::bench; // NOLINT(google-build-using-namespace)
using solve::RematProblem;

constexpr int kCbcSeconds = 60;
constexpr int kRounds = 5;
constexpr const char* kMeanGap = "mean gap from bound to plan, points";

/// Errors: plans over the budget or below a bound, answers that contradict each other.
int faults = 0;

void fault(const std::string& what)
{
    ++faults;
    fmt::print("  WRONG: {}\n", what);
}

/// In percentage points of the duration without recomputation.
double pointsOf(const RematProblem& problem, double again)
{
    return 100 * again / tests::plainTime(problem);
}

struct Solved
{
    solve::RematAnswer answer;
    Span span;   ///< of the whole call
    Span first;  ///< until there was a plan
    Span last;   ///< until there was the best one
    Span wanted; ///< until there was one as fast as wanted; infinite: never
};

/// Solves and checks the answer with the pass that shares no code with the search.
Solved solve(const RematProblem& problem, std::int64_t budget, double wantedTime = 0)
{
    const Span begin = now();
    std::optional<Span> first;
    Span last;
    std::optional<Span> wanted;
    double fastest = std::numeric_limits<double>::infinity();
    auto answer = solve::solveRemat(problem, budget, {}, [&](const solve::RematAnswer& known) {
        if (!known.best || known.best->figures.time >= fastest)
            return;
        fastest = known.best->figures.time;
        last = now() - begin;
        if (!first)
            first = last;
        if (!wanted && fastest <= wantedTime)
            wanted = last;
    });
    constexpr double kNever = std::numeric_limits<double>::infinity();
    Solved solved{
        {}, now() - begin, first.value_or(Span{}), last, wanted.value_or(Span{kNever, kNever})};
    if (!answer) {
        fault(answer.error().message);
        return solved;
    }
    solved.answer = *std::move(answer);
    if (const auto& best = solved.answer.best) {
        const auto figures = solve::simulate(problem, best->plan);
        if (!figures || figures->peak > budget || figures->time != best->figures.time)
            fault(fmt::format("a plan for {} bytes", budget));
        if (solved.answer.timeBound > best->figures.time * (1 + 1e-9))
            fault(fmt::format("a bound above a plan for {} bytes", budget));
        if (solved.answer.workingSet.bytes > budget)
            fault(fmt::format("a plan below the working set for {} bytes", budget));
    }
    return solved;
}

/// The plan's distance to its bound, in points.
void addGap(const RematProblem& problem, const Solved& solved, Mean& gaps)
{
    if (solved.answer.best)
        gaps.add(pointsOf(problem, solved.answer.best->figures.time - solved.answer.timeBound));
}

void againstCbc()
{
    const Rows rows{"3", "random training chains of 20 to 40 ops"};
    fmt::print("CBC is capped at {} s\n", kCbcSeconds);
    Mean speed;     // logarithms
    Mean lastSpeed; // logarithms
    Mean gaps;
    double worst = 0;
    int proven = 0;
    int open = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        tests::Random random{seed};
        const RematProblem problem = tests::randomTrainingChain(random, 20 + 4 * seed);
        for (const double share : {0.9, 0.8, 0.7, 0.5}) {
            const std::int64_t budget = tests::budgetOf(problem, share);
            const tests::CbcAnswer cbc = tests::solveWithCbc(problem, budget, kCbcSeconds);
            const Solved ours = solve(problem, budget);
            addGap(problem, ours, gaps);
            if (cbc.status == tests::CbcAnswer::Status::Stopped) {
                ++open;
                continue;
            }
            speed.add(std::log(cbc.seconds * 1e6 / ours.span.wall));
            if (cbc.status == tests::CbcAnswer::Status::Infeasible)
                continue;
            ++proven;
            lastSpeed.add(std::log(cbc.seconds * 1e6 / ours.last.wall));
            const double ourTime = ours.answer.best ? ours.answer.best->figures.time
                                                    : std::numeric_limits<double>::infinity();
            const double excess =
                pointsOf(problem, ourTime - tests::plainTime(problem) - cbc.recomputeTime);
            worst = std::max(worst, excess);
            if (excess > 0.001)
                fmt::print("  seed {}, {} ops at {}: {:.4f} points above CBC's optimum\n", seed,
                           problem.ops.size(), share, excess);
            if (ours.answer.timeBound
                > (tests::plainTime(problem) + cbc.recomputeTime) * (1 + 1e-6))
                fault("a bound above CBC's optimum");
        }
    }
    printFigure("proven optima", proven);
    printFigure("stopped before a proof", open);
    rows.atMost("worst distance to CBC's optimum, points", proven > 0 ? worst : kNotMeasured,
                0.001);
    rows.atLeast("CBC's time by ours, geometric mean", std::exp(speed.value()), 1000);
    printFigure("CBC's time by ours until the best plan", std::exp(lastSpeed.value()));
    Rows{"6", "random training chains of 20 to 40 ops"}.atMost(kMeanGap, gaps.value(), 3);
}

/// Median time of one profile scan, microseconds of this thread.
double scanTime(std::size_t ops)
{
    ProfileScan scan{ops};
    const int times = static_cast<int>(200'000 / ops) + 1;
    std::vector<Span> spans;
    for (int round = 0; round < kRounds; ++round) {
        const Span begin = now();
        for (int time = 0; time < times; ++time)
            benchmark::DoNotOptimize(scan.run());
        const Span span = now() - begin;
        spans.push_back({span.wall / times, span.processor / times});
    }
    return quantile(spans, 0.5).processor;
}

void planted()
{
    for (const std::size_t ops : {300U, 600U, 1200U}) {
        const Rows rows{"4", fmt::format("planted in layered graphs of {} ops", ops)};
        Mean share;
        double worst = -100;
        double scans = 0;
        double whole = 0;
        int missing = 0;
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            tests::Random random{seed};
            const RematProblem problem = tests::randomLayered(random, tests::layeredShape(ops));
            const tests::Planted hidden = tests::plantPlan(problem, random, 400);
            const double scan = scanTime(ops);
            const Solved ours = solve(problem, hidden.figures.peak, hidden.figures.time);
            scans = std::max(scans, ours.wanted.processor / scan);
            whole = std::max(whole, ours.span.processor / scan);
            if (!ours.answer.best) {
                ++missing;
                continue;
            }
            const double excess = ours.answer.best->figures.time - hidden.figures.time;
            worst = std::max(worst, pointsOf(problem, excess));
            share.add((ours.answer.best->figures.time - ours.answer.base.time)
                      / (hidden.figures.time - ours.answer.base.time));
        }
        rows.atMost("without a plan, seeds 0 to 3", missing, 0);
        rows.atMost("worst excess over the planted plan, points", worst, 0);
        rows.atMost("mean share of the planted repetitions", share.value(), 1);
        rows.atMost("until as fast as planted, most profile scans", scans, 100'000);
        printFigure(fmt::format("{} ops: whole search, profile scans", ops), whole);
    }
}

/// Layered graphs of one size at some shares of their peaks.
void layered(std::size_t ops, std::uint64_t seeds, const std::vector<double>& shares)
{
    const std::string about =
        fmt::format("layered graphs, {} ops, at {}", ops, fmt::join(shares, " and "));
    Mean gaps;
    Mean added;
    int missing = 0;
    int infeasible = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        tests::Random random{seed};
        const RematProblem problem = tests::randomLayered(random, tests::layeredShape(ops));
        for (const double share : shares) {
            const Solved ours = solve(problem, tests::budgetOf(problem, share));
            if (ours.answer.status == solve::Status::Infeasible)
                ++infeasible;
            else if (!ours.answer.best)
                ++missing;
            else
                added.add(
                    pointsOf(problem, ours.answer.best->figures.time - ours.answer.base.time));
            addGap(problem, ours, gaps);
        }
    }
    const std::size_t all = seeds * shares.size();
    printFigure(fmt::format("proven infeasible, of {}", all), infeasible);
    Rows{"4", about}.atMost(fmt::format("neither plan nor proof, of {}", all), missing, 0);
    printFigure("mean added time, points", added.value());
    Rows{"6", about}.atMost(kMeanGap, gaps.value(), 3);
}

constexpr const char* kAtScale = "transformers at 0.7 of the peak";

/// One plan at 0.7 of the peak; median of the rounds, yardstick in between. Microseconds.
double coldPlan(std::size_t ops, double target)
{
    const RematProblem problem = tests::transformerStep(ops);
    const std::int64_t budget = tests::budgetOf(problem, 0.7);
    std::vector<Span> spans;
    std::vector<Span> firsts;
    std::vector<double> scans;
    const int rounds = ops > 20'000 ? 1 : kRounds;
    for (int round = 0; round < rounds; ++round) {
        scans.push_back(scanTime(problem.ops.size()));
        const Solved ours = solve(problem, budget);
        if (!ours.answer.best)
            fault(fmt::format("no plan for {} ops at 0.7 of the peak", ops));
        spans.push_back(ours.span);
        firsts.push_back(ours.first);
    }
    std::sort(scans.begin(), scans.end());
    const double scan = scans[scans.size() / 2];
    const double time = quantile(spans, 0.5).processor;
    printFigure(fmt::format("{} ops: milliseconds", ops), time / 1e3);
    printFigure(fmt::format("{} ops: first plan, profile scans", ops),
                quantile(firsts, 0.5).processor / scan);
    if (target > 0)
        Rows{"5", kAtScale}.atMost(fmt::format("{} ops, profile scans", ops), time / scan, target);
    else
        printFigure(fmt::format("{} ops: whole search, profile scans", ops), time / scan);
    return time;
}

void frontier(double coldTime)
{
    const RematProblem problem = tests::transformerStep(10'000);
    std::vector<std::int64_t> budgets;
    for (int point = 0; point < 64; ++point)
        budgets.push_back(tests::budgetOf(problem, 1 - 0.7 * (point + 1) / 64.0));
    const Span begin = now();
    const auto points = solve::rematFrontier(problem, budgets, {});
    const double time = (now() - begin).processor;
    if (!points) {
        fault(points.error().message);
        return;
    }
    int found = 0;
    double last = 0;
    for (std::size_t index = 0; index < budgets.size(); ++index)
        if (const auto& point = (*points)[index]) {
            ++found;
            const auto figures = solve::simulate(problem, point->plan);
            if (!figures || figures->peak > budgets[index])
                fault(fmt::format("a plan of the frontier for {} bytes", budgets[index]));
            if (point->figures.time < last)
                fault("a smaller budget with a faster plan");
            last = point->figures.time;
        }
    printFigure("10000 ops, 64 budgets down to 0.3 of the peak: plans", found);
    Rows{"5", "frontier of 64 budgets, 10000 ops"}.atMost("by cold plans", time / coldTime, 20);
}

void atScale()
{
    const double small = coldPlan(1000, 0);
    const double large = coldPlan(10'000, 4000);
    Rows{"5", kAtScale}.atMost("time(10k) / time(1k)", large / small, 15);
    coldPlan(100'000, 8500);
    frontier(large);
}

/// The distance between bound and plan at tight budgets.
void gapsByBudget()
{
    for (const double share : {0.9, 0.8, 0.7, 0.6, 0.5, 0.3}) {
        Mean chains;
        Mean graphs;
        Mean steps;
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            tests::Random random{seed};
            const auto add = [share](const RematProblem& problem, Mean& gaps) {
                addGap(problem, solve(problem, tests::budgetOf(problem, share)), gaps);
            };
            add(tests::randomTrainingChain(random, 40), chains);
            add(tests::randomLayered(random, tests::layeredShape(100)), graphs);
            if (seed == 0)
                add(tests::transformerStep(1000), steps);
        }
        const auto row = [share](const char* name, const Mean& gaps) {
            if (gaps.count > 0)
                Rows{"6", fmt::format("{} at {}, {} plans", name, share, gaps.count)}.atMost(
                    kMeanGap, gaps.value(), 3);
        };
        row("chains of 40 ops", chains);
        row("layered graphs of 100 ops", graphs);
        row("transformer of 1000 ops", steps);
    }
}

void bounds()
{
    fmt::print("bounds: synthetic transformers at 0.7 of the peak\n");
    for (const std::size_t ops : {1000U, 10'000U, 100'000U}) {
        const RematProblem problem = tests::transformerStep(ops);
        const std::int64_t budget = tests::budgetOf(problem, 0.7);
        const double scan = scanTime(problem.ops.size());
        const Span begin = now();
        const solve::RematBounds parts{problem};
        const double cut = parts.dearestCut(budget).recomputeTime;
        const Span afterCut = now();
        const double best = parts.lagrangian(budget).recomputeTime;
        const Span end = now();
        printFigure(fmt::format("{} ops: knapsack, profile scans", ops),
                    (afterCut - begin).processor / scan);
        printFigure(fmt::format("{} ops: Lagrangian, profile scans", ops),
                    (end - afterCut).processor / scan);
        printFigure(fmt::format("{} ops: knapsack, points", ops), pointsOf(problem, cut));
        printFigure(fmt::format("{} ops: Lagrangian, points", ops), pointsOf(problem, best));
    }
}

} // namespace

int main()
{
    againstCbc();
    planted();
    layered(250, 10, {0.9, 0.8});
    layered(500, 3, {0.6});
    gapsByBudget();
    atScale();
    bounds();
    Rows{"6", "all of these problems"}.atMost("wrong plans and bounds", faults, 0);
    return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
