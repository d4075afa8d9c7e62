// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/comparison/phase_spans.h"

#include "core/memtrace/analysis/step_phases.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::memtrace {

namespace {

/// Autograd allocates now and then while forward runs, and the other way round: phases with fewer
/// allocations than this belong to those around them.
constexpr std::size_t kLeastAllocations = 8;

/// Collects consecutive spans.
class SpanList
{
public:
    /// Up to `end`, unless that is behind already.
    void extend(const std::string& name, std::int64_t end)
    {
        const std::int64_t begin = spans.empty() ? 0 : spans.back().end;
        if (end <= begin)
            return;
        if (!spans.empty() && name.empty() && spans.back().name.empty())
            spans.back().end = end;
        else
            spans.push_back({name, begin, end});
    }

    std::vector<PhaseSpan> spans;
};

/// The device's annotations by depth, each with its range on the axis.
class AnnotatedRanges
{
public:
    AnnotatedRanges(const MemoryTrace& trace, const DeviceTrace& device, Axis axis)
        : m_times{device.axisTimes()}, m_positions{axisPositions(device, axis)}, m_axis{axis}
    {
        for (const Annotation& annotation : trace.annotations())
            if (annotation.device == device.ordinal()
                && annotation.depth < static_cast<int>(byDepth.size()))
                byDepth[static_cast<std::size_t>(annotation.depth)].push_back(
                    {annotation.name, positionOf(annotation.begin), positionOf(annotation.end)});
    }
    [[nodiscard]] std::int64_t end() const { return m_positions[m_positions.size() - 1]; }

    std::array<std::vector<PhaseSpan>, 2> byDepth;

private:
    [[nodiscard]] std::int64_t positionOf(base::Nanoseconds time) const
    {
        if (m_axis == Axis::Time)
            return std::min(time.count(), end());
        // Where the first step begins that isn't before that time.
        const std::size_t step = m_times.countUntil(time.count() - 1);
        return m_positions[std::min(step, m_positions.size() - 1)];
    }

    const timeline::Times& m_times;
    timeline::Times m_positions;
    Axis m_axis;
};

std::vector<PhaseSpan> annotatedSpans(const AnnotatedRanges& ranges)
{
    SpanList list;
    const std::vector<PhaseSpan>& inner = ranges.byDepth[1];
    std::size_t next = 0;
    for (const PhaseSpan& outer : ranges.byDepth[0]) {
        list.extend({}, outer.begin);
        for (; next < inner.size() && inner[next].begin < outer.end; ++next) {
            list.extend(outer.name, inner[next].begin);
            list.extend(inner[next].name, std::min(inner[next].end, outer.end));
        }
        list.extend(outer.name, outer.end);
    }
    list.extend({}, ranges.end());
    return std::move(list.spans);
}

/// Allocations in a row that belong to one phase.
struct PhaseRun
{
    StepPhase phase = StepPhase::Unknown;
    EventIndex first = 0;
    std::size_t count = 0;
};

const char* nameOf(StepPhase phase)
{
    switch (phase) {
    case StepPhase::Forward: return "forward";
    case StepPhase::Backward: return "backward";
    case StepPhase::Optimizer: return "optimizer";
    case StepPhase::Unknown: break;
    }
    return "";
}

/// Divides parts of a device's axis by the stacks of what is allocated there. A phase that the
/// recording itself annotates has no other parts: what runs before it may only look like it.
class StackPhases
{
public:
    StackPhases(const MemoryTrace& trace, const DeviceTrace& device, Axis axis,
                const std::vector<PhaseSpan>& annotated)
        : m_device{device}
        , m_phases{stepPhases(trace, device)}
        , m_positions{axisPositions(device, axis)}
    {
        std::array<bool, 4> isAnnotated{}; // by StepPhase
        for (std::size_t phase = 0; phase < isAnnotated.size(); ++phase)
            isAnnotated[phase] =
                std::any_of(annotated.begin(), annotated.end(), [&](const PhaseSpan& span) {
                    return span.name == nameOf(static_cast<StepPhase>(phase));
                });
        for (StepPhase& phase : m_phases)
            if (isAnnotated[static_cast<std::size_t>(phase)])
                phase = StepPhase::Unknown;
    }

    /// Adds spans up to `end` to a list that ends where the part begins.
    void divide(SpanList& list, std::int64_t begin, std::int64_t end) const
    {
        const std::vector<PhaseRun> runs = longRuns(runsBetween(begin, end));
        for (std::size_t i = 0; i < runs.size(); ++i)
            list.extend(nameOf(runs[i].phase),
                        i + 1 < runs.size() ? positionOf(runs[i + 1].first) : end);
        list.extend({}, end);
    }

private:
    /// Of the state after an event.
    [[nodiscard]] std::int64_t positionOf(EventIndex event) const
    {
        return m_positions[event + std::size_t{1}];
    }
    /// The last events may be at the very end of the axis.
    [[nodiscard]] bool isBefore(EventIndex event, std::int64_t end) const
    {
        return positionOf(event) < end || end == m_positions[m_positions.size() - 1];
    }
    [[nodiscard]] std::vector<PhaseRun> runsBetween(std::int64_t begin, std::int64_t end) const
    {
        std::vector<PhaseRun> runs;
        // The first event whose state is there.
        const std::size_t step = std::max<std::size_t>(m_positions.countUntil(begin - 1), 1);
        for (auto event = static_cast<EventIndex>(step - 1);
             event < m_device.eventCount() && isBefore(event, end); ++event) {
            if (m_device.action(event) != Action::Alloc)
                continue;
            const StepPhase phase = m_phases[m_device.subject(event)];
            if (runs.empty() || runs.back().phase != phase)
                runs.push_back({phase, event, 0});
            ++runs.back().count;
        }
        return runs;
    }
    /// Without the short ones, each of which joins the one before it.
    [[nodiscard]] static std::vector<PhaseRun> longRuns(const std::vector<PhaseRun>& runs)
    {
        std::vector<PhaseRun> all;
        for (const PhaseRun& run : runs) {
            const bool joins =
                !all.empty() && (run.phase == all.back().phase || run.count < kLeastAllocations);
            if (joins)
                all.back().count += run.count;
            else
                all.push_back(run);
        }
        return all;
    }

    const DeviceTrace& m_device;
    std::vector<StepPhase> m_phases;
    timeline::Times m_positions;
};

} // namespace

std::vector<PhaseSpan> phaseSpans(const MemoryTrace& trace, const DeviceTrace& device, Axis axis)
{
    const std::vector<PhaseSpan> annotated = annotatedSpans(AnnotatedRanges{trace, device, axis});
    const StackPhases stacks{trace, device, axis, annotated};
    SpanList list;
    for (const PhaseSpan& span : annotated)
        if (span.name.empty())
            stacks.divide(list, span.begin, span.end);
        else
            list.extend(span.name, span.end);
    std::vector<PhaseSpan> spans = std::move(list.spans);
    if (spans.size() > kMostPhaseSpans) {
        const std::int64_t end = spans.back().end;
        spans.resize(kMostPhaseSpans);
        spans.back() = {{}, spans.back().begin, end};
    }
    return spans;
}

std::string phaseKey(const std::string& name)
{
    const std::size_t last = name.find_last_not_of("0123456789");
    const bool isNumbered = last != std::string::npos && last + 1 < name.size()
                            && (name[last] == '#' || name[last] == ' ');
    return isNumbered ? name.substr(0, last) : name;
}

} // namespace plimsoll::memtrace
