// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/waterfall.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/memtrace/summary.h"
#include "core/waterfall/device_levels.h"
#include "core/waterfall/match_step.h"
#include "core/waterfall/measured_place.h"
#include "core/waterfall/peak_parts.h"
#include "core/waterfall/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::waterfall {

namespace {

/// Below this, a recording is one of another step; below the second, the notes tell it.
constexpr std::int64_t kLeastPerMille = 500;
constexpr std::int64_t kUsualPerMille = 900;
/// Profilers record blocks as the allocator rounds them, snapshots what was requested.
graph::Rounding roundingOf(const MeasuredStep& measured)
{
    const auto& bytes = measured.device.allocations().bytes;
    const auto block = graph::blockBytes(graph::Rounding::Cuda512);
    return std::ranges::all_of(bytes, [&](std::int64_t each) { return each % block == 0; })
               ? graph::Rounding::Cuda512
               : graph::Rounding::Exact;
}

compare::PredictedStep predictedStep(const plan::Problem& problem, const plan::Plan& plan,
                                     graph::Rounding rounding)
{
    compare::PredictedStep step{problem, plan, nullptr};
    step.problem.rounding = rounding;
    step.problem.reserve = {};
    step.evaluation = plan::evaluate(step.problem, step.plan);
    return step;
}

/// Where the two orders part for the first time: ", and the first that isn't there is …".
std::string firstDifference(const compare::PredictedStep& step, const StepMatch& match,
                            const MeasuredStep& measured)
{
    std::size_t at = 0;
    while (at < match.inOrder.size() && match.inOrder[at].first == at)
        ++at;
    if (at >= match.predicted.size())
        return {};
    const std::uint32_t instance = match.predicted[at];
    const plan::Instance& lacking = step.evaluation->schedule->instances[instance];
    std::string text = fmt::format(", and the first that isn't there is {} of {}",
                                   base::exactBytesText(instanceBytes(step, instance)),
                                   placeText(step, static_cast<std::size_t>(lacking.alloc)));
    const std::size_t other = at == 0 ? 0 : match.inOrder[at - 1].second + std::size_t{1};
    if (other >= match.measured.size())
        return text;
    const base::Bytes there{measured.device.allocations().bytes[match.measured[other]]};
    return text
           + (there == instanceBytes(step, instance)
                  ? std::string{", where a block of that size lives otherwise"}
                  : fmt::format(", where {} were allocated", base::exactBytesText(there)));
}

std::int64_t foundPerMille(const StepMatch& match)
{
    return match.predicted.empty()
               ? 1000
               : static_cast<std::int64_t>(match.found() * 1000 / match.predicted.size());
}

/// How many bytes of what forward allocates were found. Sizes in backward and in the optimizer are
/// mostly those of parameters, which are the same for any batch.
std::int64_t forwardPerMille(const compare::PredictedStep& step, const StepMatch& match)
{
    const plan::Schedule& schedule = *step.evaluation->schedule;
    std::int64_t all = 0;
    std::int64_t found = 0;
    for (const std::uint32_t instance : match.predicted) {
        const auto at = static_cast<std::size_t>(schedule.instances[instance].alloc);
        const graph::Phase phase = step.problem.step()->op(schedule.steps[at].op).phase;
        if (schedule.steps[at].region >= 0
            || (phase != graph::Phase::Forward && phase != graph::Phase::Loss))
            continue;
        const std::int64_t bytes = instanceBytes(step, instance).count();
        all += bytes;
        found += match.allocationOf[instance] == memtrace::kNone ? 0 : bytes;
    }
    const double share = all == 0 ? 1 : static_cast<double>(found) / static_cast<double>(all);
    return static_cast<std::int64_t>(1000 * share);
}

base::Result<void> checkStep(const compare::PredictedStep& step, const StepMatch& match,
                             const MeasuredStep& measured)
{
    const std::int64_t forward = forwardPerMille(step, match);
    if (std::min(foundPerMille(match), forward) >= kLeastPerMille)
        return {};
    if (measured.trace.isOfDriver())
        return base::failure(base::ErrorKind::File,
                             "The recording has the driver's blocks, as a capture does, not "
                             "tensors: compare the snapshot of the same run.");
    return base::failure(
        base::ErrorKind::File,
        fmt::format("The recording is one of another model, batch or plan: {} of {} predicted "
                    "allocations are in {}, with {} % of the bytes of forward{}.",
                    match.found(), match.predicted.size(), measured.window.text(), forward / 10,
                    firstDifference(step, match, measured)));
}

/// Adds the rows of the levels that are known.
void addRows(Waterfall& waterfall, PeakParts& parts, const ReasonFacts& facts)
{
    using enum Reason;
    base::Bytes explained = waterfall.predictedPeak;
    for (std::size_t i = 0; i < static_cast<std::size_t>(NotExplained); ++i)
        explained += parts.rows.at(i).bytes;
    parts.row(NotExplained).bytes = waterfall.measuredPeak - explained;
    std::array<bool, kReasonCount> isKnown{};
    isKnown.fill(true);
    const auto know = [&](Reason reason, const std::optional<base::Bytes>& level,
                          const std::optional<base::Bytes>& below) {
        isKnown.at(static_cast<std::size_t>(reason)) = level && below;
        if (level && below)
            parts.row(reason).bytes = *level - *below;
    };
    know(Rounding, waterfall.allocatedPeak, waterfall.measuredPeak);
    know(Fragmentation, waterfall.reservedPeak, waterfall.allocatedPeak);
    know(Foreign, waterfall.driverPeak, waterfall.reservedPeak);
    for (std::size_t i = 0; i < kReasonCount; ++i) {
        if (!isKnown.at(i))
            continue;
        waterfall.rows.push_back(std::move(parts.rows.at(i)));
        waterfall.rows.back().text = reasonText(waterfall.rows.back(), facts);
    }
}

} // namespace

const WaterfallRow& Waterfall::row(Reason reason) const
{
    return *std::ranges::find(rows, reason, &WaterfallRow::reason);
}

bool Waterfall::has(Reason reason) const
{
    return std::ranges::find(rows, reason, &WaterfallRow::reason) != rows.end();
}

base::Result<WaterfallPtr> buildWaterfall(const plan::Problem& problem, const plan::Plan& plan,
                                          const Measured& measured, const base::JobContext& job)
{
    const memtrace::DeviceTrace& device = measured.trace->devices()[measured.device];
    const MeasuredStep step =
        measuredStep(*measured.trace, device, problem.step()->header.microSteps > 1);
    auto waterfall = std::make_shared<Waterfall>();
    waterfall->predicted = predictedStep(problem, plan, roundingOf(step));
    waterfall->window = step.window;
    waterfall->match = matchStep(waterfall->predicted, step);
    job.report(1, 3);
    RETURN_IF_ERROR(checkStep(waterfall->predicted, waterfall->match, step));
    ASSIGN_OR_RETURN(const AllocatorLevels levels, allocatorLevels(step, job.piece(1, 3)));
    waterfall->predictedPeak = waterfall->predicted.evaluation->peak;
    waterfall->measuredPeak = step.peak;
    waterfall->peakEvent = step.peakEvent;
    waterfall->place = placeOfPeak(waterfall->predicted, waterfall->match, step);
    waterfall->allocatedPeak = levels.allocated;
    waterfall->isAllocatedEstimated = !levels.doubt.empty();
    waterfall->reservedPeak = levels.reserved;
    waterfall->driverPeak = levels.driver;
    PeakParts parts = peakParts(waterfall->predicted, waterfall->match, step, waterfall->place);
    std::vector<std::uint32_t> workspaces;
    for (const Reason reason : {Reason::Workspaces, Reason::KernelScratch})
        std::ranges::copy(parts.row(reason).allocations, std::back_inserter(workspaces));
    std::ranges::sort(workspaces);
    waterfall->classes = classBytes(waterfall->predicted, waterfall->match, step, workspaces);
    waterfall->phases = phaseBytes(waterfall->predicted, waterfall->match, step);
    addRows(*waterfall, parts,
            {waterfall->predicted, step, waterfall->place, parts.byFrames, !levels.doubt.empty()});
    if (foundPerMille(waterfall->match) < kUsualPerMille)
        waterfall->notes.push_back(fmt::format(
            "Only {} of {} were found by order and size: the recording may be one of another plan, "
            "or PyTorch took other kernels.",
            waterfall->match.found(),
            base::counted(waterfall->match.predicted.size(), "predicted allocation")));
    if (!levels.doubt.empty())
        waterfall->notes.push_back(levels.doubt);
    if (step.window.from == StepFrom::Recording)
        waterfall->notes.emplace_back(
            "The recording's steps can't be told apart, by annotations or "
            "by stacks, so all of it is compared.");
    job.report(3, 3);
    return WaterfallPtr{std::move(waterfall)};
}

} // namespace plimsoll::waterfall
