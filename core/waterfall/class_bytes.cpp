// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/class_bytes.h"

#include "core/waterfall/measured_place.h"

#include <algorithm>

namespace plimsoll::waterfall {

namespace {

using timeline::Category;

constexpr std::size_t kOthers = timeline::kCategoryCount;

/// By instance; kOthers for those that are never live.
std::vector<std::size_t> categoriesOf(const compare::PredictedStep& step)
{
    std::vector<std::size_t> categories(step.evaluation->schedule->instances.size(), kOthers);
    for (const timeline::Interval& interval : step.evaluation->timeline->intervals())
        if (interval.origin < categories.size())
            categories[interval.origin] = interval.layer;
    return categories;
}

} // namespace

std::vector<ClassBytes> classBytes(const compare::PredictedStep& step, const StepMatch& match,
                                   const MeasuredStep& measured,
                                   const std::vector<std::uint32_t>& workspaces)
{
    std::vector<ClassBytes> classes(timeline::kCategoryCount + 1);
    for (std::size_t i = 0; i < timeline::kCategoryCount; ++i)
        classes[i].category = static_cast<Category>(i);
    const timeline::Timeline& predicted = *step.evaluation->timeline;
    if (predicted.stepCount() > 0)
        for (const std::uint32_t index : predicted.aliveAt(step.evaluation->peakStep)) {
            const timeline::Interval& interval = predicted.intervals()[index];
            classes[interval.layer].predicted += interval.bytes;
        }
    const std::vector<std::size_t> categories = categoriesOf(step);
    const memtrace::Allocations& all = measured.device.allocations();
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (!measured.isLive(i))
            continue;
        const std::uint32_t instance = match.instanceOf[i];
        const bool isWorkspace = std::ranges::binary_search(workspaces, i);
        const std::size_t at = instance != memtrace::kNone ? categories[instance]
                               : isWorkspace ? static_cast<std::size_t>(Category::Workspaces)
                                             : kOthers;
        classes[at].measured += base::Bytes{all.bytes[i]};
    }
    return classes;
}

std::array<PhaseBytes, graph::kPhaseCount>
phaseBytes(const compare::PredictedStep& step, const StepMatch& match, const MeasuredStep& measured)
{
    std::array<PhaseBytes, graph::kPhaseCount> phases;
    const auto raise = [](std::optional<base::Bytes>& peak, base::Bytes bytes) {
        peak = std::max(peak.value_or(bytes), bytes);
    };
    const plan::Schedule& schedule = *step.evaluation->schedule;
    for (std::size_t at = 0; at < schedule.steps.size(); ++at)
        raise(phases.at(static_cast<std::size_t>(schedule.phaseAt(*step.problem.step(), at)))
                  .predicted,
              step.evaluation->timeline->totalAt(at));
    const std::vector<std::int64_t> live = liveInWindow(measured.device, measured.window);
    const std::vector<graph::Phase> phaseOf = phasesOfEvents(step, match, measured);
    for (std::size_t i = 0; i < live.size(); ++i)
        raise(phases.at(static_cast<std::size_t>(phaseOf[i])).measured, base::Bytes{live[i]});
    return phases;
}

} // namespace plimsoll::waterfall
