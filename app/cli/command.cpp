// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"

#include "core/base/format.h"
#include "core/io/byte_source.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace plimsoll::cli {

namespace {

using base::ErrorKind;
using base::failure;

constexpr double kLargestExact = 9007199254740992.0; ///< 2^53

} // namespace

Exit exitFor(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::Internal: return Exit::Internal;
    case ErrorKind::Usage: return Exit::Usage;
    case ErrorKind::File: return Exit::File;
    case ErrorKind::NotFound: return Exit::NoPlan;
    case ErrorKind::CheckFailed: return Exit::GateFailed;
    case ErrorKind::Cancelled: return Exit::Cancelled;
    }
    return Exit::Internal;
}

void addCommon(CLI::App& verb, Common& common)
{
    verb.add_flag("--json", common.json, "Print one JSON object and nothing else");
    verb.add_flag("--quiet", common.quiet, "Print no text and no progress");
}

base::Bytes Budget::of(base::Bytes peak) const
{
    if (!ratio)
        return bytes;
    return base::Bytes{
        static_cast<std::int64_t>(std::floor(*ratio * static_cast<double>(peak.count())))};
}

base::Result<double> parsePercent(std::string_view text)
{
    std::string_view digits = text;
    if (digits.ends_with('%'))
        digits.remove_suffix(1);
    double value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || stop != end || !(value >= 0) || value > 1e6)
        return failure(ErrorKind::Usage,
                       fmt::format("\"{}\" is not a percentage: write a number such as 80%.",
                                   base::printable(text, 40)));
    return value;
}

base::Result<Budget> parseBudget(std::string_view text)
{
    if (text.ends_with('%'))
        return parsePercent(text).map(
            [](double percent) { return Budget{.bytes = {}, .ratio = percent / 100}; });
    return base::parseBytes(text).map(
        [](base::Bytes bytes) { return Budget{.bytes = bytes, .ratio = {}}; });
}

base::Error inFile(const std::filesystem::path& path, const base::Error& error)
{
    if (error.kind != ErrorKind::File)
        return error;
    return {error.kind, io::pathText(path) + ": " + error.message};
}

ordered_json number(double value)
{
    if (value == std::floor(value) && std::abs(value) < kLargestExact)
        return static_cast<std::int64_t>(value);
    return value;
}

std::string counted(std::size_t count, std::string_view noun)
{
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

} // namespace plimsoll::cli
