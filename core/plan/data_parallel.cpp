// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data_parallel.h"

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

namespace plimsoll::plan {

namespace {

using base::printable;
using base::Result;

constexpr std::int64_t kMostProcesses = 65536;
constexpr double kLeastBandwidth = 1e6; ///< slower than any network
constexpr double kMostBandwidth = 1e18;
constexpr double kMostLatency = 1e9; ///< a second
constexpr double kUsualLatency = 5000;
constexpr std::int64_t kMostBucket = std::int64_t{1} << 50U;

using Unit = std::pair<std::string_view, double>;
constexpr std::array<Unit, 4> kRates{{{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}};
constexpr std::array<Unit, 3> kTimes{{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}}};

tl::unexpected<base::Error> wrong(const std::string& sentence)
{
    return base::failure(base::ErrorKind::Usage,
                         "Data parallel is a line such as "
                         "\"world=8,bucket=25MiB,busbw=100GB/s,latency=5us,views,manual\": "
                             + sentence);
}

/// A number and its suffix.
std::optional<std::pair<double, std::string_view>> leadingNumber(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value))
        return std::nullopt;
    return std::pair{value,
                     base::trimmed(text.substr(static_cast<std::size_t>(end - text.data())))};
}

template <std::size_t Count>
std::optional<double> scaled(double value, std::string_view unit,
                             const std::array<Unit, Count>& units)
{
    for (const auto& [name, factor] : units)
        if (unit == name)
            return value * factor;
    return std::nullopt;
}

Result<double> bandwidthOf(std::string_view text)
{
    if (const auto number = leadingNumber(text)) {
        auto [value, unit] = *number;
        if (unit.size() >= 3 && unit.substr(unit.size() - 3) == "B/s")
            unit.remove_suffix(3);
        const std::optional<double> rate =
            unit.empty() ? std::optional{value} : scaled(value, unit, kRates);
        if (rate && *rate >= kLeastBandwidth && *rate <= kMostBandwidth)
            return *rate;
    }
    return wrong(fmt::format("busbw must be at least 1MB/s, such as 100GB/s, not \"{}\".",
                             printable(text, 40)));
}

Result<base::Nanoseconds> latencyOf(std::string_view text)
{
    if (const auto number = leadingNumber(text))
        if (const auto time = scaled(number->first, number->second, kTimes);
            time && *time >= 0 && *time <= kMostLatency)
            return base::Nanoseconds{std::llround(*time)};
    return wrong(fmt::format("latency must be a time up to 1000ms, such as 5us, not \"{}\".",
                             printable(text, 40)));
}

Result<std::int64_t> integerOf(const char* key, std::string_view text, std::int64_t least,
                               std::int64_t most)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most)
        return value;
    return wrong(fmt::format("{} must be a whole number from {} to {}, not \"{}\".", key, least,
                             most, printable(text, 40)));
}

/// One `key=value`, or a single word.
Result<void> take(DataParallel& setting, std::string_view key, std::string_view value)
{
    if (key == "world")
        return integerOf("world", value, 2, kMostProcesses).map([&](std::int64_t world) {
            setting.world = world;
        });
    if (key == "zero")
        return integerOf("zero", value, 0, 3).map([&](std::int64_t stage) {
            setting.zero = stage;
        });
    if (key == "busbw")
        return bandwidthOf(value).map([&](double rate) { setting.busBandwidth = rate; });
    if (key == "latency")
        return latencyOf(value).map([&](base::Nanoseconds time) { setting.latency = time; });
    const Result<base::Bytes> bytes = base::parseBytes(value);
    if (!bytes)
        return wrong("bucket: " + bytes.error().message);
    if (bytes->count() < 1 || bytes->count() > kMostBucket)
        return wrong("bucket must be a size from 1 B to 1 PiB, such as 25MiB.");
    setting.bucket = *bytes;
    return {};
}

Result<void> takePart(DataParallel& setting, std::string_view part)
{
    const std::size_t equals = part.find('=');
    const std::string_view key = base::trimmed(part.substr(0, equals));
    const bool hasValue = equals != std::string_view::npos;
    if (!hasValue && (key == "views" || key == "manual")) {
        (key == "views" ? setting.views : setting.manual) = true;
        return {};
    }
    constexpr std::array<std::string_view, 5> kValues{"world", "bucket", "busbw", "latency",
                                                      "zero"};
    for (const std::string_view known : kValues)
        if (hasValue && key == known)
            return take(setting, key, base::trimmed(part.substr(equals + 1)));
    return wrong(
        fmt::format("\"{}\" is not one of world=, bucket=, busbw=, latency=, zero=, views, manual.",
                    printable(part, 40)));
}

} // namespace

double usualBusBandwidth(const Device& device)
{
    return std::max(device.deviceLink > 0 ? device.deviceLink : device.hostLink, kLeastBandwidth);
}

Result<DataParallel> parseDataParallel(std::string_view text, const Device& device)
{
    DataParallel setting;
    setting.busBandwidth = usualBusBandwidth(device);
    setting.latency = base::Nanoseconds{std::llround(kUsualLatency)};
    std::set<std::string_view> seen;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = base::trimmed(text.substr(begin, end - begin));
        begin = end + 1;
        const std::string_view key = base::trimmed(part.substr(0, part.find('=')));
        if (!seen.insert(key).second)
            return wrong(fmt::format("{} appears twice.", printable(key, 40)));
        RETURN_IF_ERROR(takePart(setting, part));
    }
    if (!seen.contains("world"))
        return wrong("world is missing: give the number of processes.");
    if (setting.isSharded())
        for (const std::string_view ofDdp : {"bucket", "views", "manual"})
            if (seen.contains(ofDdp))
                return wrong(
                    fmt::format("{} is an option of DDP, but zero={} uses fully_shard, which "
                                "reduces the gradients of a module together: leave {} out.",
                                ofDdp, setting.zero, ofDdp));
    return setting;
}

std::string dataParallelText(const DataParallel& setting)
{
    std::string text = fmt::format("world={}", setting.world);
    if (setting.bucket)
        text += fmt::format(",bucket={}", setting.bucket->count());
    text += fmt::format(",busbw={},latency={}ns", setting.busBandwidth, setting.latency.count());
    if (setting.views)
        text += ",views";
    if (setting.manual)
        text += ",manual";
    if (setting.zero > 0)
        text += fmt::format(",zero={}", setting.zero);
    return text;
}

} // namespace plimsoll::plan
