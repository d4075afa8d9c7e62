// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::base {

/// The first character of a text. `length` is 0 if the text is empty or not valid UTF-8 (overlong
/// forms and surrogates included).
struct Character
{
    char32_t code = 0;
    std::size_t length = 0;
};
[[nodiscard]] Character firstCharacter(std::string_view text);

/// Empty if `code` is not a character: a surrogate, or beyond the last code point.
[[nodiscard]] std::string utf8(char32_t code);

/// The character that two UTF-16 units encode; none if they aren't a surrogate pair.
[[nodiscard]] std::optional<char32_t> joinSurrogates(char32_t high, char32_t low);

/// Whether a character is invisible, moves a terminal's cursor or changes the direction of the text
/// around it: control characters (of ASCII and beyond), direction marks, line and paragraph
/// separators, zero-width characters, tags, and noncharacters.
[[nodiscard]] bool isHidden(char32_t code);

/// How characters beyond 16 bits are escaped: "\U000e0001", or "\udb40\udc01".
enum class Escapes : std::uint8_t { Python, Json };

/// A Python or JSON text with its hidden characters escaped, except line breaks. They may occur in
/// string literals only, whose meaning stays the same.
[[nodiscard]] std::string escapeHidden(std::string_view source, Escapes escapes);

/// Length of the UTF-8 byte order mark at the beginning of a text: 3, or 0 if there is none.
[[nodiscard]] std::size_t byteOrderMark(std::string_view text);
/// A JSON text without leading byte order mark and white space.
[[nodiscard]] std::string_view fromFirstCharacter(std::string_view text);

} // namespace plimsoll::base
