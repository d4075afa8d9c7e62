// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/waterfall.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/waterfall/agreement.h"
#include "core/waterfall/device_levels.h"
#include "core/waterfall/lifetimes.h"
#include "core/waterfall/match_step.h"
#include "core/waterfall/measured_place.h"
#include "core/waterfall/peak_parts.h"
#include "core/waterfall/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::waterfall {

namespace {

constexpr std::int64_t kUsualPerMille = 900; ///< below, the notes tell it

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
    ASSIGN_OR_RETURN(const MeasuredStep step,
                     measuredStep(*measured.trace, device, problem.step()->header.microSteps > 1));
    auto waterfall = std::make_shared<Waterfall>();
    waterfall->predicted = predictedStep(problem, plan, device);
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
    if (const Lifetimes lifetimes = compareLifetimes(waterfall->predicted, waterfall->match, step);
        lifetimes.areOfAnotherPlan())
        waterfall->notes.push_back(otherPlanText(lifetimes, plan));
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
