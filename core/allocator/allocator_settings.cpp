// SPDX-License-Identifier: Apache-2.0
#include "core/allocator/allocator_settings.h"

#include "core/base/try.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <vector>

namespace plimsoll::allocator {

namespace {

using base::kMiB;
using base::Result;

constexpr std::string_view kExpandable = "expandable_segments";
constexpr auto kMostMegabytes = std::numeric_limits<std::int64_t>::max() / kMiB;

/// Options that decide about time, pinned memory or diagnostics only.
constexpr std::array<std::string_view, 7> kWithoutEffect{
    "release_lock_on_cudamalloc",     "pinned_use_cuda_host_register",
    "pinned_num_register_threads",    "pinned_use_background_threads",
    "pinned_reserve_segment_size_mb", "graph_capture_record_stream_reuse",
    "per_process_memory_fraction"};

tl::unexpected<base::Error> wrong(std::string_view what)
{
    return base::failure(base::ErrorKind::Usage, fmt::format("PYTORCH_CUDA_ALLOC_CONF: {}", what));
}

/// Splits at commas that are not inside brackets.
std::vector<std::string_view> optionsOf(std::string_view text)
{
    std::vector<std::string_view> options;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            options.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        } else {
            depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
        }
    }
    return options;
}

Result<std::int64_t> number(std::string_view option, std::string_view text, std::int64_t least)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range || value > kMostMegabytes)
        return wrong(fmt::format("{} is too large: {}.", option, text));
    if (error != std::errc{} || end != text.data() + text.size() || value < least)
        return wrong(fmt::format("{} must be a whole number of at least {}, not \"{}\".", option,
                                 least, text));
    return value;
}

/// A power of two, or 0.
Result<std::int64_t> divisions(std::string_view text)
{
    ASSIGN_OR_RETURN(const std::int64_t value, number("roundup_power2_divisions", text, 0));
    if (value != 0 && !std::has_single_bit(static_cast<std::uint64_t>(value)))
        return wrong(
            fmt::format("roundup_power2_divisions must be powers of two, not \"{}\".", text));
    return value;
}

/// The entry of a size in MiB, which must be a power of two.
Result<std::size_t> intervalOf(std::string_view size, std::size_t count)
{
    ASSIGN_OR_RETURN(const std::int64_t megabytes, number("roundup_power2_divisions", size, 1));
    const auto bits = static_cast<std::uint64_t>(megabytes);
    if (!std::has_single_bit(bits))
        return wrong(fmt::format(
            "roundup_power2_divisions takes sizes that are powers of two, not \"{}\".", size));
    return std::min(count, static_cast<std::size_t>(std::bit_width(bits))) - 1;
}

/// "4", or "[256:1,512:2,>:8]": sizes in MiB. As PyTorch has it, the first entry counts for smaller
/// sizes, too, ">" for all larger ones, and sizes between two entries are not rounded.
Result<void> readDivisions(AllocatorSettings& settings, std::string_view text)
{
    auto& all = settings.roundupDivisions;
    if (!text.starts_with('[')) {
        ASSIGN_OR_RETURN(const std::int64_t value, divisions(text));
        all.fill(value);
        return {};
    }
    if (!text.ends_with(']'))
        return wrong(R"(roundup_power2_divisions has a "[" without its "]".)");
    std::optional<std::size_t> last;
    for (const std::string_view pair : optionsOf(text.substr(1, text.size() - 2))) {
        const std::size_t colon = pair.find(':');
        if (colon == std::string_view::npos)
            return wrong(fmt::format("roundup_power2_divisions: \"{}\" has no colon.", pair));
        ASSIGN_OR_RETURN(const std::int64_t value, divisions(pair.substr(colon + 1)));
        if (pair.starts_with('>')) {
            std::fill(all.begin() + static_cast<std::ptrdiff_t>(last ? *last + 1 : 0), all.end(),
                      value);
            continue;
        }
        ASSIGN_OR_RETURN(const std::size_t interval, intervalOf(pair.substr(0, colon), all.size()));
        if (!last)
            std::fill_n(all.begin(), interval, value);
        all[interval] = value;
        last = interval;
    }
    return {};
}

Result<void> readOption(AllocatorSettings& settings, std::string_view name, std::string_view value)
{
    if (name == kExpandable) {
        if (value != "True" && value != "False")
            return wrong(fmt::format("{} must be True or False, not \"{}\".", kExpandable, value));
        settings.expandableSegments = value == "True";
    } else if (name == "max_split_size_mb") {
        ASSIGN_OR_RETURN(const std::int64_t megabytes, number(name, value, 21));
        settings.maxSplitSize = base::Bytes{megabytes * kMiB};
    } else if (name == "max_non_split_rounding_mb") {
        ASSIGN_OR_RETURN(const std::int64_t megabytes, number(name, value, 21));
        settings.maxNonSplitRounding = base::Bytes{megabytes * kMiB};
    } else if (name == "roundup_power2_divisions") {
        return readDivisions(settings, value);
    } else if (name == "garbage_collection_threshold" || (name == "backend" && value != "native")) {
        return wrong(fmt::format("{}:{} is not modelled: leave it out.", name, value));
    } else if (name != "backend"
               && std::ranges::find(kWithoutEffect, name) == kWithoutEffect.end()) {
        return wrong(fmt::format("PyTorch has no option \"{}\".", name));
    }
    return {};
}

} // namespace

Result<AllocatorSettings> parseAllocatorSettings(std::string_view text)
{
    AllocatorSettings settings;
    std::string compact;
    std::ranges::copy_if(text, std::back_inserter(compact), [](char c) { return c != ' '; });
    if (compact.empty())
        return settings;
    for (const std::string_view option : optionsOf(compact)) {
        const std::size_t colon = option.find(':');
        if (colon == std::string_view::npos)
            return wrong(fmt::format("\"{}\" has no colon: write option:value.", option));
        RETURN_IF_ERROR(readOption(settings, option.substr(0, colon), option.substr(colon + 1)));
    }
    return settings;
}

std::string withExpandableSegments(std::string_view text, bool expandable)
{
    std::vector<std::string_view> options;
    for (const std::string_view option : optionsOf(text))
        if (const std::size_t begin = option.find_first_not_of(' ');
            begin != std::string_view::npos && !option.substr(begin).starts_with(kExpandable))
            options.push_back(option.substr(begin));
    std::string joined = fmt::format("{}", fmt::join(options, ","));
    if (!expandable)
        return joined;
    return fmt::format("{}:True{}{}", kExpandable, joined.empty() ? "" : ",", joined);
}

} // namespace plimsoll::allocator
