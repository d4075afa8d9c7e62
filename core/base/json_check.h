// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace plimsoll::base {

/// The keys of one JSON object, in the order in which they appear.
class JsonKeys
{
public:
    /// False if `key` (with its escapes resolved) appeared before: readers would disagree about
    /// which of the two counts.
    [[nodiscard]] bool add(std::string_view key);

private:
    std::optional<std::string> m_first; ///< most objects have no other
    std::set<std::string, std::less<>> m_more;
};

/// `the key "x" appears here for the second time in one object`
[[nodiscard]] std::string repeatedKeyText(std::string_view key);

/// `there are more than 4,000,000 values and keys`
[[nodiscard]] std::string tooManyValuesText();

/// What is wrong with a text that should be one JSON value.
struct JsonFault
{
    enum class Kind : std::uint8_t { NotJson, TooDeep, RepeatedKey, TooMany };
    Kind kind = Kind::NotJson;
    std::size_t at = 0; ///< in the text
    std::string key;    ///< the repeated key

    bool operator==(const JsonFault&) const = default;
};

/// The deepest nesting of brackets.
inline constexpr std::size_t kDeepestJson = 100;

/// Values and keys in one text: a few times what the largest step ever traced (95,000 ops) needs.
/// Parsed they take 16 to 100 bytes each, so that a file of nothing but brackets stays below half a
/// gigabyte.
inline constexpr std::size_t kMostJsonValues = 4'000'000;

/// The first fault of a text that should be one JSON value with nothing but white space around it.
/// Parsers accept some of what this refuses: they don't count the brackets of skipped values, and
/// take the last of equal keys. Assumes valid UTF-8. Without a fault, sets `count`, if given, to
/// the number of values and keys.
[[nodiscard]] std::optional<JsonFault> checkJson(std::string_view text,
                                                 std::size_t* count = nullptr);

} // namespace plimsoll::base
