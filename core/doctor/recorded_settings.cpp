// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/recorded_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace plimsoll::doctor {

namespace {

using Settings = std::map<std::string, std::string>;

std::optional<std::string> valueOf(const Settings& settings, const std::string& name)
{
    const auto at = settings.find(name);
    return at == settings.end() ? std::nullopt : std::optional{at->second};
}

/// Options at commas that are not inside brackets, without spaces around them.
std::vector<std::string_view> optionsIn(std::string_view text)
{
    std::vector<std::string_view> options;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && (text[i] != ',' || depth != 0)) {
            depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
            continue;
        }
        std::string_view option = text.substr(begin, i - begin);
        option.remove_prefix(std::min(option.find_first_not_of(' '), option.size()));
        option = option.substr(0, option.find_last_not_of(' ') + 1);
        if (!option.empty())
            options.push_back(option);
        begin = i + 1;
    }
    return options;
}

std::optional<std::int64_t> wholeNumber(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{value}
                                                                    : std::nullopt;
}

/// {'1': 4, '2': 0, …}, which the reader keeps as "1:4,2:0,…", by size in MiB.
bool takeDivisions(allocator::AllocatorSettings& settings, const std::string& text)
{
    const auto parsed =
        allocator::parseAllocatorSettings(fmt::format("roundup_power2_divisions:[{}]", text));
    if (parsed)
        settings.roundupDivisions = parsed->roundupDivisions;
    return parsed.has_value();
}

/// The figures that snapshots have beside the text. False if one can't be followed.
bool takeFigures(allocator::AllocatorSettings& settings, const Settings& recorded)
{
    if (const auto threshold = valueOf(recorded, "garbage_collection_threshold");
        threshold && threshold->find_first_not_of("0.") != std::string::npos)
        return false;
    if (const auto expandable = valueOf(recorded, "expandable_segments"))
        settings.expandableSegments = *expandable == "True";
    if (const auto split = valueOf(recorded, "max_split_size")) {
        const std::optional<std::int64_t> bytes = wholeNumber(*split);
        if (!bytes)
            return false;
        settings.maxSplitSize =
            *bytes < 0 ? allocator::AllocatorSettings{}.maxSplitSize : base::Bytes{*bytes};
    }
    const auto divisions = valueOf(recorded, "roundup_power2_divisions");
    return !divisions || takeDivisions(settings, *divisions);
}

} // namespace

RecordedSettings recordedSettings(const memtrace::MemoryTrace& trace)
{
    RecordedSettings found;
    const std::optional<std::string> text = valueOf(trace.settings(), "PYTORCH_CUDA_ALLOC_CONF");
    if (!text && !valueOf(trace.settings(), "expandable_segments")) {
        found.doubt = "the recording doesn't say with which settings the allocator ran";
        return found;
    }
    found.text = text.value_or("");
    if (const auto parsed = allocator::parseAllocatorSettings(found.text))
        found.settings = *parsed;
    else
        found.doubt = "it ran with settings that the replay doesn't know";
    if (!takeFigures(found.settings, trace.settings()))
        found.doubt = "it ran with settings that the replay doesn't know";
    return found;
}

std::string withOption(std::string_view text, std::string_view name, std::string_view value)
{
    std::vector<std::string> options;
    for (const std::string_view option : optionsIn(text))
        if (option.substr(0, option.find_first_of(": ")) != name)
            options.emplace_back(option);
    options.push_back(fmt::format("{}:{}", name, value));
    return fmt::format("{}", fmt::join(options, ","));
}

} // namespace plimsoll::doctor
