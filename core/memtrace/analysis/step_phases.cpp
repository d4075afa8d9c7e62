// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/step_phases.h"

#include "core/memtrace/frames.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Whether a thread's stack begins with a frame: a script, or what starts a thread.
bool isThreadsRoot(const StackTable& stacks, const Frame& frame)
{
    return stacks.text(frame.name) == "<module>"
           || stacks.text(frame.file).ends_with("threading.py");
}

/// What tells the phase of a stack.
struct StackParts
{
    bool isOptimizer = false;
    bool isBackward = false;          ///< by a frame
    std::optional<FrameId> outermost; ///< of Python's frames
};

StackParts partsOf(const StackTable& stacks, StackId stack)
{
    StackParts parts;
    for (const FrameId id : stacks.stack(stack)) {
        const Frame& frame = stacks.frame(id);
        if (frame.isFromGraph)
            continue; // phases are the recording's
        if (isPython(stacks, frame))
            parts.outermost = id;
        parts.isBackward = parts.isBackward || isBackwardFrame(stacks, frame);
        parts.isOptimizer = parts.isOptimizer || isOptimizerFrame(stacks, frame);
    }
    return parts;
}

/// Tells the stacks of autograd's threads. Backward calls Python there too: what a checkpoint
/// recomputes, a Function's backward, hooks. Its stack then begins with a function of PyTorch, or
/// at least not where those of the program's threads begin.
class AutogradThreads
{
public:
    AutogradThreads(const StackTable& stacks, const std::vector<StackParts>& parts)
        : m_stacks{stacks}
    {
        std::size_t python = 0;
        std::size_t rooted = 0;
        for (const StackParts& each : parts) {
            python += each.outermost ? 1U : 0U;
            rooted +=
                each.outermost && isThreadsRoot(stacks, stacks.frame(*each.outermost)) ? 1U : 0U;
        }
        m_hasPython = python > 0;
        m_areRooted = 2 * rooted > python; // else the recording leaves them out
    }
    [[nodiscard]] bool hasPython() const { return m_hasPython; }
    [[nodiscard]] bool has(const StackParts& parts) const
    {
        if (!parts.outermost)
            return true;
        const Frame& frame = m_stacks.frame(*parts.outermost);
        if (isThreadsRoot(m_stacks, frame))
            return false;
        const std::string_view file = m_stacks.text(frame.file);
        return m_areRooted || contains(file, "torch/autograd/")
               || contains(file, "torch/utils/checkpoint");
    }

private:
    const StackTable& m_stacks;
    bool m_hasPython = false;
    bool m_areRooted = false;
};

/// By stack.
std::vector<StepPhase> phasesOfStacks(const StackTable& stacks)
{
    std::vector<StackParts> parts;
    for (std::size_t i = 0; i < stacks.stackCount(); ++i)
        parts.push_back(partsOf(stacks, StackId{i}));
    const AutogradThreads autograd{stacks, parts};
    std::vector<StepPhase> phases(parts.size(), StepPhase::Unknown);
    if (!autograd.hasPython())
        return phases;
    for (std::size_t i = 0; i < phases.size(); ++i)
        phases[i] = parts[i].isOptimizer                            ? StepPhase::Optimizer
                    : parts[i].isBackward || autograd.has(parts[i]) ? StepPhase::Backward
                                                                    : StepPhase::Forward;
    return phases;
}

/// "Optimizer.step#AdamW.step", as PyTorch names it, and what people write.
bool isOptimizerRange(const std::string& name)
{
    return contains(name, "ptimizer") && contains(name, "step");
}

/// Gives the optimizer what is allocated during its annotated steps.
void takeOptimizerRanges(std::vector<StepPhase>& phases, const MemoryTrace& trace,
                         const DeviceTrace& device)
{
    const std::vector<Annotation>& annotations = trace.annotations();
    const auto isOptimizer = [&](const Annotation& annotation) {
        return annotation.device == device.ordinal() && isOptimizerRange(annotation.name);
    };
    auto range = std::ranges::find_if(annotations, isOptimizer);
    for (EventIndex event = 0; event < device.eventCount() && range != annotations.end(); ++event) {
        if (device.action(event) != Action::Alloc)
            continue;
        const base::Nanoseconds time = device.timeOf(event);
        while (range != annotations.end() && range->end < time)
            range = std::find_if(range + 1, annotations.end(), isOptimizer);
        if (range != annotations.end() && range->begin <= time)
            phases[device.subject(event)] = StepPhase::Optimizer;
    }
}

} // namespace

std::vector<StepPhase> stepPhases(const MemoryTrace& trace, const DeviceTrace& device)
{
    const Allocations& allocations = device.allocations();
    const std::vector<StepPhase> ofStack = phasesOfStacks(trace.stacks());
    std::vector<StepPhase> phases(allocations.size());
    for (std::size_t i = 0; i < phases.size(); ++i)
        phases[i] = allocations.allocEvent[i] == kNoEvent ? StepPhase::Unknown
                                                          : ofStack[allocations.stack[i]];
    takeOptimizerRanges(phases, trace, device);
    return phases;
}

std::vector<bool> stacksOfModules(const StackTable& stacks)
{
    std::vector<bool> ofModules(stacks.stackCount());
    for (std::size_t i = 0; i < ofModules.size(); ++i)
        ofModules[i] = std::ranges::any_of(stacks.stack(StackId{i}), [&](FrameId frame) {
            return stacks.text(stacks.frame(frame).name) == "forward";
        });
    return ofModules;
}

} // namespace plimsoll::memtrace
