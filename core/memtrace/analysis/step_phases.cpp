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

} // namespace plimsoll::memtrace
