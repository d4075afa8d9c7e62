// SPDX-License-Identifier: Apache-2.0
#include "app/cli/numbers.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

namespace plimsoll::cli {

namespace {

/// Thirty years; more would overflow clocks that count nanoseconds.
constexpr double kMostSeconds = 1e9;

/// The whole text as a number; nullopt if a part is left over or it is out of range.
template <typename Number>
std::optional<Number> numberIn(const std::string& text)
{
    Number value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && stop == end ? std::optional{value} : std::nullopt;
}

CLI::Validator upTo(double most, const char* expected)
{
    const auto check = [most, expected](std::string& text) {
        const std::optional<double> value = numberIn<double>(text);
        return value && *value > 0 && *value <= most
                   ? std::string{}
                   : fmt::format("\"{}\" is not {}", base::printable(text, 40), expected);
    };
    return CLI::Validator{check, ""};
}

} // namespace

CLI::Validator wholeNumber(std::int64_t low, std::int64_t high)
{
    const auto check = [low, high](std::string& text) {
        const std::optional<std::int64_t> value = numberIn<std::int64_t>(text);
        if (!value || *value < low || *value > high)
            return fmt::format("\"{}\" is not a whole number from {} to {}",
                               base::printable(text, 40), low, high);
        text = std::to_string(*value); // without leading zeros, which would make it octal
        return std::string{};
    };
    return CLI::Validator{check, ""};
}

CLI::Validator seconds()
{
    return upTo(kMostSeconds, "a number of seconds above 0 and up to 1000000000");
}

CLI::Validator share()
{
    return upTo(1000, "a share above 0 and up to 1000, such as 0.8");
}

} // namespace plimsoll::cli
