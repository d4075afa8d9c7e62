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

std::vector<StepWindow> annotatedSteps(const memtrace::MemoryTrace& trace,
                                       const memtrace::DeviceTrace& device)
{
    std::vector<const memtrace::Annotation*> steps;
    for (const memtrace::Annotation& range : trace.annotations())
        if (range.device == device.ordinal() && range.depth == 0
            && memtrace::phaseKey(range.name) != range.name)
            steps.push_back(&range);
    // One that was still open when the recording ended goes to its end.
    while (steps.size() > 1 && steps.back()->end >= trace.duration())
        steps.pop_back();
    std::vector<StepWindow> windows;
    for (std::size_t i = 0; i < steps.size(); ++i)
        windows.push_back({eventFrom(device, steps[i]->begin),
                           eventFrom(device, steps[i]->end + base::Nanoseconds{1}),
                           StepFrom::Annotation, steps[i]->name, i + 1, steps.size()});
    if (!windows.empty() && windows.back().begin >= windows.back().end)
        return {};
    return windows;
}

struct FoundStep
{
    EventIndex begin = 0;
    EventIndex end = 0;
    bool hasStepped = false; ///< the optimizer allocated something
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
        if (phase == StepPhase::Forward && m_hasBackward && mayBegin) {
            endAt(m_rowBegin);
            m_step = {m_rowBegin, 0, false};
            m_hasBackward = false;
        }
        m_hasBackward = m_hasBackward || phase == StepPhase::Backward;
        m_step.hasStepped = m_step.hasStepped || phase == StepPhase::Optimizer;
    }
    void endAt(EventIndex end)
    {
        m_step.end = end;
        if (m_hasBackward)
            m_steps.push_back(m_step);
    }
    /// The last one; not if it lacks an optimizer that the one before it has.
    [[nodiscard]] std::size_t lastWhole() const
    {
        const std::size_t last = m_steps.size() - 1;
        // The first step alone makes the optimizer's states.
        const bool isCutOff =
            last >= 2 && m_steps[last - 1].hasStepped && !m_steps[last].hasStepped;
        return isCutOff ? last - 1 : last;
    }
    [[nodiscard]] const std::vector<FoundStep>& steps() const { return m_steps; }

private:
    bool m_accumulates;
    std::vector<FoundStep> m_steps;
    FoundStep m_step;
    EventIndex m_rowBegin = 0;
    StepPhase m_last = StepPhase::Unknown;
    std::size_t m_inRow = 0;
    bool m_hasBackward = false;
};

std::vector<StepWindow> phasedSteps(const memtrace::MemoryTrace& trace,
                                    const memtrace::DeviceTrace& device, bool accumulates)
{
    const std::vector<StepPhase> phases = memtrace::stepPhases(trace, device);
    StepFinder finder{accumulates};
    for (EventIndex event = 0; event < device.eventCount(); ++event)
        if (device.action(event) == Action::Alloc)
            finder.add(event, phases[device.subject(event)]);
    finder.endAt(static_cast<EventIndex>(device.eventCount()));
    std::vector<StepWindow> windows;
    if (finder.steps().empty())
        return windows;
    for (std::size_t i = 0; i <= finder.lastWhole(); ++i) {
        const FoundStep& step = finder.steps()[i];
        windows.push_back(
            {step.begin, step.end, StepFrom::Phases, {}, i + 1, finder.steps().size()});
    }
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

std::vector<StepWindow> wholeSteps(const memtrace::MemoryTrace& trace,
                                   const memtrace::DeviceTrace& device, bool accumulates)
{
    std::vector<StepWindow> steps = annotatedSteps(trace, device);
    if (steps.empty())
        steps = phasedSteps(trace, device, accumulates);
    if (steps.empty())
        steps.push_back(
            {0, static_cast<EventIndex>(device.eventCount()), StepFrom::Recording, {}, 1, 1});
    return steps;
}

StepWindow lastWholeStep(const memtrace::MemoryTrace& trace, const memtrace::DeviceTrace& device,
                         bool accumulates)
{
    return wholeSteps(trace, device, accumulates).back();
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
