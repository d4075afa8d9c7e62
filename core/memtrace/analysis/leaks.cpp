// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/leaks.h"

#include "core/memtrace/analysis/step_phases.h"
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace plimsoll::memtrace {

namespace {

/// Series of more ends would take too much memory where there are many places; these are spread
/// evenly, the last one among them.
constexpr std::size_t kMostEnds = 64;

std::string withoutDigits(const std::string& name)
{
    std::string family;
    for (const char c : name)
        if (c < '0' || c > '9')
            family += c;
    return family;
}

/// Annotations of one depth whose names differ in digits only.
struct Family
{
    std::vector<const Annotation*> annotations;
    base::Nanoseconds time; ///< of all of them
};

/// Whether the last allocation that failed did so within a range: what it allocated until then
/// would have been freed.
bool failsIn(const DeviceTrace& device, const Annotation& range)
{
    if (device.outOfMemory().empty())
        return false;
    const base::Nanoseconds time = device.timeOf(device.outOfMemory().back().event);
    return range.begin <= time && time <= range.end;
}

StepEnds endsOfAnnotations(const MemoryTrace& trace, const DeviceTrace& device)
{
    std::map<std::pair<int, std::string>, Family> families;
    for (const Annotation& annotation : trace.annotations()) {
        if (annotation.device != device.ordinal())
            continue;
        Family& family = families[{annotation.depth, withoutDigits(annotation.name)}];
        family.annotations.push_back(&annotation);
        family.time += annotation.end - annotation.begin;
    }
    // The outermost ones that recur, of several those that take most of the time.
    const Family* chosen = nullptr;
    int depth = 0;
    for (const auto& [key, family] : families) {
        if (family.annotations.size() < kFewestLeakSteps || (chosen && key.first > depth))
            continue;
        if (chosen == nullptr || family.time > chosen->time)
            chosen = &family;
        depth = key.first;
    }
    StepEnds ends;
    if (chosen == nullptr)
        return ends;
    ends.from = fmt::format("annotations such as \"{}\"", chosen->annotations.front()->name);
    for (const Annotation* annotation : chosen->annotations)
        if (!failsIn(device, *annotation))
            ends.at.push_back(stepAtTime(device, annotation->end));
    std::ranges::sort(ends.at);
    ends.at.erase(std::unique(ends.at.begin(), ends.at.end()), ends.at.end());
    return ends;
}

StepEnds endsOfOptimizer(const MemoryTrace& trace, const DeviceTrace& device)
{
    const std::vector<StepPhase> phases = stepPhases(trace, device);
    StepEnds ends;
    ends.from = "runs of the optimizer";
    StepPhase last = StepPhase::Unknown;
    for (EventIndex event = 0; event < device.eventCount(); ++event) {
        if (device.action(event) != Action::Alloc)
            continue;
        const StepPhase phase = phases[device.subject(event)];
        if (last == StepPhase::Optimizer && phase != last)
            ends.at.push_back(event); // the state before this event
        last = phase;
    }
    if (last == StepPhase::Optimizer)
        ends.at.push_back(device.eventCount());
    return ends;
}

/// At most kMostEnds of them, with their numbers among all.
std::vector<std::pair<std::size_t, std::size_t>> sampled(const std::vector<std::size_t>& ends)
{
    std::vector<std::pair<std::size_t, std::size_t>> few;
    const std::size_t count = std::min(ends.size(), kMostEnds);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t number = count < 2 ? 0 : i * (ends.size() - 1) / (count - 1);
        few.emplace_back(ends[number], number);
    }
    return few;
}

/// What one place holds at each of the sampled ends.
struct Series
{
    std::vector<std::int64_t> bytes; ///< differences at first, then values
    std::size_t blocksAtEnd = 0;
    std::uint32_t newest = kNone;
};

void fillSums(Series& series)
{
    for (std::size_t i = 1; i < series.bytes.size(); ++i)
        series.bytes[i] += series.bytes[i - 1];
}

/// Whether the bytes rise over the second half, and from which sample on.
bool grows(const std::vector<std::int64_t>& bytes, std::size_t& from)
{
    from = std::min(bytes.size() / 2, bytes.size() - kFewestLeakSteps);
    std::size_t rises = 0;
    for (std::size_t i = from + 1; i < bytes.size(); ++i) {
        if (bytes[i] < bytes[i - 1])
            return false;
        rises += bytes[i] > bytes[i - 1] ? 1U : 0U;
    }
    return 2 * rises >= bytes.size() - 1 - from;
}

} // namespace

StepEnds stepEnds(const MemoryTrace& trace, const DeviceTrace& device)
{
    StepEnds ends = endsOfAnnotations(trace, device);
    return ends.at.empty() ? endsOfOptimizer(trace, device) : ends;
}

Leaks findLeaks(const MemoryTrace& trace, const DeviceTrace& device, const Matches& matches,
                std::optional<timeline::StepSpan> within)
{
    StepEnds all = stepEnds(trace, device);
    Leaks leaks;
    leaks.allSteps = all.at.size();
    if (within)
        std::erase_if(
            all.at, [&](std::size_t step) { return step < within->begin || step >= within->end; });
    leaks.steps = all.at.size();
    leaks.stepsFrom = all.from;
    if (all.at.size() < kFewestLeakSteps)
        return leaks;
    const auto ends = sampled(all.at);
    const Allocations& allocations = device.allocations();
    std::unordered_map<std::string, Series> byPlace;
    std::unordered_map<std::uint32_t, Series*> byStack;
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        if (allocations.allocEvent[i] == kNoEvent || !matches.at(i))
            continue;
        const auto endAfter = [&](std::size_t step) {
            return static_cast<std::size_t>(
                std::ranges::lower_bound(ends, step, {},
                                         &std::pair<std::size_t, std::size_t>::first)
                - ends.begin());
        };
        const std::size_t first = endAfter(device.firstStep(i));
        const std::size_t behind = endAfter(device.lastStep(i) + std::size_t{1});
        if (first >= behind)
            continue; // it ends within its step
        Series*& series = byStack[allocations.stack[i]];
        if (series == nullptr) {
            series = &byPlace[topFrameText(trace.stacks(), StackId{allocations.stack[i]})];
            series->bytes.resize(ends.size() + 1);
        }
        series->bytes[first] += allocations.bytes[i];
        series->bytes[behind] -= allocations.bytes[i];
        if (behind == ends.size()) {
            ++series->blocksAtEnd;
            series->newest = i;
        }
    }
    for (auto& [name, series] : byPlace) {
        series.bytes.pop_back();
        fillSums(series);
        if (series.blocksAtEnd == 0)
            continue;
        LeakGroup group{
            name, false, {}, base::Bytes{series.bytes.back()}, series.blocksAtEnd, series.newest};
        if (std::size_t from = 0; grows(series.bytes, from)) {
            const auto steps = static_cast<std::int64_t>(ends.back().second - ends[from].second);
            group.perStep = base::Bytes{(series.bytes.back() - series.bytes[from]) / steps};
            group.grows = group.perStep.count() > 0;
        }
        leaks.groups.push_back(std::move(group));
    }
    std::ranges::sort(leaks.groups, [](const LeakGroup& a, const LeakGroup& b) {
        if (a.perStep != b.perStep)
            return a.perStep > b.perStep;
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
    });
    return leaks;
}

} // namespace plimsoll::memtrace
