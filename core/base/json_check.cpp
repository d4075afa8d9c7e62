// SPDX-License-Identifier: Apache-2.0
#include "core/base/json_check.h"

#include "core/base/format.h"
#include "core/base/unicode.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace plimsoll::base {

namespace {

constexpr std::size_t kHexDigits = 4;
constexpr unsigned char kFirstPrintable = 0x20;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isHex(char c)
{
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// The UTF-16 code unit of an escape \uXXXX at the beginning of a text, if there is one.
std::optional<char32_t> utf16Unit(std::string_view text)
{
    if (!text.starts_with("\\u"))
        return std::nullopt;
    constexpr int kHex = 16;
    std::uint32_t unit = 0;
    const std::string_view digits = text.substr(2, kHexDigits);
    std::from_chars(digits.data(), digits.data() + digits.size(), unit, kHex);
    return unit;
}

/// The content of a well-formed string with its escapes resolved. An unpaired surrogate isn't a
/// character and stays as written.
std::string resolved(std::string_view text)
{
    constexpr std::size_t kUnitLength = 2 + kHexDigits;
    constexpr std::string_view kLetters = "bfnrt";
    constexpr std::string_view kMeanings = "\b\f\n\r\t";
    std::string out;
    while (!text.empty()) {
        std::size_t length = 1;
        if (const std::optional<char32_t> unit = utf16Unit(text)) {
            const std::optional<char32_t> next = utf16Unit(text.substr(kUnitLength));
            const std::optional<char32_t> pair = next ? joinSurrogates(*unit, *next) : std::nullopt;
            length = pair ? 2 * kUnitLength : kUnitLength;
            const std::string character = utf8(pair.value_or(*unit));
            out += character.empty() ? text.substr(0, length) : character;
        } else if (text.front() == '\\') {
            length = 2;
            const std::size_t letter = kLetters.find(text[1]);
            out += letter == std::string_view::npos ? text[1] : kMeanings[letter];
        } else {
            out += text.front();
        }
        text.remove_prefix(length);
    }
    return out;
}

/// Parses one text. Every step returns false at the first fault and leaves m_at there.
class Walk
{
public:
    explicit Walk(std::string_view text) : m_text{text} {}

    [[nodiscard]] std::size_t count() const { return m_count; }
    [[nodiscard]] std::optional<JsonFault> run()
    {
        skipSpace();
        while (true) {
            if (!beginValue())
                return fault();
            if (m_open)
                continue; // a non-empty container: its first value is next
            if (!endValues())
                return fault();
            if (m_depth == 0)
                return m_at == m_text.size() ? std::nullopt : fault();
        }
    }

private:
    [[nodiscard]] std::optional<JsonFault> fault() const
    {
        return JsonFault{m_kind, m_at, m_repeated};
    }
    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    bool take(char c)
    {
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }
    void skipSpace()
    {
        while (m_at < m_text.size()
               && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t'
                   || m_text[m_at] == '\r'))
            ++m_at;
    }

    [[nodiscard]] bool mayHaveOneMore()
    {
        if (m_count < kMostJsonValues) {
            ++m_count;
            return true;
        }
        m_kind = JsonFault::Kind::TooMany;
        return false;
    }
    /// A scalar, an empty container, or the opening of a non-empty one (m_open).
    bool beginValue()
    {
        m_open = false;
        if (!mayHaveOneMore())
            return false;
        switch (peek()) {
        case '[':
        case '{': return openContainer();
        case '"': return text();
        case 't': return word("true");
        case 'f': return word("false");
        case 'n': return word("null");
        default: return number();
        }
    }
    bool openContainer()
    {
        if (m_depth == m_closers.size()) {
            m_kind = JsonFault::Kind::TooDeep;
            return false;
        }
        const char closer = m_text[m_at] == '[' ? ']' : '}';
        ++m_at;
        skipSpace();
        if (take(closer))
            return true;
        m_closers.at(m_depth++) = closer;
        m_open = true;
        if (closer == '}')
            m_keys.emplace_back();
        return closer == ']' || key();
    }
    /// After a value: closes finished containers, up to the next value or the end.
    bool endValues()
    {
        skipSpace();
        while (m_depth > 0) {
            const char closer = m_closers.at(m_depth - 1);
            if (take(',')) {
                skipSpace();
                return closer == ']' || key();
            }
            if (!take(closer))
                return false;
            if (closer == '}')
                m_keys.pop_back();
            --m_depth;
            skipSpace();
        }
        return true;
    }
    bool key()
    {
        const std::size_t begin = m_at;
        if (!mayHaveOneMore() || peek() != '"' || !text())
            return false;
        std::string name = resolved(m_text.substr(begin + 1, m_at - begin - 2));
        if (!m_keys.back().add(name)) {
            m_at = begin;
            m_kind = JsonFault::Kind::RepeatedKey;
            m_repeated = std::move(name);
            return false;
        }
        skipSpace();
        if (!take(':'))
            return false;
        skipSpace();
        return true;
    }
    bool text()
    {
        for (++m_at; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '"') {
                ++m_at;
                return true;
            }
            if (static_cast<unsigned char>(c) < kFirstPrintable || (c == '\\' && !escape()))
                return false;
        }
        return false;
    }
    /// Leaves m_at on the last character of the escape.
    bool escape()
    {
        ++m_at;
        if (peek() != 'u')
            return m_at < m_text.size()
                   && std::string_view{"\"\\/bfnrt"}.find(m_text[m_at]) != std::string_view::npos;
        for (std::size_t i = 0; i < kHexDigits; ++i) {
            ++m_at;
            if (!isHex(peek()))
                return false;
        }
        return true;
    }
    bool word(std::string_view expected)
    {
        if (m_text.substr(m_at, expected.size()) != expected)
            return false;
        m_at += expected.size();
        return true;
    }
    bool digits()
    {
        if (!isDigit(peek()))
            return false;
        while (isDigit(peek()))
            ++m_at;
        return true;
    }
    bool number()
    {
        take('-');
        if (!take('0') && !digits())
            return false;
        if (take('.') && !digits())
            return false;
        if (peek() != 'e' && peek() != 'E')
            return true;
        ++m_at;
        if (!take('+'))
            take('-');
        return digits();
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_depth = 0;
    std::size_t m_count = 0; ///< of values and keys so far
    std::array<char, kDeepestJson> m_closers{};
    std::vector<JsonKeys> m_keys; ///< of the objects among the open containers
    bool m_open = false;
    JsonFault::Kind m_kind = JsonFault::Kind::NotJson;
    std::string m_repeated;
};

} // namespace

bool JsonKeys::add(std::string_view key)
{
    if (!m_first) {
        m_first = key;
        return true;
    }
    return *m_first != key && m_more.emplace(key).second;
}

std::string repeatedKeyText(std::string_view key)
{
    constexpr std::size_t kShown = 40;
    return fmt::format("the key \"{}\" appears here for the second time in one object",
                       printable(key, kShown));
}

std::string tooManyValuesText()
{
    return fmt::format("there are more than {} values and keys", kMostJsonValues);
}

std::optional<JsonFault> checkJson(std::string_view text, std::size_t* count)
{
    Walk walk{text};
    std::optional<JsonFault> fault = walk.run();
    if (!fault && count != nullptr)
        *count = walk.count();
    return fault;
}

} // namespace plimsoll::base
