// SPDX-License-Identifier: Apache-2.0
#include "core/compare/against_plan.h"

#include "core/base/format.h"
#include "core/base/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace plimsoll::compare {

namespace {

using base::Bytes;

std::optional<std::int64_t> countOf(const std::optional<Bytes>& bytes)
{
    return bytes ? std::optional{bytes->count()} : std::nullopt;
}

/// What is there before the step.
Bytes residentOf(const plan::Problem& problem)
{
    Bytes sum;
    for (const graph::Storage& storage : problem.program->storages)
        if (storage.alloc == graph::kBeforeStep)
            sum += graph::rounded(storage.bytes, problem.rounding);
    return sum;
}

std::optional<std::int64_t> timeOfOps(const MeasuredRun& run)
{
    std::int64_t sum = 0;
    bool any = false;
    for (const MeasuredOp& op : run.ops) {
        sum = std::min(sum + op.time.value_or(base::Nanoseconds{}).count(), base::kHuge / 2);
        any = any || op.time.has_value();
    }
    return any ? std::optional{sum} : std::nullopt;
}

std::vector<Row> rowsOf(const MeasuredRun& run, const plan::Problem& problem,
                        const plan::Evaluation& evaluation)
{
    const std::int64_t peak = evaluation.peak.count();
    const bool planned = run.plan.has_value();
    return {
        {"allocator_peak", Unit::Bytes, peak, countOf(run.allocatorPeak)},
        {"live_peak", Unit::Bytes, peak, countOf(run.livePeak)},
        {"resident", Unit::Bytes, residentOf(problem).count(), run.resident.count()},
        {"saved", Unit::Bytes,
         planned ? std::nullopt : std::optional{problem.program->checks.savedBytes.count()},
         countOf(run.saved)},
        {"reserved_peak", Unit::Bytes, std::nullopt, countOf(run.reservedPeak)},
        {"step_time", Unit::Nanoseconds, evaluation.stepTime.count(), run.stepTime.count()},
        {"time_of_ops", Unit::Nanoseconds, evaluation.stepTime.count(), timeOfOps(run)},
    };
}

std::string stepText(const std::string& target, bool recomputed)
{
    return recomputed ? target + " again" : target;
}

/// Where two sequences of ops part; empty: nowhere.
std::string otherOps(const MeasuredRun& run, const graph::Program& program,
                     const plan::Schedule& schedule)
{
    const std::size_t count = std::max(run.ops.size(), schedule.steps.size());
    for (std::size_t i = 0; i < count; ++i) {
        std::string predicted = "nothing";
        std::string measured = "nothing";
        if (i < schedule.steps.size()) {
            const plan::Step& step = schedule.steps[i];
            const graph::Op& op = program.op(step.op);
            predicted = stepText(program.targetOf(op), step.region >= 0 || op.recomputeOf);
        }
        if (i < run.ops.size())
            measured = stepText(run.targets[run.ops[i].target], run.ops[i].recomputeOf.has_value());
        if (predicted != measured)
            return fmt::format("Execution {} of the step is {} in the measurement, but {} was "
                               "predicted: the curves can't be laid over each other.",
                               i, base::printable(measured, 80), base::printable(predicted, 80));
    }
    return {};
}

std::vector<Gap> largestGaps(const std::vector<std::optional<Bytes>>& curve,
                             const timeline::Timeline& predicted, std::size_t count)
{
    std::vector<Gap> gaps;
    for (std::size_t i = 0; i < curve.size(); ++i)
        if (curve[i] && *curve[i] != predicted.totalAt(i))
            gaps.push_back({i, predicted.totalAt(i), *curve[i]});
    std::stable_sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) {
        return std::llabs((a.measured - a.predicted).count())
               > std::llabs((b.measured - b.predicted).count());
    });
    gaps.resize(std::min(gaps.size(), count));
    return gaps;
}

} // namespace

std::optional<std::int64_t> Row::difference() const
{
    return predicted && measured ? std::optional{*measured - *predicted} : std::nullopt;
}

graph::Rounding roundingOf(Backend backend)
{
    return backend == Backend::Cuda ? graph::Rounding::Cuda512 : graph::Rounding::Exact;
}

Comparison compareRun(const MeasuredRun& run, const plan::Problem& problem,
                      const plan::Evaluation& evaluation, std::size_t gaps)
{
    Comparison comparison;
    comparison.rows = rowsOf(run, problem, evaluation);
    comparison.opsKnown = !run.ops.empty();
    if (!comparison.opsKnown)
        return comparison;
    comparison.otherOps = otherOps(run, *problem.program, *evaluation.schedule);
    if (!comparison.otherOps.empty())
        return comparison;
    comparison.curve.reserve(run.ops.size());
    for (const MeasuredOp& op : run.ops)
        comparison.curve.push_back(run.allocatorPeak ? op.allocator : op.live);
    comparison.gaps = largestGaps(comparison.curve, *evaluation.timeline, gaps);
    return comparison;
}

} // namespace plimsoll::compare
