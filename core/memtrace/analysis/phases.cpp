// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/phases.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace plimsoll::memtrace {

namespace {

constexpr std::size_t kMostPhases = 65'000;

/// Numbers names in the order in which they come.
class PhaseNames
{
public:
    [[nodiscard]] std::uint16_t numberOf(std::string_view name)
    {
        const auto at = m_numbers.find(std::string{name});
        if (at != m_numbers.end())
            return at->second;
        if (names.size() >= kMostPhases)
            name = "(other phases)";
        const auto [added, isNew] =
            m_numbers.try_emplace(std::string{name}, static_cast<std::uint16_t>(names.size()));
        if (isNew)
            names.emplace_back(name);
        return added->second;
    }

    std::vector<std::string> names;

private:
    std::unordered_map<std::string, std::uint16_t> m_numbers;
};

/// The device's annotations that are open at times that rise.
class OpenAnnotations
{
public:
    OpenAnnotations(const MemoryTrace& trace, int device)
    {
        for (const Annotation& annotation : trace.annotations())
            if (annotation.device == device)
                m_annotations.push_back(&annotation);
    }
    [[nodiscard]] bool isEmpty() const { return m_annotations.empty(); }
    /// Not only those that PyTorch's optimizers make.
    [[nodiscard]] bool areOfProgram() const
    {
        return std::ranges::any_of(m_annotations, [](const Annotation* annotation) {
            return !annotation->name.starts_with("Optimizer.");
        });
    }
    /// Null: none is open.
    [[nodiscard]] const Annotation* innermostAt(base::Nanoseconds time)
    {
        while (m_next < m_annotations.size() && m_annotations[m_next]->begin <= time)
            m_open.push_back(m_annotations[m_next++]);
        std::erase_if(m_open, [time](const Annotation* open) { return open->end < time; });
        // What ends just now was there first, whatever else begins just now.
        for (std::size_t i = m_open.size(); i-- > 0;)
            if (m_open[i]->end == time && m_open[i]->begin < time)
                return m_open[i];
        return m_open.empty() ? nullptr : m_open.back();
    }

private:
    std::vector<const Annotation*> m_annotations; ///< by begin, outer ones first
    std::vector<const Annotation*> m_open;
    std::size_t m_next = 0;
};

const char* stepPhaseName(StepPhase phase)
{
    switch (phase) {
    case StepPhase::Forward: return "forward";
    case StepPhase::Backward: return "backward";
    case StepPhase::Optimizer: return "optimizer";
    case StepPhase::Unknown: break;
    }
    return "not known";
}

} // namespace

Phases phasesOf(const MemoryTrace& trace, const DeviceTrace& device)
{
    return phasesOf(trace, device, stepPhases(trace, device));
}

Phases phasesOf(const MemoryTrace& trace, const DeviceTrace& device,
                const std::vector<StepPhase>& steps)
{
    const Allocations& allocations = device.allocations();
    PhaseNames names;
    std::vector<std::uint16_t> phaseOf(allocations.size());
    const bool hasBefore = std::ranges::count(allocations.allocEvent, kNoEvent) > 0;
    const std::uint16_t before = hasBefore ? names.numberOf("before the recording") : 0;
    OpenAnnotations annotations{trace, device.ordinal()};
    const bool areOfProgram = annotations.areOfProgram();
    if (annotations.isEmpty()) {
        std::array<std::optional<std::uint16_t>, kStepPhaseCount> numbers;
        for (std::size_t i = 0; i < phaseOf.size(); ++i) {
            if (allocations.allocEvent[i] == kNoEvent) {
                phaseOf[i] = before;
                continue;
            }
            std::optional<std::uint16_t>& number = numbers[static_cast<std::size_t>(steps[i])];
            if (!number)
                number = names.numberOf(stepPhaseName(steps[i]));
            phaseOf[i] = *number;
        }
        return {std::move(names.names), base::Column{std::move(phaseOf)}, false};
    }
    if (hasBefore)
        for (std::size_t i = 0; i < phaseOf.size(); ++i)
            if (allocations.allocEvent[i] == kNoEvent)
                phaseOf[i] = before;
    for (EventIndex event = 0; event < device.eventCount(); ++event) {
        if (device.action(event) != Action::Alloc)
            continue;
        const std::uint32_t made = device.subject(event);
        const Annotation* open = annotations.innermostAt(device.timeOf(event));
        // Outside of the program's annotations, forward is only what is neither of the others.
        const bool isOutside = areOfProgram && steps[made] == StepPhase::Forward;
        phaseOf[made] = names.numberOf(open != nullptr ? std::string_view{open->name}
                                       : isOutside     ? "outside annotations"
                                                       : stepPhaseName(steps[made]));
    }
    return {std::move(names.names), base::Column{std::move(phaseOf)}, true};
}

} // namespace plimsoll::memtrace
