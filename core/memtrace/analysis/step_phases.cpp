// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/step_phases.h"

#include "core/memtrace/frames.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::memtrace {

namespace {

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

bool isOptimizerFrame(const StackTable& stacks, const Frame& frame)
{
    const std::string_view file = stacks.text(frame.file);
    const std::string_view name = stacks.text(frame.name);
    if (contains(file, "torch/optim/"))
        return true;
    // The user's own: a step() in a file such as optimizer.py.
    return name == "step" && contains(file.substr(file.rfind('/') + 1), "optim");
}

bool isBackwardFrame(const StackTable& stacks, const Frame& frame)
{
    const std::string_view name = stacks.text(frame.name);
    return contains(name, "autograd::Engine") || contains(name, "torch::autograd::Node");
}

/// By stack.
std::vector<StepPhase> phasesOfStacks(const StackTable& stacks)
{
    std::vector<StepPhase> phases(stacks.stackCount(), StepPhase::Unknown);
    bool hasPython = false;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        bool isPythonStack = false;
        bool isBackward = false;
        bool isOptimizer = false;
        for (const FrameId id : stacks.stack(StackId{i})) {
            const Frame& frame = stacks.frame(id);
            if (frame.isFromGraph)
                continue; // phases are the recording's
            isPythonStack = isPythonStack || isPython(stacks, frame);
            isBackward = isBackward || isBackwardFrame(stacks, frame);
            isOptimizer = isOptimizer || isOptimizerFrame(stacks, frame);
        }
        hasPython = hasPython || isPythonStack;
        phases[i] = isOptimizer                    ? StepPhase::Optimizer
                    : isBackward || !isPythonStack ? StepPhase::Backward
                                                   : StepPhase::Forward;
    }
    if (!hasPython)
        std::fill(phases.begin(), phases.end(), StepPhase::Unknown);
    return phases;
}

/// "Optimizer.step#AdamW.step", as PyTorch names it, and what people write.
bool isOptimizerRange(const std::string& name)
{
    return contains(name, "ptimizer") && contains(name, "step");
}

/// The phase of each allocation event; of others that of the one before.
class PhaseOfEvents
{
public:
    PhaseOfEvents(const MemoryTrace& trace, const DeviceTrace& device)
        : m_device{device}, m_ofStack{phasesOfStacks(trace.stacks())}
    {
        for (const Annotation& annotation : trace.annotations())
            if (annotation.device == device.ordinal() && isOptimizerRange(annotation.name))
                m_optimizer.emplace_back(annotation.begin, annotation.end);
    }
    /// Call with rising events.
    [[nodiscard]] StepPhase of(EventIndex event)
    {
        const base::Nanoseconds time = m_device.timeOf(event);
        while (m_next < m_optimizer.size() && m_optimizer[m_next].second < time)
            ++m_next;
        if (m_next < m_optimizer.size() && m_optimizer[m_next].first <= time)
            return StepPhase::Optimizer;
        return m_ofStack[m_device.allocations().stack[m_device.subject(event)]];
    }

private:
    const DeviceTrace& m_device;
    std::vector<StepPhase> m_ofStack;
    std::vector<std::pair<base::Nanoseconds, base::Nanoseconds>> m_optimizer;
    std::size_t m_next = 0;
};

} // namespace

std::vector<StepPhase> stepPhases(const MemoryTrace& trace, const DeviceTrace& device)
{
    std::vector<StepPhase> phases(device.allocations().size(), StepPhase::Unknown);
    PhaseOfEvents phaseOf{trace, device};
    for (EventIndex event = 0; event < device.eventCount(); ++event)
        if (device.action(event) == Action::Alloc)
            phases[device.subject(event)] = phaseOf.of(event);
    return phases;
}

} // namespace plimsoll::memtrace
