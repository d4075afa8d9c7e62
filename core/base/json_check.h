// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll::readers::plimsoll_graph {

/// What is wrong with a text that should be one JSON value.
struct JsonFault
{
    enum class Kind : std::uint8_t { NotJson, TooDeep };
    Kind kind = Kind::NotJson;
    std::size_t at = 0; ///< in the text

    bool operator==(const JsonFault&) const = default;
};

/// Brackets nest at most this deep.
inline constexpr std::size_t kDeepest = 64;

/// The first fault of one value with nothing but white space around it. The parser that walks over
/// values which nobody reads counts their brackets only; this looks at every token. UTF-8 is taken
/// for granted.
[[nodiscard]] std::optional<JsonFault> checkJson(std::string_view text);

} // namespace plimsoll::readers::plimsoll_graph
