// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/curves.h"

#include "core/timeline/builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plimsoll::waterfall {

namespace {

/// Where each step of a side begins, and the end of the last one.
using Positions = std::vector<std::int64_t>;

/// As times, or counted where there are none.
Positions predictedPositions(const timeline::Timeline& timeline)
{
    Positions positions;
    for (std::size_t step = 0; step <= timeline.stepCount(); ++step)
        positions.push_back(timeline.timeAt(step).count());
    if (positions.back() == positions.front())
        std::iota(positions.begin(), positions.end(), std::int64_t{0});
    return positions;
}

/// Appends the positions of events up to `end`, evenly from the last one on.
void spread(Positions& positions, std::size_t end, std::int64_t from, std::int64_t to)
{
    const std::size_t begin = positions.size();
    for (std::size_t event = begin; event < end; ++event) {
        const double share = static_cast<double>(event - begin) / static_cast<double>(end - begin);
        positions.push_back(from
                            + static_cast<std::int64_t>(share * static_cast<double>(to - from)));
    }
}

Positions measuredPositions(const Waterfall& waterfall, const memtrace::DeviceTrace& device,
                            const Positions& predicted)
{
    const StepMatch& match = waterfall.match;
    const std::vector<plan::Instance>& instances =
        waterfall.predicted.evaluation->schedule->instances;
    Positions positions;
    std::int64_t last = predicted.front();
    for (const auto& [at, other] : match.inOrder) {
        const std::int64_t position =
            predicted[static_cast<std::size_t>(instances[match.predicted[at]].alloc)];
        const memtrace::EventIndex event = device.allocations().allocEvent[match.measured[other]];
        spread(positions, event - waterfall.window.begin, last, position);
        last = position;
    }
    spread(positions, waterfall.window.end - waterfall.window.begin, last, predicted.back());
    positions.push_back(predicted.back());
    return positions;
}

const timeline::LayersPtr& oneLayer()
{
    static const auto kLayers = std::make_shared<const timeline::Layers>(
        timeline::Layers{{"predicted", {}, timeline::kPaleInk}});
    return kLayers;
}

/// The steps of both sides by position, predicted ones first where they meet.
timeline::Times mergeSides(const Positions& predicted, const Positions& measured,
                           AlignedCurves& curves, std::vector<std::uint32_t>& axisStep)
{
    timeline::Times times;
    std::size_t next = 0;
    std::size_t other = 0;
    const std::size_t count = predicted.size() - 1;
    const std::size_t otherCount = measured.size() - 1;
    while (next < count || other < otherCount) {
        const bool isPredicted =
            next < count && (other == otherCount || predicted[next] <= measured[other]);
        times.append(isPredicted ? predicted[next] : measured[other]);
        if (isPredicted)
            axisStep.push_back(static_cast<std::uint32_t>(curves.stepAt.size()));
        (isPredicted ? next : other) += 1;
        curves.stepAt.push_back(static_cast<std::uint32_t>(next == 0 ? 0 : next - 1));
        curves.eventAt.push_back(static_cast<std::uint32_t>(other == 0 ? 0 : other - 1));
    }
    times.append(predicted.back());
    times.compress();
    return times;
}

timeline::TimelinePtr groundOf(const timeline::Timeline& predicted, const timeline::Times& times,
                               const std::vector<std::uint32_t>& axisStep)
{
    const std::size_t steps = times.size() - 1;
    timeline::Builder builder{times, oneLayer()};
    builder.reserve(predicted.intervals().size());
    for (timeline::Interval interval : predicted.intervals()) {
        const std::size_t behind = interval.end + std::size_t{1};
        interval.begin = axisStep[interval.begin];
        interval.end =
            behind < axisStep.size() ? axisStep[behind] - 1 : static_cast<std::uint32_t>(steps - 1);
        interval.layer = 0;
        interval.lane = 0;
        builder.add(interval);
    }
    const auto firstOf = [&](std::size_t step) {
        return step < axisStep.size() ? axisStep[step] : static_cast<std::uint32_t>(steps);
    };
    for (timeline::Band band : predicted.bands()) {
        const std::size_t behind = band.end + std::size_t{1};
        band.begin = firstOf(band.begin);
        band.end = firstOf(behind) - 1;
        builder.addBand(std::move(band));
    }
    return std::move(builder).build();
}

} // namespace

AlignedCurvesPtr alignCurves(const Waterfall& waterfall, const Measured& measured)
{
    const memtrace::DeviceTrace& device = measured.trace->devices()[measured.device];
    const timeline::Timeline& predicted = *waterfall.predicted.evaluation->timeline;
    auto curves = std::make_shared<AlignedCurves>();
    curves->isTimed = predicted.duration().count() > 0;
    const Positions positions = predictedPositions(predicted);
    if (predicted.stepCount() == 0)
        return curves;
    const Positions others = measuredPositions(waterfall, device, positions);
    std::vector<std::uint32_t> axisStep;
    const timeline::Times times = mergeSides(positions, others, *curves, axisStep);
    curves->ground = groundOf(predicted, times, axisStep);
    const std::vector<std::int64_t> totals = predicted.totals();
    const std::vector<std::int64_t> live = liveInWindow(device, waterfall.window);
    for (std::size_t at = 0; at < curves->stepAt.size(); ++at) {
        curves->predicted.push_back(totals.empty() ? 0 : totals[curves->stepAt[at]]);
        curves->measured.push_back(live.empty() ? 0 : live[curves->eventAt[at]]);
        curves->eventAt[at] += waterfall.window.begin;
    }
    const auto peakOf = [](const std::vector<std::int64_t>& bytes) {
        return static_cast<std::size_t>(std::ranges::max_element(bytes) - bytes.begin());
    };
    curves->predictedPeak = peakOf(curves->predicted);
    curves->measuredPeak = peakOf(curves->measured);
    return curves;
}

} // namespace plimsoll::waterfall
