// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/filter/filter_values.h"

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/memtrace/analysis/classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

namespace plimsoll::memtrace {

namespace {

using base::ErrorKind;
using base::Result;

/// Parts between commas, none of them empty.
std::vector<std::string_view> listed(std::string_view text)
{
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        if (const std::string_view part = base::trimmed(text.substr(begin, end - begin));
            !part.empty())
            parts.push_back(part);
        begin = end + 1;
    }
    return parts;
}

template <typename Number>
std::optional<Number> number(std::string_view text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{value}
                                                                    : std::nullopt;
}

tl::unexpected<base::Error> wrong(std::string_view text, std::string_view sentence)
{
    return base::failure(ErrorKind::Usage, text.empty()
                                               ? fmt::format("Write a value: {}", sentence)
                                               : fmt::format("\"{}\" isn't understood: {}",
                                                             base::printable(text, 40), sentence));
}

using ParseNumber = std::function<Result<std::int64_t>(std::string_view)>;

/// ">= 3", "< 3", "= 3", "3", "1 to 3".
Result<ValueRange> parseRange(std::string_view text, const ParseNumber& parse)
{
    constexpr std::string_view kTo = " to ";
    ValueRange range;
    if (const std::size_t to = text.find(kTo); to != std::string_view::npos) {
        ASSIGN_OR_RETURN(range.least, parse(base::trimmed(text.substr(0, to))));
        ASSIGN_OR_RETURN(range.most, parse(base::trimmed(text.substr(to + kTo.size()))));
        if (range.least > range.most)
            std::swap(range.least, range.most);
        return range;
    }
    const std::size_t behind = std::min(text.find_first_not_of("<>=≤≥"), text.size());
    const std::string_view sign = text.substr(0, behind);
    ASSIGN_OR_RETURN(const std::int64_t value, parse(base::trimmed(text.substr(behind))));
    if (sign == ">=" || sign == "≥")
        range.least = value;
    else if (sign == ">")
        range.least = value + 1;
    else if (sign == "<=" || sign == "≤")
        range.most = value;
    else if (sign == "<")
        range.most = value - 1;
    else if (sign.empty() || sign == "=")
        range = {value, value};
    else
        return wrong(sign, "compare with >=, >, <=, < or =.");
    return range;
}

} // namespace

Result<std::vector<bool>> parseClasses(std::string_view text)
{
    std::vector<bool> wanted(kMemoryClassCount, false);
    std::string names;
    for (const timeline::Layer& layer : *classLayers())
        names += (names.empty() ? "" : ", ") + base::lowered(layer.name);
    const std::vector<std::string_view> parts = listed(text);
    for (const std::string_view part : parts) {
        const std::string name = base::lowered(part);
        const auto at = std::ranges::find_if(*classLayers(), [&](const timeline::Layer& layer) {
            return layer.id == name || base::lowered(layer.name) == name;
        });
        if (at == classLayers()->end())
            return wrong(part, fmt::format("classes are {}.", names));
        wanted[static_cast<std::size_t>(at - classLayers()->begin())] = true;
    }
    if (parts.empty())
        return wrong({}, fmt::format("classes are {}.", names));
    return wanted;
}

Result<ValueRange> parseSizes(std::string_view text)
{
    if (base::trimmed(text).empty())
        return wrong({}, "a size such as \">= 1 MiB\", or \"1 MiB to 2 MiB\".");
    return parseRange(base::trimmed(text), [](std::string_view part) {
        return base::parseBytes(part).map([](base::Bytes bytes) { return bytes.count(); });
    });
}

Result<std::vector<std::size_t>> parseStreams(std::string_view text)
{
    std::vector<std::size_t> streams;
    for (const std::string_view part : listed(text)) {
        const auto stream = base::lowered(part) == "default" ? std::optional<std::size_t>{0}
                                                             : number<std::size_t>(part);
        if (!stream)
            return wrong(part, "streams are \"default\" and numbers, such as \"0, 2\".");
        streams.push_back(*stream);
    }
    if (streams.empty())
        return wrong({}, "streams are \"default\" and numbers, such as \"0, 2\".");
    return streams;
}

Result<TextPattern> parseText(std::string_view text)
{
    if (base::trimmed(text).empty() || base::trimmed(text) == "//")
        return wrong({}, "words, or an expression between slashes such as \"/h\\.\\d+/\".");
    return TextPattern::parse(base::trimmed(text));
}

Result<std::vector<PoolPattern>> parsePools(std::string_view text)
{
    constexpr std::string_view kTakes =
        "pools are \"default\", \"private\", and private ones by number, such as \"0.1\".";
    std::vector<PoolPattern> pools;
    for (const std::string_view part : listed(text)) {
        const std::size_t point = part.find('.');
        if (base::lowered(part) == "default") {
            pools.push_back({std::array<std::uint64_t, 2>{0, 0}});
        } else if (base::lowered(part) == "private") {
            pools.push_back({});
        } else {
            const auto first = number<std::uint64_t>(part.substr(0, point));
            const auto second = number<std::uint64_t>(
                point == std::string_view::npos ? std::string_view{} : part.substr(point + 1));
            if (!first || !second)
                return wrong(part, kTakes);
            pools.push_back({std::array{*first, *second}});
        }
    }
    if (pools.empty())
        return wrong({}, kTakes);
    return pools;
}

Result<NamePattern> NamePattern::parse(std::string_view text)
{
    NamePattern pattern;
    const std::string_view value = base::trimmed(text);
    if (value.size() > 2 && value.front() == '/' && value.back() == '/') {
        ASSIGN_OR_RETURN(pattern.m_pattern, TextPattern::parse(value));
        return pattern;
    }
    for (const std::string_view part : listed(value))
        pattern.m_names.push_back(base::lowered(part));
    if (pattern.m_names.empty() || value == "//")
        return wrong({}, "names of phases, or an expression such as \"/step \\d+/\".");
    return pattern;
}

bool NamePattern::matches(std::string_view name) const
{
    return m_pattern
               ? m_pattern->matches(name)
               : std::ranges::find(m_names, base::lowered(base::trimmed(name))) != m_names.end();
}

Result<LifePattern> LifePattern::parse(std::string_view text)
{
    constexpr std::string_view kEvents = "events";
    const std::string value = base::lowered(base::trimmed(text));
    LifePattern pattern;
    if (value.empty())
        return wrong({}, "a time such as \">= 10 ms\", a number such as \"< 100 events\", \"to the "
                         "end\" or \"from before\".");
    if (value == "to the end") {
        pattern.m_kind = Kind::ToEnd;
    } else if (value == "from before") {
        pattern.m_kind = Kind::FromBefore;
    } else if (value.ends_with(kEvents)) {
        pattern.m_kind = Kind::Events;
        const std::string_view figures =
            base::trimmed(std::string_view{value}.substr(0, value.size() - kEvents.size()));
        ASSIGN_OR_RETURN(pattern.m_range,
                         parseRange(figures, [](std::string_view part) -> Result<std::int64_t> {
                             constexpr std::int64_t kMost = std::int64_t{1} << 40;
                             const auto events = number<std::int64_t>(part);
                             if (!events || *events < 0 || *events > kMost)
                                 return wrong(part, "a number of events such as \"< 100 events\".");
                             return *events;
                         }));
    } else {
        ASSIGN_OR_RETURN(pattern.m_range, parseRange(value, [](std::string_view part) {
                             return base::parseTime(part).map(
                                 [](base::Nanoseconds time) { return time.count(); });
                         }));
    }
    return pattern;
}

bool LifePattern::matches(const DeviceTrace& device, std::size_t allocation) const
{
    const Allocations& all = device.allocations();
    switch (m_kind) {
    case Kind::ToEnd: return all.freeEvent[allocation] == kNoEvent;
    case Kind::FromBefore: return all.allocEvent[allocation] == kNoEvent;
    case Kind::Events: {
        const auto recorded = [&](EventIndex event, std::uint64_t otherwise) {
            return static_cast<std::int64_t>(event == kNoEvent ? otherwise
                                                               : device.shownIndex(event));
        };
        return m_range.contains(recorded(all.freeEvent[allocation], device.recordedCount())
                                - recorded(all.allocEvent[allocation], 0));
    }
    case Kind::Time: break;
    }
    const timeline::Times& times = device.axisTimes();
    return m_range.contains(times[device.lastStep(allocation) + std::size_t{1}]
                            - times[device.firstStep(allocation)]);
}

} // namespace plimsoll::memtrace
