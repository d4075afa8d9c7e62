// SPDX-License-Identifier: Apache-2.0
#include "core/readers/csv/records.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::readers::csv {

bool Records::fail(std::string fault)
{
    m_fault = std::move(fault);
    return false;
}

bool Records::feed(std::string_view part)
{
    for (const char c : part) {
        // The line feed of a CRLF ends nothing more.
        if (std::exchange(m_isAfterReturn, false) && c == '\n') {
            if (m_state == State::Quoted && !append(c))
                return false;
            continue;
        }
        if (!take(c))
            return false;
    }
    return true;
}

bool Records::take(char c)
{
    if (c == '\0')
        return fail("contains a zero byte: it is no text");
    if (m_state == State::Quoted) {
        if (c == '"') {
            m_state = State::AfterQuote;
            return true;
        }
        m_isAfterReturn = c == '\r';
        m_line += c == '\n' || c == '\r' ? 1 : 0;
        return append(c);
    }
    if (m_state == State::AfterQuote && c == '"') {
        m_state = State::Quoted;
        return append(c);
    }
    return takeUnquoted(c);
}

bool Records::takeUnquoted(char c)
{
    switch (c) {
    case ',': m_hasContent = true; return endField();
    case '\r': m_isAfterReturn = true; [[fallthrough]];
    case '\n':
        if (!endRecord())
            return false;
        m_recordLine = ++m_line;
        return true;
    case '"':
        if (m_state == State::FieldBegin) {
            m_state = State::Quoted;
            m_hasContent = true;
            return true;
        }
        return fail("has a quote within a field that doesn't begin with one");
    default: break;
    }
    if (m_state == State::AfterQuote)
        return fail("has text behind the quote that ends a field");
    m_state = State::Plain;
    m_hasContent = true;
    return append(c);
}

bool Records::append(char c)
{
    if (++m_bytes > kMostRecordBytes)
        return fail("is longer than 1 MiB, as no line of such a table is");
    m_field += c;
    return true;
}

bool Records::endField()
{
    if (m_fields.size() >= kMostFields)
        return fail(fmt::format("has more than {} fields", kMostFields));
    m_fields.push_back(std::exchange(m_field, {}));
    m_state = State::FieldBegin;
    return true;
}

bool Records::endRecord()
{
    if (!std::exchange(m_hasContent, false))
        return true;
    if (!endField())
        return false;
    m_bytes = 0;
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (std::exchange(m_isFirst, false) && m_fields.front().starts_with(kByteOrderMark))
        m_fields.front().erase(0, kByteOrderMark.size());
    const bool goesOn = m_take(m_fields, m_recordLine);
    m_fields.clear();
    return goesOn;
}

bool Records::finish()
{
    if (m_state == State::Quoted)
        return fail("has a quoted field without an end: the file was cut off");
    m_lacksLastEnd = m_hasContent;
    return endRecord();
}

} // namespace plimsoll::readers::csv
