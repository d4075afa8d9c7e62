// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/comparison/comparison.h"

#include "core/timeline/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::memtrace {

namespace {

const timeline::LayersPtr& groundLayers()
{
    static const auto kLayers = std::make_shared<const timeline::Layers>(
        timeline::Layers{{"live", {}, timeline::kPaleInk}});
    return kLayers;
}

timeline::Times commonPositions(const PhaseAxis& phases, std::size_t side,
                                const timeline::Times& own)
{
    timeline::Times common;
    common.reserve(own.size());
    for (std::size_t step = 0; step < own.size(); ++step)
        common.append(phases.positionOf(side, own[step]));
    common.compress();
    return common;
}

} // namespace

base::Result<ComparisonPtr> compareDevices(std::vector<ComparedDevice> devices, Axis axis,
                                           const base::JobContext& job)
{
    if (devices.empty() || devices.size() > kMostCompared)
        return base::failure(
            base::ErrorKind::Usage,
            fmt::format("Up to {} profiles can be compared at once; remove some.", kMostCompared));
    const bool haveTimes =
        std::all_of(devices.begin(), devices.end(),
                    [](const ComparedDevice& device) { return device.trace->hasTimes(); });
    if (!haveTimes)
        axis = Axis::Events;
    std::vector<std::vector<PhaseSpan>> spans;
    for (const ComparedDevice& device : devices)
        spans.push_back(phaseSpans(*device.trace, device.device(), axis));
    std::shared_ptr<Comparison> made{new Comparison{PhaseAxis{std::move(spans)}, axis}};
    const std::size_t count = devices.size();
    for (std::size_t side = 0; side < devices.size(); ++side) {
        if (job.stopRequested())
            return base::cancelled();
        job.report(side, count + 1);
        made->addSide(side, std::move(devices[side]));
    }
    if (job.stopRequested())
        return base::cancelled();
    made->buildGround();
    job.report(count + 1, count + 1);
    return ComparisonPtr{std::move(made)};
}

void Comparison::addSide(std::size_t side, ComparedDevice device)
{
    Side added{std::move(device), nullptr, {}, {}};
    const timeline::Times own = axisPositions(added.of.device(), m_axis);
    added.curve =
        buildTimeline(added.of.device(), commonPositions(m_phases, side, own), {classLayers(), {}});
    if (added.curve->stepCount() > 0) {
        const std::int64_t peak = own[added.curve->peakStep()];
        for (const PhaseSpan& span : m_phases.spansOf(side))
            if (span.begin <= peak)
                added.peakPhase = span.name;
    }
    m_sides.push_back(std::move(added));
}

/// The steps of all recordings by position, those of earlier recordings first; their times.
timeline::Times Comparison::mergeSteps()
{
    timeline::Times times;
    std::vector<std::size_t> next(m_sides.size());
    for (std::uint32_t step = 0;; ++step) {
        std::size_t first = m_sides.size();
        for (std::size_t side = 0; side < m_sides.size(); ++side) {
            const timeline::Timeline& curve = *m_sides[side].curve;
            const bool isLeft = next[side] < curve.stepCount();
            if (isLeft
                && (first == m_sides.size()
                    || curve.timeAt(next[side]) < m_sides[first].curve->timeAt(next[first])))
                first = side;
        }
        if (first == m_sides.size())
            break;
        times.append(m_sides[first].curve->timeAt(next[first]++).count());
        m_sides[first].axisStep.push_back(step);
    }
    times.append(m_phases.length());
    times.compress();
    return times;
}

void Comparison::buildGround()
{
    const timeline::Times times = mergeSteps();
    const std::size_t steps = times.size() - 1;
    timeline::Builder builder{times, groundLayers()};
    const Side& first = m_sides.front();
    const std::size_t over =
        std::min(steps, times.countUntil(first.curve->duration().count())); // its first step
    // To the last step of the axis before the recording's next one.
    const auto lastOf = [&](std::uint32_t step) {
        return step + 1 < first.axisStep.size() ? first.axisStep[step + 1] - 1
                                                : static_cast<std::uint32_t>(over) - 1;
    };
    builder.reserve(first.curve->intervals().size());
    for (timeline::Interval interval : first.curve->intervals()) {
        interval.begin = first.axisStep[interval.begin];
        interval.end = lastOf(interval.end);
        builder.add(interval);
    }
    const auto stepAt = [&](std::int64_t position) {
        return static_cast<std::uint32_t>(
            std::min(times.countUntil(position - 1), std::max<std::size_t>(steps, 1) - 1));
    };
    for (const AxisPhase& phase : m_phases.phases())
        if (!phase.name.empty()) {
            timeline::Band band;
            band.begin = stepAt(phase.begin);
            band.end = std::max(band.begin + 1, stepAt(phase.end)) - 1;
            band.label = phase.name;
            builder.addBand(std::move(band));
        }
    m_ground = std::move(builder).build();
}

std::size_t Comparison::stepOf(std::size_t side, std::size_t axisStep) const
{
    const std::vector<std::uint32_t>& steps = m_sides[side].axisStep;
    const auto behind = std::upper_bound(steps.begin(), steps.end(), axisStep);
    return behind == steps.begin() ? 0 : static_cast<std::size_t>(behind - steps.begin()) - 1;
}

base::Bytes Comparison::highestPeak() const
{
    base::Bytes highest;
    for (const Side& side : m_sides)
        highest = std::max(highest, side.curve->peak());
    return highest;
}

TraceDiff Comparison::diffOfPeaks(std::size_t a, std::size_t b, LiveBy by) const
{
    const auto sideOf = [&](std::size_t side) {
        return DiffSide{*m_sides[side].of.trace, m_sides[side].of.device(),
                        m_sides[side].curve->peakStep()};
    };
    return diffTraces(sideOf(a), sideOf(b), by);
}

} // namespace plimsoll::memtrace
