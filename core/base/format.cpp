// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace plimsoll::base {

namespace {

struct Unit
{
    std::string_view name;
    double factor;
};

constexpr std::array kBinaryUnits{Unit{"TiB", 1099511627776.0}, Unit{"GiB", 1073741824.0},
                                  Unit{"MiB", 1048576.0}, Unit{"KiB", 1024.0}};
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

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

/// Length of the valid UTF-8 sequence at the start of `text`, 0 when there is none.
std::size_t sequenceLength(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text.front());
    std::size_t length = 0;
    if (lead < 0x80)
        length = 1;
    else if (lead >= 0xc2 && lead < 0xe0)
        length = 2;
    else if (lead >= 0xe0 && lead < 0xf0)
        length = 3;
    else if (lead >= 0xf0 && lead < 0xf5)
        length = 4;
    if (length == 0 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U)
            return 0;
    return length;
}

} // namespace

std::string bytesText(Bytes bytes)
{
    const auto value = static_cast<double>(bytes.count());
    for (const Unit& unit : kBinaryUnits) {
        // Budgets are given in MiB: whole numbers of them stay in that unit up to 10,000.
        const bool wholeMebibytes = unit.name == "GiB" && std::abs(value) < 10240.0 * 1048576.0
                                    && bytes.count() % 1048576 == 0
                                    && bytes.count() % 1073741824 != 0;
        if (std::abs(value) >= unit.factor && !wholeMebibytes) {
            const double scaled = value / unit.factor;
            if (scaled == std::floor(scaled))
                return fmt::format("{:.0f} {}", scaled, unit.name);
            return (scaled < 0 ? "-" : "") + threeDigits(std::abs(scaled)) + " "
                   + std::string{unit.name};
        }
    }
    return fmt::format("{} B", bytes.count());
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

Result<Bytes> parseBytes(std::string_view text)
{
    const std::string input{trimmed(text)};
    const auto bad = [&] {
        return failure(ErrorKind::Usage,
                       fmt::format("\"{}\" is not a size: write plain bytes or a number with KiB, "
                                   "MiB, GiB, KB, MB or GB, such as 2100MiB.",
                                   printable(text, 40)));
    };
    std::size_t digits = 0;
    while (
        digits < input.size()
        && (std::isdigit(static_cast<unsigned char>(input[digits])) != 0 || input[digits] == '.'))
        ++digits;
    if (digits == 0)
        return bad();
    const std::string_view unitName = trimmed(std::string_view{input}.substr(digits));
    for (const Unit& unit : kAllUnits) {
        if (unit.name != unitName)
            continue;
        double value = 0;
        const auto [end, error] = std::from_chars(input.data(), input.data() + digits, value);
        if (error != std::errc{} || end != input.data() + digits)
            return bad();
        const double bytes = value * unit.factor;
        if (!(bytes < 4.611686018427388e18)) // 2^62: sums of two sizes stay inside 64 bits
            return failure(ErrorKind::Usage, fmt::format("\"{}\" is more than any computer has.",
                                                         printable(text, 40)));
        return Bytes{static_cast<std::int64_t>(std::floor(bytes))};
    }
    return bad();
}

std::string printable(std::string_view text, std::size_t limit)
{
    std::string out;
    while (!text.empty()) {
        if (out.size() >= limit)
            return out + "…";
        const std::size_t length = sequenceLength(text);
        const auto lead = static_cast<unsigned char>(text.front());
        if (length == 0 || lead < 0x20 || lead == 0x7f) {
            out += fmt::format("\\x{:02x}", lead);
            text.remove_prefix(1);
            continue;
        }
        out += text.substr(0, length);
        text.remove_prefix(length);
    }
    return out;
}

} // namespace plimsoll::base
