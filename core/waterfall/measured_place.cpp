// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/measured_place.h"

#include <algorithm>

namespace plimsoll::waterfall {

namespace {

using memtrace::EventIndex;
using memtrace::kNone;

EventIndex eventOf(const StepMatch& match, const MeasuredStep& measured, std::size_t pair)
{
    return measured.device.allocations().allocEvent[match.measured[match.inOrder[pair].second]];
}

/// The step that allocates the predicted side of a pair.
std::int64_t stepOfPair(const compare::PredictedStep& step, const StepMatch& match,
                        std::size_t pair)
{
    return step.evaluation->schedule->instances[match.predicted[match.inOrder[pair].first]].alloc;
}

/// By step from `first` to `last`: bytes of matched memory that are live on one side only.
std::vector<std::int64_t> differences(const compare::PredictedStep& step, const StepMatch& match,
                                      const MeasuredStep& measured, std::int64_t first,
                                      std::int64_t last)
{
    std::vector<std::int64_t> change(static_cast<std::size_t>(last - first) + 2);
    const std::vector<plan::Instance>& instances = step.evaluation->schedule->instances;
    const memtrace::Allocations& all = measured.device.allocations();
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const std::uint32_t allocation = match.allocationOf[i];
        if (allocation == kNone)
            continue;
        const EventIndex event = all.allocEvent[allocation];
        if (event != memtrace::kNoEvent && event > measured.peakEvent)
            continue; // not there yet, which is no difference
        const std::int64_t bytes = instanceBytes(step, i).count();
        const bool isLive = measured.isLive(allocation);
        change.front() += isLive ? bytes : 0;
        const std::int64_t from = std::max<std::int64_t>(instances[i].alloc, first);
        const std::int64_t to = std::min<std::int64_t>(instances[i].free, last);
        if (from > to)
            continue;
        const std::int64_t whileLive = isLive ? -bytes : bytes;
        change[static_cast<std::size_t>(from - first)] += whileLive;
        change[static_cast<std::size_t>(to - first) + 1] -= whileLive;
    }
    return change;
}

} // namespace

MatchedNeighbours neighboursOf(const StepMatch& match, const MeasuredStep& measured,
                               EventIndex event)
{
    const auto after = std::ranges::partition_point(match.inOrder, [&](const auto& pair) {
        return measured.device.allocations().allocEvent[match.measured[pair.second]] <= event;
    });
    const auto at = static_cast<std::size_t>(after - match.inOrder.begin());
    MatchedNeighbours neighbours;
    if (at > 0)
        neighbours.before = at - 1;
    if (at < match.inOrder.size())
        neighbours.after = at;
    return neighbours;
}

std::size_t placeOfPeak(const compare::PredictedStep& step, const StepMatch& match,
                        const MeasuredStep& measured)
{
    const auto steps = static_cast<std::int64_t>(step.evaluation->schedule->steps.size());
    if (steps == 0)
        return 0;
    const auto [before, after] = neighboursOf(match, measured, measured.peakEvent);
    const std::int64_t first = before ? stepOfPair(step, match, *before) : 0;
    if (before && eventOf(match, measured, *before) == measured.peakEvent)
        return static_cast<std::size_t>(first);
    const std::int64_t last = after ? stepOfPair(step, match, *after) : steps - 1;
    const std::vector<std::int64_t> change = differences(step, match, measured, first, last);
    std::int64_t sum = 0;
    std::int64_t least = 0;
    std::int64_t place = first;
    for (std::int64_t at = first; at <= last; ++at) {
        sum += change[static_cast<std::size_t>(at - first)];
        if (at == first || sum < least) {
            least = sum;
            place = at;
        }
    }
    return static_cast<std::size_t>(place);
}

std::vector<graph::Phase> phasesOfEvents(const compare::PredictedStep& step, const StepMatch& match,
                                         const MeasuredStep& measured)
{
    std::vector<graph::Phase> phases;
    graph::Phase phase = graph::Phase::Forward;
    std::size_t next = 0;
    const plan::Schedule& schedule = *step.evaluation->schedule;
    for (EventIndex event = measured.window.begin; event < measured.window.end; ++event) {
        for (; next < match.inOrder.size() && eventOf(match, measured, next) <= event; ++next)
            phase = schedule.phaseAt(*step.problem.step(),
                                     static_cast<std::size_t>(stepOfPair(step, match, next)));
        phases.push_back(phase);
    }
    return phases;
}

} // namespace plimsoll::waterfall
