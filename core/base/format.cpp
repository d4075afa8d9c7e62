// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"

#include "core/base/limits.h"
#include "core/base/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace plimsoll::base {

namespace {

/// A unit that sizes are read in.
struct Unit
{
    std::string_view name;
    double factor;
};

/// A unit that sizes are shown in.
struct ShownUnit
{
    std::string_view name;
    std::uint64_t bytes;
    int decimals;
};

constexpr std::array kShownUnits{
    ShownUnit{"TiB", std::uint64_t{1} << 40U, 2}, ShownUnit{"GiB", std::uint64_t{1} << 30U, 2},
    ShownUnit{"MiB", std::uint64_t{1} << 20U, 1}, ShownUnit{"KiB", std::uint64_t{1} << 10U, 1}};

constexpr unsigned char kAsciiEnd = 0x80;

constexpr std::array kAllUnits{Unit{"TiB", 1099511627776.0},
                               Unit{"GiB", 1073741824.0},
                               Unit{"MiB", 1048576.0},
                               Unit{"KiB", 1024.0},
                               Unit{"TB", 1e12},
                               Unit{"GB", 1e9},
                               Unit{"MB", 1e6},
                               Unit{"KB", 1e3},
                               Unit{"kB", 1e3},
                               Unit{"B", 1.0},
                               Unit{"", 1.0}};

std::string threeDigits(double value)
{
    if (value >= 100)
        return fmt::format("{:.0f}", value);
    return value >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

/// `magnitude` in the given number of parts of the unit, in integers so that no byte gets lost.
std::uint64_t countOfParts(std::uint64_t magnitude, std::uint64_t unit, std::uint64_t parts,
                           Rounding rounding)
{
    const std::uint64_t rest = magnitude % unit * parts;
    const std::uint64_t down = magnitude / unit * parts + rest / unit;
    const std::uint64_t left = rest % unit;
    const bool up =
        rounding == Rounding::Up ? left > 0 : rounding == Rounding::Nearest && left >= unit - left;
    return down + (up ? 1 : 0);
}

Rounding opposite(Rounding rounding)
{
    if (rounding == Rounding::Nearest)
        return rounding;
    return rounding == Rounding::Up ? Rounding::Down : Rounding::Up;
}

std::string_view withoutSpaces(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

} // namespace

namespace {

/// In one unit; nullopt if the value is less than one unit and `atLeastOne` is set.
std::optional<FigureText> figureIn(const ShownUnit& unit, Bytes bytes, Rounding rounding,
                                   int decimals, bool atLeastOne)
{
    const bool negative = bytes.count() < 0;
    const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(bytes.count())
                                             : static_cast<std::uint64_t>(bytes.count());
    const std::uint64_t parts = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
    const std::uint64_t shown =
        countOfParts(magnitude, unit.bytes, parts, negative ? opposite(rounding) : rounding);
    if (atLeastOne && shown < parts) // 1023.99 MiB shown as 1024 needs the next unit
        return std::nullopt;
    const std::string sign = negative ? "-" : "";
    return FigureText{
        decimals == 0 ? fmt::format("{}{}", sign, shown)
                      : fmt::format("{}{}.{:0{}}", sign, shown / parts, shown % parts, decimals),
        std::string{unit.name}};
}

} // namespace

FigureText bytesFigure(Bytes bytes, Rounding rounding, Digits digits)
{
    for (const ShownUnit& unit : kShownUnits) {
        const int decimals =
            digits == Digits::Few && unit.bytes < kShownUnits[1].bytes ? 0 : unit.decimals;
        if (const auto figure = figureIn(unit, bytes, rounding, decimals, true))
            return *figure;
    }
    return {fmt::format("{}", bytes.count()), "B"};
}

FigureText bytesFigureLike(Bytes bytes, Bytes like, Rounding rounding)
{
    const std::string unit = bytesFigure(like, rounding).unit;
    for (const ShownUnit& shown : kShownUnits)
        if (shown.name == unit)
            return *figureIn(shown, bytes, rounding, shown.decimals, false);
    return {fmt::format("{}", bytes.count()), "B"};
}

std::string bytesText(Bytes bytes, Rounding rounding)
{
    const FigureText text = bytesFigure(bytes, rounding);
    return text.figure + " " + text.unit;
}

std::string budgetText(Bytes budget, Bytes peak)
{
    if (peak > budget)
        return bytesText(budget, Rounding::Down);
    // If the two differ when rounded up, the peak's text is at most the budget's rounded down.
    const std::string up = bytesText(budget, Rounding::Up);
    return bytesText(peak, Rounding::Up) == up ? up : bytesText(budget);
}

std::string exactBytesText(Bytes bytes)
{
    std::string digits = fmt::format("{}", bytes.count());
    const std::size_t sign = bytes.count() < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > sign + 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits + " B";
}

std::string timeText(Nanoseconds time)
{
    const auto value = static_cast<double>(time.count());
    if (std::abs(value) >= 1e9)
        return threeDigits(value / 1e9) + " s";
    if (std::abs(value) >= 1e6)
        return threeDigits(value / 1e6) + " ms";
    if (std::abs(value) >= 1e3)
        return threeDigits(value / 1e3) + " µs";
    return fmt::format("{} ns", time.count());
}

std::string overheadText(double ratio)
{
    const double percent = (ratio - 1.0) * 100.0;
    return fmt::format("{}{:.1f} %", percent < -0.05 ? "−" : "+", std::abs(percent));
}

std::string counted(std::size_t count, std::string_view noun, std::string_view many)
{
    if (count == 1)
        return fmt::format("1 {}", noun);
    return many.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, many);
}

Result<Bytes> parseBytes(std::string_view text)
{
    const std::string input{withoutSpaces(text)};
    const auto bad = [&] {
        return failure(ErrorKind::Usage,
                       fmt::format("\"{}\" is not a size: write plain bytes or a number with KiB, "
                                   "MiB, GiB, KB, MB or GB, such as 2100MiB.",
                                   printable(text, 40)));
    };
    const std::size_t digits = std::min(input.find_first_not_of("0123456789."), input.size());
    if (digits == 0)
        return bad();
    const std::string_view unitName = withoutSpaces(std::string_view{input}.substr(digits));
    for (const Unit& unit : kAllUnits) {
        if (unit.name != unitName)
            continue;
        double value = 0;
        const auto [end, error] = std::from_chars(input.data(), input.data() + digits, value);
        if (end != input.data() + digits)
            return bad();
        const double bytes = value * unit.factor;
        if (error != std::errc{} || !(bytes < static_cast<double>(kHuge)))
            return failure(ErrorKind::Usage,
                           fmt::format("\"{}\" is larger than any memory.", printable(text, 40)));
        // A double would round values of more than 53 bits.
        std::int64_t exact = 0;
        if (unit.factor == 1.0
            && std::from_chars(input.data(), input.data() + digits, exact).ptr == end)
            return Bytes{exact};
        return Bytes{static_cast<std::int64_t>(std::floor(bytes))};
    }
    return bad();
}

Result<Nanoseconds> parseTime(std::string_view text)
{
    constexpr double kMost = 9e18; // nanoseconds that 63 bits hold
    const std::string_view input = withoutSpaces(text);
    // The longest unit first, since "ms" ends like "s".
    static constexpr std::array<Unit, 5> kUnits{Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"µs", 1e3},
                                                Unit{"ms", 1e6}, Unit{"s", 1e9}};
    for (const Unit& unit : kUnits) {
        if (!input.ends_with(unit.name))
            continue;
        const std::string_view digits =
            withoutSpaces(input.substr(0, input.size() - unit.name.size()));
        double value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc{} && end == digits.data() + digits.size() && value >= 0
            && value * unit.factor < kMost)
            return Nanoseconds{std::llround(value * unit.factor)};
        break;
    }
    return failure(ErrorKind::Usage,
                   fmt::format("\"{}\" is not a time: write a number with ns, us, ms or s, such as "
                               "12.5ms.",
                               printable(text, 40)));
}

std::string printable(std::string_view text, std::size_t limit)
{
    std::string out;
    while (!text.empty()) {
        if (out.size() >= limit)
            return out + "…";
        const Character character = firstCharacter(text);
        const auto lead = static_cast<unsigned char>(text.front());
        const std::size_t length = std::max<std::size_t>(character.length, 1);
        if (character.length == 0 || (lead < kAsciiEnd && isHidden(lead)))
            out += fmt::format("\\x{:02x}", lead);
        else if (isHidden(character.code))
            out += escapeHidden(text.substr(0, length), Escapes::Python);
        else
            out += text.substr(0, length);
        text.remove_prefix(length);
    }
    return out;
}

} // namespace plimsoll::base
