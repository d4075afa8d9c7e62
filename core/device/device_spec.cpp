// SPDX-License-Identifier: Apache-2.0
#include "core/device/device_spec.h"

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/base/try.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace plimsoll::plan {

namespace {

using base::ErrorKind;
using base::failure;
using base::printable;
using base::Result;

constexpr std::array kKeys{"name",    "memory", "bandwidth", "float32", "bfloat16", "float16",
                           "float64", "host",   "link",      "latency", "workspace"};
constexpr double kMostRate = 1e18;       ///< far beyond any device; keeps all sums in range
constexpr double kMostLatency = 1e9;     ///< a second
constexpr double kUsualHostLink = 16e9;  ///< PCI Express 3.0 x16
constexpr double kUsualLatency = 4000;   ///< as in the table
constexpr std::size_t kLongestName = 60; ///< bytes

using Fields = std::map<std::string, std::string, std::less<>>;

base::Error wrong(const std::string& sentence)
{
    return {ErrorKind::Usage, "A device by hand is a line such as "
                              "\"name=My GPU,memory=24GiB,bandwidth=1008G,float32=82.6T\": "
                                  + sentence};
}

Result<Fields> fieldsOf(std::string_view text)
{
    Fields fields;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = base::trimmed(text.substr(begin, end - begin));
        begin = end + 1;
        const std::size_t equals = part.find('=');
        if (part.empty())
            return tl::unexpected{wrong("there is nothing before or after one of its commas.")};
        if (equals == std::string_view::npos)
            return tl::unexpected{
                wrong(fmt::format("\"{}\" has no equals sign.", printable(part, 40)))};
        const std::string key{base::trimmed(part.substr(0, equals))};
        if (std::ranges::find(kKeys, key) == kKeys.end())
            return tl::unexpected{wrong(fmt::format("\"{}\" is not one of {}.", printable(key, 40),
                                                    fmt::join(kKeys, ", ")))};
        if (!fields.emplace(key, base::trimmed(part.substr(equals + 1))).second)
            return tl::unexpected{wrong(fmt::format("{} appears twice.", key))};
    }
    for (const char* key : {"memory", "bandwidth", "float32"})
        if (fields.find(key) == fields.end())
            return tl::unexpected{wrong(fmt::format("{} is missing.", key))};
    return fields;
}

/// "82.6T" as 82.6e12.
std::optional<double> scaled(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc{} || text.size() > 1 || !std::isfinite(value))
        return std::nullopt;
    if (text.empty())
        return value;
    constexpr std::string_view kLetters = "kMGTP";
    const std::size_t place = kLetters.find(text.front());
    if (place == std::string_view::npos)
        return std::nullopt;
    return value * std::pow(1000.0, static_cast<double>(place + 1));
}

/// The number in a field, `usual` if it is missing.
Result<double> number(const Fields& fields, const char* key, double usual, double least,
                      double most)
{
    const auto field = fields.find(key);
    if (field == fields.end())
        return usual;
    const std::optional<double> value = scaled(field->second);
    if (!value || *value < least || *value > most)
        return tl::unexpected{
            wrong(fmt::format("{} must be a number from {} to {}, such as 1008G, not \"{}\".", key,
                              least, most, printable(field->second, 40)))};
    return *value;
}

Result<std::string> nameOf(const Fields& fields)
{
    const auto field = fields.find("name");
    if (field == fields.end())
        return std::string{"Custom GPU"};
    const std::string& name = field->second;
    if (name.empty() || name.size() > kLongestName || printable(name) != name)
        return tl::unexpected{
            wrong(fmt::format("the name must have 1 to {} printable characters.", kLongestName))};
    return name;
}

} // namespace

bool isDeviceSpec(std::string_view text)
{
    return text.find('=') != std::string_view::npos;
}

Result<Device> parseDeviceSpec(std::string_view text)
{
    ASSIGN_OR_RETURN(const Fields fields, fieldsOf(text));
    Device device;
    ASSIGN_OR_RETURN(device.name, nameOf(fields));
    const Result<base::Bytes> memory = base::parseBytes(fields.find("memory")->second);
    if (!memory)
        return tl::unexpected{wrong("memory: " + memory.error().message)};
    if (memory->count() == 0)
        return tl::unexpected{wrong("memory must be a size larger than 0, such as 24GiB.")};
    device.memory = *memory;
    Result<double> value;
    const auto take = [&](const char* key, double usual, double least, double most) {
        if (value)
            value = number(fields, key, usual, least, most);
        return value.value_or(0);
    };
    device.bandwidth = take("bandwidth", 0, 1, kMostRate);
    for (const char* dtype : kRatedDtypes)
        device.flops[dtype] = take(dtype, device.flops["float32"], 1, kMostRate);
    device.hostLink = take("host", kUsualHostLink, 1, kMostRate);
    device.deviceLink = take("link", 0, 0, kMostRate);
    device.launchLatency =
        base::Nanoseconds{std::llround(take("latency", kUsualLatency, 0, kMostLatency))};
    RETURN_IF_ERROR(value);
    device.cublasWorkspace = kUsualCublasWorkspace;
    if (const auto field = fields.find("workspace"); field != fields.end()) {
        const Result<base::Bytes> workspace = base::parseBytes(field->second);
        if (!workspace)
            return tl::unexpected{wrong("workspace: " + workspace.error().message)};
        if (*workspace > kMostCublasWorkspace)
            return tl::unexpected{wrong("workspace must be at most 1 TiB.")};
        device.cublasWorkspace = *workspace;
    }
    device.id = deviceSpec(device);
    return device;
}

std::string deviceSpec(const Device& device)
{
    std::string text = fmt::format("name={},memory={},bandwidth={}", device.name,
                                   device.memory.count(), device.bandwidth);
    for (const char* dtype : kRatedDtypes)
        if (const auto rate = device.flops.find(dtype); rate != device.flops.end())
            text += fmt::format(",{}={}", dtype, rate->second);
    return text
           + fmt::format(",host={},link={},latency={},workspace={}", device.hostLink,
                         device.deviceLink, device.launchLatency.count(),
                         device.cublasWorkspace.count());
}

} // namespace plimsoll::plan
