// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::base {

/// The first character of a text. `length` 0: there is none, or it is no valid UTF-8 (overlong
/// forms and surrogates included).
struct Character
{
    char32_t code = 0;
    std::size_t length = 0;
};
[[nodiscard]] Character firstCharacter(std::string_view text);

/// Empty where it is no character: a surrogate, or beyond the last code.
[[nodiscard]] std::string utf8(char32_t code);

/// The character that two units of UTF-16 make; none when they are no pair of surrogates.
[[nodiscard]] std::optional<char32_t> joinSurrogates(char32_t high, char32_t low);

/// Shows nothing, moves a terminal's cursor or turns the order of what stands beside it: control
/// characters (of ASCII and beyond), marks of writing direction, separators of lines and
/// paragraphs, characters of no width, tags, and what no text may hold.
[[nodiscard]] bool isHidden(char32_t code);

/// How characters beyond 16 bits are escaped: "\U000e0001", or "\udb40\udc01".
enum class Escapes : std::uint8_t { Python, Json };

/// A Python or JSON text with its hidden characters escaped, line breaks excepted. In string
/// literals, where alone they may stand, it means the same as before.
[[nodiscard]] std::string escapeHidden(std::string_view source, Escapes escapes);

/// Bytes of the UTF-8 byte order mark that a text begins with: 3, or 0 without one.
[[nodiscard]] std::size_t byteOrderMark(std::string_view text);
/// A JSON text from its first character on: without a byte order mark and white space before it.
[[nodiscard]] std::string_view fromFirstCharacter(std::string_view text);

} // namespace plimsoll::base
