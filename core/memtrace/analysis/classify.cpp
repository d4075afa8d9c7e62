// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/classify.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::memtrace {

namespace {

constexpr std::array<const char*, kMemoryClassCount> kClassNames = {
    "before", "lasting", "optimizer_state", "gradients", "activations", "temporaries", "not_known"};

std::optional<MemoryClass> classNamed(std::string_view name)
{
    const auto* found = std::ranges::find(kClassNames, name);
    if (found == kClassNames.end())
        return std::nullopt;
    return static_cast<MemoryClass>(found - kClassNames.begin());
}

/// Whether an allocation is live when something is first allocated in another phase.
bool outlives(EventIndex freed, EventIndex nextPhase)
{
    return freed == kNoEvent || (nextPhase != kNoEvent && freed > nextPhase);
}

/// What follows an allocation; kNoEvent: nothing in the recording.
struct Following
{
    EventIndex otherPhase = kNoEvent;     ///< first allocation of another phase
    EventIndex backward = kNoEvent;       ///< of the next backward
    EventIndex afterBackward = kNoEvent;  ///< behind that backward
    EventIndex secondBackward = kNoEvent; ///< of the backward after that
};

/// Whether an allocation outlives the step in which forward, or what came before it, made it: it is
/// still there in the next step's backward, or at the end, after backward.
bool livesThroughSteps(EventIndex freed, const Following& following)
{
    return freed == kNoEvent
               ? following.afterBackward != kNoEvent
               : following.secondBackward != kNoEvent && freed > following.secondBackward;
}

/// `isCutOff`: a module made it, and an allocation failed after it.
std::pair<MemoryClass, ClassRule> decide(StepPhase phase, EventIndex freed,
                                         const Following& following, bool isCutOff)
{
    switch (phase) {
    case StepPhase::Optimizer:
        return outlives(freed, following.otherPhase)
                   ? std::pair{MemoryClass::OptimizerState, ClassRule::OutlivesOptimizer}
                   : std::pair{MemoryClass::Temporaries, ClassRule::FreedByOptimizer};
    case StepPhase::Backward:
        return outlives(freed, following.otherPhase)
                   ? std::pair{MemoryClass::Gradients, ClassRule::OutlivesBackward}
                   : std::pair{MemoryClass::Temporaries, ClassRule::FreedInBackward};
    case StepPhase::Forward:
        if (livesThroughSteps(freed, following))
            return {MemoryClass::Lasting, ClassRule::LivesThroughSteps};
        if (following.backward != kNoEvent && (freed == kNoEvent || freed > following.backward))
            return {MemoryClass::Activations, ClassRule::SurvivesIntoBackward};
        if (freed != kNoEvent)
            return {MemoryClass::Temporaries, ClassRule::FreedInForward};
        if (isCutOff)
            return {MemoryClass::Activations, ClassRule::FailsBeforeBackward};
        break;
    case StepPhase::Unknown: break;
    }
    return {MemoryClass::NotKnown, ClassRule::NoPhase};
}

/// What the last two backwards allocate, if an allocation failed in the last one. Told of all
/// allocations, last to first.
class CutOffBackward
{
public:
    explicit CutOffBackward(EventIndex failure) : m_failure{failure} {}

    void take(std::size_t allocation, EventIndex event, StepPhase phase)
    {
        if (m_failure == 0)
            return;
        m_runs += phase != m_phase ? 1U : 0U;
        m_phase = phase;
        if (phase != StepPhase::Backward)
            return;
        if (m_runs == 1 && event < m_failure)
            m_last.push_back(allocation);
        else if (!m_last.empty() && (m_runOfBefore == 0 || m_runOfBefore == m_runs)) {
            m_runOfBefore = m_runs;
            m_before.push_back(allocation);
        }
    }

    /// Calls change(allocation, other) for what the last backward leaves: with what the backward
    /// before allocated at its place from the same stack, or with nothing.
    template <typename Change>
    void forEachLeft(const Allocations& allocations, Change&& change) const
    {
        for (std::size_t i = 0; i < m_last.size(); ++i) {
            const std::size_t allocation = m_last[m_last.size() - 1 - i];
            if (allocations.freeEvent[allocation] != kNoEvent)
                continue;
            std::optional<std::size_t> other;
            if (i < m_before.size()
                && allocations.stack[m_before[m_before.size() - 1 - i]]
                       == allocations.stack[allocation])
                other = m_before[m_before.size() - 1 - i];
            change(allocation, other);
        }
    }

private:
    EventIndex m_failure; ///< 0: none
    StepPhase m_phase = StepPhase::Unknown;
    std::size_t m_runs = 0; ///< of allocations in one phase, those of no known phase included
    std::size_t m_runOfBefore = 0;
    std::vector<std::size_t> m_last; ///< last to first
    std::vector<std::size_t> m_before;
};

/// Calls visit(allocation, event) for what the recording allocates, last to first.
template <typename Visit>
void forEachMade(const DeviceTrace& device, Visit&& visit)
{
    // Most often allocations are in that order: the events between them needn't be looked at.
    const base::Column<EventIndex>& made = device.allocations().allocEvent;
    EventIndex last = 0;
    const bool isInOrder = std::ranges::all_of(made, [&last](EventIndex event) {
        const EventIndex before = last;
        last = event == kNoEvent ? last : event;
        return before <= last;
    });
    if (isInOrder) {
        for (std::size_t i = made.size(); i-- > 0;)
            if (made[i] != kNoEvent)
                visit(i, made[i]);
        return;
    }
    for (auto event = static_cast<EventIndex>(device.eventCount()); event-- > 0;)
        if (device.action(event) == Action::Alloc)
            visit(device.subject(event), event);
}

} // namespace

const char* className(MemoryClass memoryClass)
{
    return kClassNames.at(static_cast<std::size_t>(memoryClass));
}

const char* ruleText(ClassRule rule)
{
    switch (rule) {
    case ClassRule::BeforeRecording: return "It was allocated before the recording began.";
    case ClassRule::OutlivesOptimizer:
        return "The optimizer allocated it, and it lives on after its step.";
    case ClassRule::FreedByOptimizer: return "The optimizer allocated it and freed it in its step.";
    case ClassRule::OutlivesBackward:
        return "Backward allocated it, and it lives on after backward.";
    case ClassRule::FreedInBackward: return "Backward allocated it and freed it.";
    case ClassRule::SurvivesIntoBackward: return "Forward allocated it, and backward still has it.";
    case ClassRule::LivesThroughSteps:
        return "It was allocated before a backward, and it outlives the whole step.";
    case ClassRule::FreedInForward:
        return "Forward allocated it, and it was freed before backward.";
    case ClassRule::FailsBeforeBackward:
        return "A module's forward() allocated it, and an allocation failed before backward.";
    case ClassRule::AsInBackwardBefore:
        return "An allocation failed in the backward that allocated it; the backward before tells "
               "what it is, by what it allocated at the same place.";
    case ClassRule::FailsInBackward:
        return "An allocation failed in the backward that allocated it, so that the recording "
               "doesn't tell whether it lives on.";
    case ClassRule::ToldByFile: return "The file names its class.";
    case ClassRule::NoPhase: break;
    }
    return "The recording doesn't tell in which phase it was allocated.";
}

Classes classify(const MemoryTrace& trace, const DeviceTrace& device)
{
    return classify(trace, device, stepPhases(trace, device));
}

Classes classify(const MemoryTrace& trace, const DeviceTrace& device,
                 const std::vector<StepPhase>& phases)
{
    const Allocations& allocations = device.allocations();
    std::vector<std::uint8_t> classes(allocations.size());
    std::vector<std::uint8_t> rules(allocations.size());
    const std::vector<bool> ofModules = stacksOfModules(trace.stacks());
    const EventIndex failure = device.outOfMemory().empty() ? 0 : device.outOfMemory().back().event;
    // From the end, so that the next allocation in another phase is known.
    Following following;
    EventIndex runBegin = kNoEvent;
    StepPhase run = StepPhase::Unknown;
    CutOffBackward cutOff{failure};
    forEachMade(device, [&](std::size_t allocation, EventIndex event) {
        const StepPhase phase = phases[allocation];
        cutOff.take(allocation, event, phase);
        if (phase != run) {
            following.otherPhase = runBegin;
            run = phase;
            if (phase == StepPhase::Backward) {
                following.secondBackward = following.backward;
                following.afterBackward = runBegin;
            }
        }
        runBegin = event;
        const auto [memoryClass, rule] =
            decide(phase, allocations.freeEvent[allocation], following,
                   event < failure && ofModules[allocations.stack[allocation]]);
        classes[allocation] = static_cast<std::uint8_t>(memoryClass);
        rules[allocation] = static_cast<std::uint8_t>(rule);
        if (phase == StepPhase::Backward)
            following.backward = event;
    });
    cutOff.forEachLeft(allocations, [&](std::size_t allocation, std::optional<std::size_t> other) {
        classes[allocation] =
            other ? classes[*other] : static_cast<std::uint8_t>(MemoryClass::NotKnown);
        rules[allocation] = static_cast<std::uint8_t>(other ? ClassRule::AsInBackwardBefore
                                                            : ClassRule::FailsInBackward);
    });
    for (std::size_t i = 0; i < allocations.size(); ++i)
        if (allocations.allocEvent[i] == kNoEvent) {
            classes[i] = static_cast<std::uint8_t>(MemoryClass::Before);
            rules[i] = static_cast<std::uint8_t>(ClassRule::BeforeRecording);
        }
    for (const EventText& text : device.texts())
        if (text.kind == EventText::Kind::Category && device.action(text.event) == Action::Alloc)
            if (const auto named = classNamed(trace.stacks().text(text.text))) {
                classes[device.subject(text.event)] = static_cast<std::uint8_t>(*named);
                rules[device.subject(text.event)] =
                    static_cast<std::uint8_t>(ClassRule::ToldByFile);
            }
    return {base::Column{std::move(classes)}, base::Column{std::move(rules)}};
}

const timeline::LayersPtr& classLayers()
{
    using timeline::Category;
    const auto ink = [](Category category) { return static_cast<std::uint8_t>(category); };
    static const timeline::LayersPtr kLayers =
        std::make_shared<const timeline::Layers>(timeline::Layers{
            {className(MemoryClass::Before), "Before the recording", ink(Category::Parameters)},
            {className(MemoryClass::Lasting), "Outlives the step", ink(Category::Inputs)},
            {className(MemoryClass::OptimizerState), "Optimizer state",
             ink(Category::OptimizerState)},
            {className(MemoryClass::Gradients), "Gradients", ink(Category::Gradients)},
            {className(MemoryClass::Activations), "Activations", ink(Category::Activations)},
            {className(MemoryClass::Temporaries), "Temporaries", ink(Category::Temporaries)},
            {className(MemoryClass::NotKnown), "Not known", ink(Category::Buffers)}});
    return kLayers;
}

} // namespace plimsoll::memtrace
