// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/json_check.h"

#include <array>

namespace plimsoll::readers::plimsoll_graph {

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

/// Walks over one text. Every step returns false at the first fault, which m_at then points at.
class Walk
{
public:
    explicit Walk(std::string_view text) : m_text{text} {}

    [[nodiscard]] std::optional<JsonFault> run()
    {
        skipSpace();
        while (true) {
            if (!beginValue())
                return fault();
            if (m_open)
                continue; // a container with something in it: its first value comes next
            if (!endValues())
                return fault();
            if (m_depth == 0)
                return m_at == m_text.size() ? std::nullopt : fault();
        }
    }

private:
    [[nodiscard]] std::optional<JsonFault> fault() const
    {
        return JsonFault{m_tooDeep ? JsonFault::Kind::TooDeep : JsonFault::Kind::NotJson, m_at};
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

    /// A scalar, an empty container, or the opening of one with something in it (m_open).
    bool beginValue()
    {
        m_open = false;
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
            m_tooDeep = true;
            return false;
        }
        const char closer = m_text[m_at] == '[' ? ']' : '}';
        ++m_at;
        skipSpace();
        if (take(closer))
            return true;
        m_closers.at(m_depth++) = closer;
        m_open = true;
        return closer == ']' || key();
    }
    /// Behind a value: closes what is over, up to the next value or the end.
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
            --m_depth;
            skipSpace();
        }
        return true;
    }
    bool key()
    {
        if (peek() != '"' || !text())
            return false;
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
    /// Ends on the last character of the escape.
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
    std::array<char, kDeepest> m_closers{};
    bool m_open = false;
    bool m_tooDeep = false;
};

} // namespace

std::optional<JsonFault> checkJson(std::string_view text)
{
    return Walk{text}.run();
}

} // namespace plimsoll::readers::plimsoll_graph
