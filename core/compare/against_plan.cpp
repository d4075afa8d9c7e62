// SPDX-License-Identifier: Apache-2.0
#include "core/compare/against_plan.h"

#include "core/base/format.h"
#include "core/base/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace plimsoll::compare {

namespace {

using base::Bytes;

constexpr std::int64_t kTolerated = 100; ///< relative difference allowed: 1 %

/// A row determined by the sizes of the step, not by the allocator.
struct Telling
{
    const char* row;
    const char* begin; ///< of the sentence about it
};
/// The last two depend on the allocator's rounding, so they only count if the first is unavailable.
constexpr std::array<Telling, 3> kTelling{{{"saved", "Autograd saves"},
                                           {"resident", "Before the step there are"},
                                           {"live_peak", "At most there are"}}};

std::optional<std::int64_t> countOf(const std::optional<Bytes>& bytes)
{
    return bytes ? std::optional{bytes->count()} : std::nullopt;
}

/// The bytes allocated before the step.
Bytes residentOf(const plan::Problem& problem)
{
    Bytes sum;
    for (const graph::Storage& storage : problem.step()->storages)
        if (storage.alloc == graph::kBeforeStep)
            sum += graph::rounded(storage.bytes, problem.rounding);
    return sum;
}

/// The most that the values of the step take, without what kernels take for themselves: a recorder
/// of ops doesn't see that.
Bytes peakOfValues(const plan::Problem& problem, const plan::Evaluation& evaluation)
{
    const graph::Program& program = *problem.step();
    std::vector<Bytes> scratch(program.ops.size());
    for (const graph::Storage& storage : program.storages)
        if (storage.isScratch())
            scratch[static_cast<std::size_t>(storage.alloc)] +=
                graph::rounded(storage.bytes, problem.rounding);
    Bytes peak;
    const std::vector<plan::Step>& steps = evaluation.schedule->steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
        peak = std::max(peak, evaluation.timeline->totalAt(i) - scratch[steps[i].op.index()]);
    return peak;
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
    return {
        {"allocator_peak", Unit::Bytes, peak, countOf(run.allocatorPeak)},
        {"live_peak", Unit::Bytes, peakOfValues(problem, evaluation).count(),
         countOf(run.livePeak)},
        {"resident", Unit::Bytes, residentOf(problem).count(), run.resident.count()},
        {"saved", Unit::Bytes, countOf(evaluation.schedule->saved), countOf(run.saved)},
        {"reserved_peak", Unit::Bytes, std::nullopt, countOf(run.reservedPeak)},
        {"step_time", Unit::Nanoseconds, evaluation.stepTime.count(),
         run.stepTime ? std::optional{run.stepTime->count()} : std::nullopt},
        {"time_of_ops", Unit::Nanoseconds, evaluation.stepTime.count(), timeOfOps(run)},
    };
}

std::string stepText(const std::string& target, bool recomputed)
{
    return recomputed ? "recomputed " + target : target;
}

std::vector<Gap> largestGaps(const std::vector<std::optional<Bytes>>& curve,
                             const timeline::Timeline& predicted, std::size_t count)
{
    std::vector<Gap> gaps;
    for (std::size_t i = 0; i < curve.size(); ++i)
        if (curve[i] && *curve[i] != predicted.totalAt(i))
            gaps.push_back({i, predicted.totalAt(i), *curve[i]});
    std::ranges::stable_sort(gaps, [](const Gap& a, const Gap& b) {
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

std::string otherOps(const MeasuredRun& run, const graph::Program& program,
                     const plan::Schedule& schedule)
{
    const auto isRecomputed = [&](const plan::Step& step) {
        return step.region >= 0 || program.op(step.op).recomputeOf;
    };
    const std::size_t count = std::max(run.ops.size(), schedule.steps.size());
    for (std::size_t i = 0; i < count; ++i) {
        const MeasuredOp* ran = i < run.ops.size() ? &run.ops[i] : nullptr;
        const plan::Step* step = i < schedule.steps.size() ? &schedule.steps[i] : nullptr;
        if (ran != nullptr && step != nullptr && ran->recomputeOf.has_value() == isRecomputed(*step)
            && run.targets[ran->target] == program.targetOf(program.op(step->op)))
            continue;
        const std::string measured =
            ran == nullptr ? "nothing"
                           : stepText(run.targets[ran->target], ran->recomputeOf.has_value());
        const std::string predicted =
            step == nullptr ? "nothing"
                            : stepText(program.targetOf(program.op(step->op)), isRecomputed(*step));
        return fmt::format("Execution {} of the step is {} in the measurement, but {} was "
                           "predicted: the curves can't be laid over each other.",
                           i, base::printable(measured, 80), base::printable(predicted, 80));
    }
    return {};
}

std::string foreignSentence(const MeasuredRun& run, const Comparison& comparison)
{
    if (!comparison.otherOps.empty())
        return comparison.otherOps;
    for (const Telling& telling : kTelling) {
        const auto row = std::ranges::find_if(
            comparison.rows, [&](const Row& each) { return each.name == telling.row; });
        if (row == comparison.rows.end() || !row->difference() || *row->predicted == 0)
            continue;
        if (std::llabs(*row->difference()) > *row->predicted / kTolerated)
            return fmt::format("{} {} in the measurement, but {} was predicted: it belongs to "
                               "another batch or model{}.",
                               telling.begin, base::exactBytesText(Bytes{*row->measured}),
                               base::exactBytesText(Bytes{*row->predicted}),
                               run.plan ? ", or plan" : "");
        if (&telling == &kTelling.front())
            return {};
    }
    return {};
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
    comparison.otherOps = otherOps(run, *problem.step(), *evaluation.schedule);
    if (!comparison.otherOps.empty())
        return comparison;
    comparison.curve.reserve(run.ops.size());
    for (const MeasuredOp& op : run.ops)
        comparison.curve.push_back(run.allocatorPeak ? op.allocator : op.live);
    comparison.gaps = largestGaps(comparison.curve, *evaluation.timeline, gaps);
    return comparison;
}

} // namespace plimsoll::compare
