// SPDX-License-Identifier: Apache-2.0
#include "core/compare/two_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace plimsoll::compare {

namespace {

using Peaks = std::array<std::optional<std::int64_t>, graph::kPhaseCount>;

/// The peak during a phase.
Peaks peaksOf(const PredictedStep& step)
{
    Peaks peaks;
    const plan::Schedule& schedule = *step.evaluation->schedule;
    for (std::size_t at = 0; at < schedule.steps.size(); ++at) {
        const graph::Phase phase = schedule.phaseAt(*step.problem.step(), at);
        std::optional<std::int64_t>& peak = peaks.at(static_cast<std::size_t>(phase));
        peak = std::max(peak.value_or(0), step.evaluation->timeline->totalAt(at).count());
    }
    return peaks;
}

std::string executionAt(const PredictedStep& step, std::size_t at)
{
    const std::vector<plan::Step>& steps = step.evaluation->schedule->steps;
    if (at >= steps.size())
        return "nothing";
    const graph::Program& program = *step.problem.step();
    return program.label(program.op(steps[at].op)) + (steps[at].region >= 0 ? ", recomputed" : "");
}

std::optional<OtherOp> firstOtherOp(const PredictedStep& first, const PredictedStep& second)
{
    const std::size_t count = std::max(first.evaluation->schedule->steps.size(),
                                       second.evaluation->schedule->steps.size());
    for (std::size_t at = 0; at < count; ++at) {
        std::string one = executionAt(first, at);
        std::string other = executionAt(second, at);
        if (one != other)
            return OtherOp{at, std::move(one), std::move(other)};
    }
    return std::nullopt;
}

void collect(const std::vector<plan::Region>& regions, std::size_t depth,
             std::vector<Decision>& found)
{
    for (const plan::Region& region : regions) {
        found.push_back({region.first, region.last, depth, region.save});
        collect(region.nested, depth + 1, found);
    }
}

std::vector<Decision> decisionsOf(const plan::Plan& plan)
{
    std::vector<Decision> found;
    collect(plan.regions(), 0, found);
    for (const plan::RecomputeStep& row : plan.recomputeSteps())
        found.push_back({row.before, row.before, 0, row.ops});
    std::ranges::sort(found);
    return found;
}

std::vector<Decision> without(const std::vector<Decision>& all, const std::vector<Decision>& others)
{
    std::vector<Decision> left;
    std::set_difference(all.begin(), all.end(), others.begin(), others.end(),
                        std::back_inserter(left));
    return left;
}

} // namespace

StepDifference compareSteps(const PredictedStep& first, const PredictedStep& second)
{
    StepDifference difference;
    const plan::Evaluation& one = *first.evaluation;
    const plan::Evaluation& other = *second.evaluation;
    difference.pairs.push_back({"peak", Unit::Bytes, one.peak.count(), other.peak.count()});
    const Peaks peaks = peaksOf(first);
    const Peaks otherPeaks = peaksOf(second);
    for (std::size_t phase = 0; phase < graph::kPhaseCount; ++phase)
        difference.pairs.push_back(
            {fmt::format("peak_{}", graph::phaseName(static_cast<graph::Phase>(phase))),
             Unit::Bytes, peaks.at(phase), otherPeaks.at(phase)});
    difference.pairs.push_back(
        {"step_time", Unit::Nanoseconds, one.stepTime.count(), other.stepTime.count()});
    difference.pairs.push_back({"recompute_time", Unit::Nanoseconds, one.recomputeTime.count(),
                                other.recomputeTime.count()});
    difference.op = firstOtherOp(first, second);
    const std::vector<Decision> decisions = decisionsOf(first.plan);
    const std::vector<Decision> otherDecisions = decisionsOf(second.plan);
    difference.onlyFirst = without(decisions, otherDecisions);
    difference.onlySecond = without(otherDecisions, decisions);
    return difference;
}

} // namespace plimsoll::compare
