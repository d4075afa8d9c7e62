// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/filter/filter.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/memtrace/analysis/streams.h"
#include "core/memtrace/filter/filter_values.h"
#include "core/memtrace/filter/text_pattern.h"
#include "core/memtrace/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace plimsoll::memtrace {

namespace {

using base::Result;

constexpr std::array<const char*, kFilterFieldCount> kFieldNames = {
    "class", "size", "stream", "pool", "phase", "frame", "module", "lifetime"};

using Keeps = std::function<bool(std::size_t allocation)>;

/// What a recording and its analyses tell of a device.
struct Subject
{
    const MemoryTrace& trace;
    const DeviceTrace& device;
    const Classes& classes;
    const Phases& phases;
};

/// `places`: those that are meant, by place.
Keeps byPlace(const DeviceTrace& device, std::vector<bool> places)
{
    return [&device, places = std::move(places)](std::size_t allocation) {
        return static_cast<bool>(places[device.allocations().place[allocation]]);
    };
}

Keeps byStack(const DeviceTrace& device, std::vector<bool> stacks)
{
    return [&device, stacks = std::move(stacks)](std::size_t allocation) {
        return static_cast<bool>(stacks[device.allocations().stack[allocation]]);
    };
}

Result<Keeps> byClass(const std::string& value, const Subject& subject)
{
    ASSIGN_OR_RETURN(const std::vector<bool> wanted, parseClasses(value));
    return Keeps{[&subject, wanted](std::size_t allocation) {
        return static_cast<bool>(wanted[subject.classes.classOf[allocation]]);
    }};
}

Result<Keeps> bySize(const std::string& value, const Subject& subject)
{
    ASSIGN_OR_RETURN(const ValueRange range, parseSizes(value));
    return Keeps{[&subject, range](std::size_t allocation) {
        return range.contains(subject.device.allocations().bytes[allocation]);
    }};
}

Result<Keeps> byStream(const std::string& value, const Subject& subject)
{
    ASSIGN_OR_RETURN(const std::vector<std::size_t> wanted, parseStreams(value));
    std::vector<bool> places;
    for (const std::size_t number : streamNumbers(subject.device))
        places.push_back(std::ranges::find(wanted, number) != wanted.end());
    return byPlace(subject.device, std::move(places));
}

Result<Keeps> byPool(const std::string& value, const Subject& subject)
{
    ASSIGN_OR_RETURN(const std::vector<PoolPattern> wanted, parsePools(value));
    std::vector<bool> places;
    for (const Place& place : subject.device.places())
        places.push_back(std::ranges::any_of(
            wanted, [&](const PoolPattern& pattern) { return pattern.matches(place); }));
    return byPlace(subject.device, std::move(places));
}

Result<Keeps> byPhase(const std::string& value, const Subject& subject)
{
    ASSIGN_OR_RETURN(const NamePattern wanted, NamePattern::parse(value));
    std::vector<bool> phases(subject.phases.names.size());
    const std::vector<std::string>& names = subject.phases.names;
    std::transform(names.begin(), names.end(), phases.begin(),
                   [&](const std::string& name) { return wanted.matches(name); });
    return Keeps{[&subject, phases](std::size_t allocation) {
        return static_cast<bool>(phases[subject.phases.phaseOf[allocation]]);
    }};
}

Result<Keeps> byFrame(const std::string& value, const Subject& subject)
{
    ASSIGN_OR_RETURN(const TextPattern pattern, parseText(value));
    return byStack(subject.device, stacksWithFrame(subject.trace.stacks(), pattern));
}

Result<Keeps> byModule(const std::string& value, const Subject& subject)
{
    ASSIGN_OR_RETURN(const TextPattern pattern, parseText(value));
    const StackTable& stacks = subject.trace.stacks();
    std::vector<bool> matching(stacks.stackCount());
    for (std::size_t i = 0; i < matching.size(); ++i)
        matching[i] = pattern.matches(moduleText(stacks, StackId{i}));
    return byStack(subject.device, std::move(matching));
}

Result<Keeps> byLife(const std::string& value, const Subject& subject)
{
    ASSIGN_OR_RETURN(const LifePattern wanted, LifePattern::parse(value));
    return Keeps{[&subject, wanted](std::size_t allocation) {
        return wanted.matches(subject.device, allocation);
    }};
}

Result<Keeps> keepsOf(const FilterTerm& term, const Subject& subject)
{
    switch (term.field) {
    case FilterField::Class: return byClass(term.value, subject);
    case FilterField::Size: return bySize(term.value, subject);
    case FilterField::Stream: return byStream(term.value, subject);
    case FilterField::Pool: return byPool(term.value, subject);
    case FilterField::Phase: return byPhase(term.value, subject);
    case FilterField::Frame: return byFrame(term.value, subject);
    case FilterField::Module: return byModule(term.value, subject);
    case FilterField::Life: break;
    }
    return byLife(term.value, subject);
}

template <typename Parsed>
Result<void> checked(const Result<Parsed>& parsed)
{
    return parsed ? Result<void>{} : tl::unexpected{parsed.error()};
}

} // namespace

const char* fieldName(FilterField field)
{
    return kFieldNames.at(static_cast<std::size_t>(field));
}

std::optional<FilterField> findField(std::string_view name)
{
    const auto at = std::ranges::find(kFieldNames, name);
    return at == kFieldNames.end()
               ? std::nullopt
               : std::optional{static_cast<FilterField>(at - kFieldNames.begin())};
}

Result<void> checkTerm(const FilterTerm& term)
{
    switch (term.field) {
    case FilterField::Class: return checked(parseClasses(term.value));
    case FilterField::Size: return checked(parseSizes(term.value));
    case FilterField::Stream: return checked(parseStreams(term.value));
    case FilterField::Pool: return checked(parsePools(term.value));
    case FilterField::Phase: return checked(NamePattern::parse(term.value));
    case FilterField::Frame:
    case FilterField::Module: return checked(parseText(term.value));
    case FilterField::Life: break;
    }
    return checked(LifePattern::parse(term.value));
}

Result<Matches> matchesOf(const Filter& filter, const MemoryTrace& trace, const DeviceTrace& device,
                          const Classes& classes, const Phases& phases)
{
    Matches matches;
    matches.count = device.allocations().size();
    if (filter.empty())
        return matches;
    const Subject subject{trace, device, classes, phases};
    std::vector<std::uint8_t> keeps(device.allocations().size(), 1);
    for (const FilterTerm& term : filter) {
        ASSIGN_OR_RETURN(const Keeps keep, keepsOf(term, subject));
        for (std::size_t i = 0; i < keeps.size(); ++i)
            if (keeps[i] != 0 && !keep(i))
                keeps[i] = 0;
    }
    matches.count = static_cast<std::size_t>(std::ranges::count(keeps, std::uint8_t{1}));
    matches.keeps = base::Column{std::move(keeps)};
    return matches;
}

} // namespace plimsoll::memtrace
