// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"
#include "core/base/rounding.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::base {

/// Few: MiB and KiB without decimals.
enum class Digits : std::uint8_t { All, Few };

/// Figure and unit separately: {"7.16", "GiB"}. All rounding of sizes happens here.
struct FigureText
{
    std::string figure;
    std::string unit;
};
[[nodiscard]] FigureText bytesFigure(Bytes bytes, Rounding rounding = Rounding::Nearest,
                                     Digits digits = Digits::All);
/// The same in the unit that `like` has: for columns of figures whose header names the unit.
[[nodiscard]] FigureText bytesFigureLike(Bytes bytes, Bytes like, Rounding rounding);
/// "7.16 GiB", "288.0 MiB", "12 B": GiB two decimals, MiB and KiB one, B none. Never used for JSON.
[[nodiscard]] std::string bytesText(Bytes bytes, Rounding rounding = Rounding::Nearest);
/// A budget shown beside a peak that is rounded up. Rounded to nearest, except where a peak within
/// the budget would then look larger than it (up), or one over it as large as it (down).
[[nodiscard]] std::string budgetText(Bytes budget, Bytes peak);
/// "1,933,022,208 B".
[[nodiscard]] std::string exactBytesText(Bytes bytes);
/// "12.3 ms", "850 µs", "1.20 s".
[[nodiscard]] std::string timeText(Nanoseconds time);
/// "+3.2 %", "−1.0 %" for a ratio such as 1.032, 0.99.
[[nodiscard]] std::string overheadText(double ratio);

/// "1 op", "3 ops"; `many` for nouns whose plural needs more than an s: "2 entries".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun,
                                  std::string_view many = {});

/// Reads "1234", "512KiB", "2100MiB", "6GiB", "6GB", "1.5GiB", spaces allowed before the unit
/// (cli.md). At least 0.
[[nodiscard]] Result<Bytes> parseBytes(std::string_view text);

/// Reads "12.5ms", "850 us", "1.2 s", "300ns". At least 0.
[[nodiscard]] Result<Nanoseconds> parseTime(std::string_view text);

/// A text from a file made safe to show on one line: hidden characters (unicode.h) escaped, about
/// `limit` bytes at most, valid UTF-8.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 200);

} // namespace plimsoll::base
