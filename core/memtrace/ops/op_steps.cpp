// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/ops/op_steps.h"

#include "core/memtrace/comparison/phase_spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

namespace plimsoll::memtrace {

namespace {

constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
constexpr std::string_view kProfilers = "ProfilerStep#";
constexpr std::string_view kOptimizer = "Optimizer.step#";

/// Outermost ranges with such a name.
template <typename IsStep>
std::vector<OpStep> rangesThat(const OpRecording& recording, IsStep isStep)
{
    std::vector<OpStep> steps;
    for (const OpSpan& span : recording.spans) {
        const std::string& name = recording.nameOf(span);
        if (span.isRange && (steps.empty() || span.begin >= steps.back().end) && isStep(name))
            steps.push_back({name, span.begin, span.end});
    }
    return steps;
}

/// Optimizers that step one after the other, without a backward between them, end one step.
std::vector<OpStep> optimizedSteps(const OpRecording& recording)
{
    std::vector<OpStep> steps;
    bool hasBackward = true;
    for (const OpSpan& span : recording.spans) {
        const std::string& name = recording.nameOf(span);
        if (name.starts_with(kEngine)) {
            hasBackward = true;
        } else if (name.starts_with(kOptimizer)) {
            const std::int64_t begin =
                steps.empty() ? std::numeric_limits<std::int64_t>::min() : steps.back().end;
            if (hasBackward)
                steps.push_back({{}, begin, span.end});
            steps.back().end = std::max(steps.back().end, span.end);
            hasBackward = false;
        }
    }
    for (std::size_t i = 0; i < steps.size(); ++i)
        steps[i].name = fmt::format("step {} of {}", i + 1, steps.size());
    return steps;
}

} // namespace

std::vector<OpStep> opSteps(const OpRecording& recording)
{
    const auto isProfilers = [](const std::string& name) { return name.starts_with(kProfilers); };
    const auto isNumbered = [](const std::string& name) { return phaseKey(name) != name; };
    if (std::vector<OpStep> steps = rangesThat(recording, isProfilers); !steps.empty())
        return steps;
    if (std::vector<OpStep> steps = rangesThat(recording, isNumbered); !steps.empty())
        return steps;
    if (std::vector<OpStep> steps = optimizedSteps(recording); !steps.empty())
        return steps;
    return {{"the whole recording", std::numeric_limits<std::int64_t>::min(),
             std::numeric_limits<std::int64_t>::max()}};
}

std::vector<OpPhase> opPhases(const OpRecording& recording)
{
    std::vector<OpPhase> phases;
    phases.reserve(recording.spans.size());
    for (const OpSpan& span : recording.spans) {
        const std::string& name = recording.nameOf(span);
        OpPhase phase = span.parent == kNone ? OpPhase::Forward : phases[span.parent];
        if (name.starts_with(kEngine))
            phase = OpPhase::Backward;
        else if (name.starts_with(kOptimizer))
            phase = OpPhase::Optimizer;
        phases.push_back(phase);
    }
    return phases;
}

} // namespace plimsoll::memtrace
