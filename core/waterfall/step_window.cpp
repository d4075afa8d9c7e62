// SPDX-License-Identifier: Apache-2.0
#include "core/waterfall/step_window.h"

#include "core/base/format.h"
#include "core/memtrace/analysis/step_phases.h"
#include "core/memtrace/comparison/phase_spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::waterfall {

namespace {

using memtrace::Action;
using memtrace::EventIndex;
using memtrace::StepPhase;

/// An optimizer may allocate nothing: then a step ends where forward follows backward. Single
/// allocations may look like the other phase; a new step has at least so many in a row.
constexpr std::size_t kLeastInRow = 8;

/// The first event that isn't before a time.
EventIndex eventFrom(const memtrace::DeviceTrace& device, base::Nanoseconds time)
{
    EventIndex first = 0;
    auto last = static_cast<EventIndex>(device.eventCount());
    while (first < last) {
        const EventIndex middle = first + (last - first) / 2;
        if (device.timeOf(middle) < time)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/// The first event from `begin` to before `end` at which an allocation fails.
std::optional<EventIndex> failureIn(const memtrace::DeviceTrace& device, EventIndex begin,
                                    EventIndex end)
{
    for (const memtrace::OutOfMemory& failure : device.outOfMemory())
        if (failure.event >= begin && failure.event < end)
            return failure.event;
    return std::nullopt;
}

/// A window that ends where an allocation fails in it.
StepWindow untilFailure(StepWindow window, const memtrace::DeviceTrace& device)
{
    if (const auto failure = failureIn(device, window.begin, window.end)) {
        window.end = *failure;
        window.isWhole = false;
    }
    return window;
}

std::vector<StepWindow> annotatedSteps(const memtrace::MemoryTrace& trace,
                                       const memtrace::DeviceTrace& device)
{
    std::vector<const memtrace::Annotation*> steps;
    for (const memtrace::Annotation& range : trace.annotations())
        if (range.device == device.ordinal() && range.depth == 0
            && memtrace::phaseKey(range.name) != range.name)
            steps.push_back(&range);
    const auto windowOf = [&](std::size_t i) {
        return untilFailure({eventFrom(device, steps[i]->begin),
                             eventFrom(device, steps[i]->end + base::Nanoseconds{1}),
                             StepFrom::Annotation, steps[i]->name, i + 1, steps.size()},
                            device);
    };
    // One that was still open when the recording ended goes to its end.
    while (steps.size() > 1 && steps.back()->end >= trace.duration()
           && windowOf(steps.size() - 1).isWhole)
        steps.pop_back();
    std::vector<StepWindow> windows;
    for (std::size_t i = 0; i < steps.size(); ++i)
        windows.push_back(windowOf(i));
    if (!windows.empty() && windows.back().begin >= windows.back().end)
        return {};
    return windows;
}

struct FoundStep
{
    EventIndex begin = 0;
    EventIndex end = 0;
    bool hasStepped = false;  ///< the optimizer allocated something
    bool hasBackward = false; ///< and backward did
};

/// Finds where steps begin, from the phases of allocations in their order.
class StepFinder
{
public:
    explicit StepFinder(bool accumulates) : m_accumulates{accumulates} {}

    void add(EventIndex event, StepPhase phase)
    {
        m_inRow = phase == m_last ? m_inRow + 1 : 1;
        if (m_inRow == 1)
            m_rowBegin = event;
        m_last = phase;
        const bool mayBegin = m_step.hasStepped || (!m_accumulates && m_inRow >= kLeastInRow);
        if (phase == StepPhase::Forward && m_step.hasBackward && mayBegin) {
            endAt(m_rowBegin);
            m_step = {m_rowBegin};
        }
        m_step.hasBackward = m_step.hasBackward || phase == StepPhase::Backward;
        m_hasPhases = m_hasPhases || phase != StepPhase::Unknown;
        m_step.hasStepped = m_step.hasStepped || phase == StepPhase::Optimizer;
    }
    /// Ends the last step, too.
    void endAt(EventIndex end)
    {
        m_step.end = end;
        if (m_hasPhases)
            m_steps.push_back(m_step);
    }
    /// In order; none in a recording that doesn't tell phases.
    [[nodiscard]] const std::vector<FoundStep>& steps() const { return m_steps; }

private:
    bool m_accumulates;
    std::vector<FoundStep> m_steps;
    FoundStep m_step;
    EventIndex m_rowBegin = 0;
    StepPhase m_last = StepPhase::Unknown;
    std::size_t m_inRow = 0;
    bool m_hasPhases = false;
};

/// Leaves out the last step if the recording ends before it does: without backward, or without an
/// optimizer that the step before has. The first step alone makes the optimizer's states. One that
/// an allocation's failure ends stays.
void leaveOutCutOff(std::vector<FoundStep>& steps, const memtrace::DeviceTrace& device)
{
    const auto isFailed = [&] {
        return failureIn(device, steps.back().begin, steps.back().end).has_value();
    };
    if (!steps.back().hasBackward && !isFailed())
        steps.pop_back();
    const std::size_t count = steps.size();
    if (count >= 3 && steps[count - 2].hasStepped && !steps[count - 1].hasStepped && !isFailed())
        steps.pop_back();
}

/// Where the first step of a recording begins, which has all that is allocated before, such as
/// parameters: with what the second one allocates first. Without a second one it begins behind what
/// is allocated before a module's forward() and outlives the step.
EventIndex firstBegin(const memtrace::MemoryTrace& trace, const memtrace::DeviceTrace& device,
                      const std::vector<StepPhase>& phases, const std::vector<FoundStep>& steps)
{
    const memtrace::Allocations& all = device.allocations();
    const std::vector<bool> ofModules = memtrace::stacksOfModules(trace.stacks());
    std::optional<std::uint32_t> secondsStack;
    if (steps.size() > 1)
        secondsStack = all.stack[device.subject(steps[1].begin)];
    EventIndex begin = steps[0].begin;
    const EventIndex end = failureIn(device, begin, steps[0].end).value_or(steps[0].end);
    bool isBeforeForward = true;
    for (EventIndex event = begin; event < end; ++event) {
        if (device.action(event) != Action::Alloc)
            continue;
        const std::uint32_t allocation = device.subject(event);
        if (phases[allocation] == StepPhase::Backward)
            break;
        if (all.stack[allocation] == secondsStack)
            return event;
        isBeforeForward = isBeforeForward && !ofModules[all.stack[allocation]];
        if (isBeforeForward && all.freeEvent[allocation] >= end)
            begin = event + 1;
    }
    return isBeforeForward ? steps[0].begin : begin;
}

std::vector<StepWindow> phasedSteps(const memtrace::MemoryTrace& trace,
                                    const memtrace::DeviceTrace& device, bool accumulates)
{
    const std::vector<StepPhase> phases = memtrace::stepPhases(trace, device);
    StepFinder finder{accumulates};
    for (EventIndex event = 0; event < device.eventCount(); ++event)
        if (device.action(event) == Action::Alloc)
            finder.add(event, phases[device.subject(event)]);
    finder.endAt(static_cast<EventIndex>(device.eventCount()));
    std::vector<FoundStep> steps = finder.steps();
    std::vector<StepWindow> windows;
    if (steps.empty())
        return windows;
    const auto withBackward = std::ranges::count(steps, true, &FoundStep::hasBackward);
    leaveOutCutOff(steps, device);
    const std::size_t count = std::max(static_cast<std::size_t>(withBackward), steps.size());
    if (!steps.empty())
        steps.front().begin = firstBegin(trace, device, phases, steps);
    for (std::size_t i = 0; i < steps.size(); ++i)
        windows.push_back(untilFailure(
            {steps[i].begin, steps[i].end, StepFrom::Phases, {}, i + 1, count}, device));
    return windows;
}

} // namespace

std::string StepWindow::text() const
{
    switch (from) {
    case StepFrom::Annotation:
        return fmt::format("the annotated range {}", base::printable(name, 60));
    case StepFrom::Phases: return fmt::format("step {} of {}", number, count);
    case StepFrom::Recording: break;
    }
    return "the whole recording";
}

std::vector<StepWindow> recordedSteps(const memtrace::MemoryTrace& trace,
                                      const memtrace::DeviceTrace& device, bool accumulates)
{
    std::vector<StepWindow> steps = annotatedSteps(trace, device);
    if (steps.empty())
        steps = phasedSteps(trace, device, accumulates);
    if (steps.empty())
        steps.push_back(untilFailure(
            {0, static_cast<EventIndex>(device.eventCount()), StepFrom::Recording, {}, 1, 1},
            device));
    return steps;
}

std::optional<StepWindow> lastWholeStep(const memtrace::MemoryTrace& trace,
                                        const memtrace::DeviceTrace& device, bool accumulates)
{
    const std::vector<StepWindow> steps = recordedSteps(trace, device, accumulates);
    const auto last = std::find_if(steps.rbegin(), steps.rend(),
                                   [](const StepWindow& step) { return step.isWhole; });
    return last == steps.rend() ? std::nullopt : std::optional{*last};
}

std::vector<std::int64_t> liveInWindow(const memtrace::DeviceTrace& device,
                                       const StepWindow& window)
{
    const memtrace::Allocations& all = device.allocations();
    std::vector<std::int64_t> change(device.stepCount() + 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
        change[device.firstStep(i)] += all.bytes[i];
        change[device.lastStep(i) + 1] -= all.bytes[i];
    }
    std::vector<std::int64_t> live;
    std::int64_t sum = 0;
    for (std::size_t step = 0; step <= window.end; ++step) {
        sum += change[step];
        if (step > window.begin)
            live.push_back(sum);
    }
    return live;
}

} // namespace plimsoll::waterfall
