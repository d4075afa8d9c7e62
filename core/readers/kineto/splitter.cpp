// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kineto/splitter.h"

#include "core/base/format.h"
#include "core/base/unicode.h"
#include "core/io/byte_source.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace plimsoll::readers::kineto {

namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kEventsKey = "traceEvents";

bool isSpace(char c)
{
    return kSpace.find(c) != std::string_view::npos;
}

using CharTable = std::array<bool, 256>;

constexpr CharTable tableOf(std::string_view characters)
{
    CharTable table{};
    for (const char c : characters)
        table[static_cast<unsigned char>(c)] = true;
    return table;
}

constexpr CharTable kEndsInString = tableOf("\"\\");
constexpr CharTable kEndsInEvent = tableOf("{}[]\"");

/// How many bytes from the beginning are none of these.
std::size_t lengthBefore(std::string_view text, const CharTable& ends)
{
    std::size_t length = 0;
    while (length < text.size() && !ends[static_cast<unsigned char>(text[length])])
        ++length;
    return length;
}

} // namespace

bool Splitter::fail(std::string fault)
{
    m_fault = std::move(fault);
    return false;
}

bool Splitter::feed(std::string_view part)
{
    if (m_offset == 0) {
        // One that is cut in two isn't recognised: sniffing reads more than that at once.
        const std::size_t mark = base::byteOrderMark(part);
        part.remove_prefix(mark);
        m_offset += mark;
    }
    while (!part.empty()) {
        // Most bytes decide nothing.
        if (m_isInString ? !m_isEscaped : m_collected == Piece::Event) {
            const std::size_t plain =
                lengthBefore(part, m_isInString ? kEndsInString : kEndsInEvent);
            if (!append(part.substr(0, plain)))
                return false;
            m_offset += plain;
            part.remove_prefix(plain);
            if (part.empty())
                break;
        }
        if (!take(part.front()))
            return false;
        ++m_offset;
        part.remove_prefix(1);
    }
    return true;
}

bool Splitter::take(char c)
{
    if (m_isInString) {
        const bool ends = c == '"' && !m_isEscaped;
        m_isEscaped = c == '\\' && !m_isEscaped;
        if (!append({&c, 1}))
            return false;
        if (ends)
            endString();
        return true;
    }
    switch (c) {
    case '{':
    case '[': return open(c);
    case '}':
    case ']': return close(c);
    case '"': return beginString();
    case ':':
    case ',': takeSeparator(c); return append({&c, 1});
    default: return isSpace(c) ? append({&c, 1}) : takeToken(c);
    }
}

bool Splitter::open(char bracket)
{
    if (m_isDone)
        return fail("is not JSON: something follows its last bracket; export the trace again");
    if (m_brackets.size() >= kDeepest)
        return fail(fmt::format("nests more than {} brackets, as no trace does", kDeepest));
    if (m_brackets.empty() && bracket == '[')
        m_eventDepth = 1;
    else if (isInRoot() && m_hasColon && bracket == '[' && m_key == kEventsKey)
        m_eventDepth = 2;
    else if (m_collected == Piece::None && isAmongEvents() && bracket == '{')
        begin(Piece::Event);
    else if (m_collected == Piece::None && isAmongEvents())
        m_pieces.takeOther();
    else if (m_collected == Piece::None && isInRoot() && m_hasColon)
        begin(Piece::Value);
    m_brackets.push_back(bracket);
    return append({&bracket, 1});
}

bool Splitter::close(char bracket)
{
    if (m_brackets.empty() || m_brackets.back() != (bracket == '}' ? '{' : '['))
        return fail(fmt::format("is not JSON: nothing is open that this '{}' closes; export the "
                                "trace again",
                                bracket));
    if (m_collected == Piece::Value && m_pieceDepth == m_brackets.size())
        end(); // a number or word as the root's last value
    m_brackets.pop_back();
    if (!append({&bracket, 1}))
        return false;
    if (m_collected != Piece::None && m_pieceDepth == m_brackets.size())
        end();
    if (m_brackets.size() < m_eventDepth)
        m_eventDepth = 0;
    m_isOther = false;
    m_isDone = m_brackets.empty();
    return true;
}

bool Splitter::beginString()
{
    if (m_brackets.empty())
        return takeToken('"');
    m_isInString = true;
    if (m_collected == Piece::None && isInRoot())
        begin(m_hasColon ? Piece::Value : Piece::Key);
    else if (m_collected == Piece::None && isAmongEvents())
        m_pieces.takeOther();
    return append("\"");
}

void Splitter::endString()
{
    m_isInString = false;
    if (m_collected != Piece::None && m_pieceDepth == m_brackets.size())
        end();
}

void Splitter::takeSeparator(char c)
{
    m_isOther = false;
    if (!isInRoot())
        return;
    if (m_collected == Piece::Value && m_pieceDepth == m_brackets.size())
        end();
    m_hasColon = c == ':';
}

/// Numbers, words, and what JSON hasn't.
bool Splitter::takeToken(char c)
{
    if (m_brackets.empty())
        return fail(fmt::format("is not JSON, found \"{}\"; export the trace again",
                                base::printable({&c, 1})));
    if (m_collected == Piece::None && isInRoot() && m_hasColon)
        begin(Piece::Value);
    else if (m_collected == Piece::None && isAmongEvents() && !std::exchange(m_isOther, true))
        m_pieces.takeOther();
    return append({&c, 1});
}

void Splitter::begin(Piece piece)
{
    m_collected = piece;
    m_pieceDepth = m_brackets.size();
    m_isTooLong = false;
    m_piece.clear();
}

bool Splitter::append(std::string_view bytes)
{
    if (m_collected == Piece::None || m_isTooLong)
        return true;
    const bool isEvent = m_collected == Piece::Event;
    if (m_piece.size() + bytes.size() > (isEvent ? kMostEventBytes : kMostValueBytes)) {
        m_isTooLong = true;
        return isEvent ? fail(fmt::format("has an event of more than {} MiB, as no trace has",
                                          kMostEventBytes >> 20U))
                       : true;
    }
    m_piece += bytes;
    return true;
}

void Splitter::end()
{
    const Piece collected = std::exchange(m_collected, Piece::None);
    m_piece.reserve(m_piece.size() + io::kPadding);
    if (collected == Piece::Event) {
        m_pieces.takeEvent(m_piece);
    } else if (collected == Piece::Key) {
        m_key = m_isTooLong ? std::string{} : m_piece.substr(1, m_piece.size() - 2);
    } else if (!m_isTooLong) {
        m_piece.resize(m_piece.find_last_not_of(kSpace) + 1);
        m_pieces.takeValue(m_key, m_piece);
    }
}

bool Splitter::finish()
{
    if (m_isDone)
        return true;
    return fail("ends before all its brackets are closed: it was cut off; export the trace again");
}

} // namespace plimsoll::readers::kineto
