// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kineto/root_values.h"

#include "core/readers/kineto/decimal_time.h"

#include <simdjson.h>

#include <charconv>
#include <system_error>

namespace plimsoll::readers::kineto {

namespace {

/// The number with which a text begins.
std::optional<std::int64_t> numberAtBeginOf(std::string_view text, bool isWhole)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || (isWhole && end != text.data() + text.size()))
        return std::nullopt;
    return number;
}

} // namespace

std::optional<int> deviceOf(const TraceEvent& event)
{
    const std::optional<std::int64_t> number =
        event.device ? event.device : numberAtBeginOf(event.process, false);
    return isDevice(number) ? std::optional{static_cast<int>(*number)} : std::nullopt;
}

std::optional<std::int64_t> baseTimeOf(std::string_view text)
{
    const std::optional<std::int64_t> base = numberAtBeginOf(text, true);
    return base && *base >= 0 && *base <= kLongestNs ? base : std::nullopt;
}

bool eachDevice(std::string_view text, const std::function<void(int, std::string_view)>& take)
{
    simdjson::dom::parser parser;
    simdjson::dom::array devices;
    if (parser.parse(text.data(), text.size()).get(devices) != simdjson::SUCCESS)
        return false;
    for (const auto device : devices) {
        std::int64_t number = 0;
        std::string_view name;
        if (device["id"].get(number) == simdjson::SUCCESS
            && device["name"].get(name) == simdjson::SUCCESS && isDevice(number))
            take(static_cast<int>(number), name);
    }
    return true;
}

} // namespace plimsoll::readers::kineto
