// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/scan.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::readers::plimsoll_graph {

namespace {

constexpr std::size_t kShownBytes = 24;

std::string describe(Range range)
{
    if (range.highest >= kMostRows)
        return fmt::format("a whole number from {} below {}", range.lowest,
                           range.highest >= base::kHuge - 1 ? "2^62" : "2^31");
    return fmt::format("a whole number from {} to {}", range.lowest, range.highest);
}

/// The text of an array or object, which it skips.
simdjson::error_code rawContainer(JsonValue& value, bool isArray, std::string_view& raw)
{
    if (isArray) {
        simdjson::ondemand::array array;
        const auto code = value.get_array().get(array);
        return code != simdjson::SUCCESS ? code : array.raw_json().get(raw);
    }
    simdjson::ondemand::object object;
    const auto code = value.get_object().get(object);
    return code != simdjson::SUCCESS ? code : object.raw_json().get(raw);
}

} // namespace

const char* offsetSuffix(const Text& source)
{
    return source.compressed ? " of the decompressed text" : "";
}

std::string Scan::place() const
{
    std::string place;
    if (!m_key.empty())
        place = fmt::format("`{}`", base::printable(m_key, 40));
    if (m_row)
        place += fmt::format(" row {}", *m_row);
    if (!m_column.empty())
        place += fmt::format(", column `{}`,", m_column);
    return place.empty() ? place : place + " ";
}

bool Scan::fail(base::ErrorKind kind, std::string message)
{
    if (!m_error)
        m_error = base::Error{kind, std::move(message)};
    return false;
}

bool Scan::refuse(JsonValue& value, std::string_view expected)
{
    const std::uint64_t offset = offsetOf(value);
    const std::string_view rest = m_source.bytes.substr(offset);
    if (rest.empty())
        return refuseEnd();
    std::string_view found = rest.substr(0, kShownBytes);
    found = found.substr(0, found.find_first_of(",]}\n"));
    if (found.empty())
        found = rest.substr(0, 1);
    return refuseAt(offset, fmt::format("expected {}, found \"{}\"", expected,
                                        base::printable(found, kShownBytes)));
}

bool Scan::refuseAt(std::uint64_t offset, std::string_view problem, std::string_view advice)
{
    return fail(base::ErrorKind::File,
                fmt::format("{}: {}at byte {}{}: {}; {}.", m_source.name, place(), offset,
                            offsetSuffix(m_source), problem, advice));
}

bool Scan::refuseEnd()
{
    return fail(
        base::ErrorKind::File,
        fmt::format("{}: {}ends at byte {}{} before all its brackets are closed: it was cut "
                    "off, copy or trace it again.",
                    m_source.name, place(), m_source.bytes.size(), offsetSuffix(m_source)));
}

bool Scan::refuseJson(simdjson::error_code code)
{
    const char* position = nullptr;
    const bool known =
        m_document != nullptr && m_document->current_location().get(position) == simdjson::SUCCESS;
    const auto offset = known ? static_cast<std::uint64_t>(position - m_source.bytes.data())
                              : m_source.bytes.size();
    // If brackets are still open at the end, simdjson points to the last of them that was closed.
    const bool atEnd =
        offset >= m_source.bytes.size()
        || m_source.bytes.find_first_not_of(" \t\r\n", offset + 1) == std::string_view::npos;
    if (code == simdjson::INCOMPLETE_ARRAY_OR_OBJECT || atEnd)
        return refuseEnd();
    return refuseToken(offset);
}

bool Scan::refuseDepth(std::uint64_t offset)
{
    return refuseAt(offset, fmt::format("this nests more than {} deep", base::kDeepestJson));
}

bool Scan::refuseToken(std::uint64_t offset)
{
    return refuseAt(offset, fmt::format("this is not JSON, found \"{}\"",
                                        base::printable(m_source.bytes.substr(offset, kShownBytes),
                                                        kShownBytes)));
}

bool Scan::goOn(std::uint64_t offset)
{
    if (m_context.stopRequested())
        return fail(base::ErrorKind::Cancelled, base::cancelled().value().message);
    m_context.report(m_source.bytes.size() + offset, m_source.bytes.size() * 2);
    return ok();
}

std::uint64_t Scan::offsetOf(JsonValue& value) const
{
    const char* at = value.raw_json_token().data();
    const char* begin = m_source.bytes.data();
    if (at < begin || at > begin + m_source.bytes.size())
        return m_source.bytes.size();
    return static_cast<std::uint64_t>(at - begin);
}

bool Scan::integer(JsonValue& value, Range range, std::int64_t& out)
{
    if (value.get_int64().get(out) != simdjson::SUCCESS)
        return refuse(value, describe(range));
    if (out < range.lowest || out > range.highest)
        return refuseAt(offsetOf(value),
                        fmt::format("expected {}, found {}", describe(range), out));
    return true;
}

bool Scan::integerOrNull(JsonValue& value, Range range, std::optional<std::int64_t>& out)
{
    out.reset();
    bool isNull = false;
    if (value.is_null().get(isNull) == simdjson::SUCCESS && isNull)
        return true;
    return integer(value, range, out.emplace());
}

bool Scan::text(JsonValue& value, std::string& out)
{
    std::string_view view;
    if (value.get_string().get(view) != simdjson::SUCCESS)
        return refuse(value, "a text");
    out = view;
    return true;
}

bool Scan::textOrNull(JsonValue& value, std::string& out)
{
    out.clear();
    bool isNull = false;
    if (value.is_null().get(isNull) == simdjson::SUCCESS && isNull)
        return true;
    return text(value, out);
}

bool Scan::texts(JsonValue& value, std::vector<std::string>& out)
{
    return eachElement(value, [&](JsonValue& item) {
        return static_cast<std::int64_t>(out.size()) < kMostRows && text(item, out.emplace_back());
    });
}

bool Scan::integers(JsonValue& value, Range range, std::vector<std::int64_t>& out)
{
    out.clear();
    return eachElement(value, [&](JsonValue& item) {
        std::int64_t number = 0;
        if (!integer(item, range, number))
            return false;
        out.push_back(number);
        return true;
    });
}

bool Scan::skip(JsonValue& value)
{
    std::string_view raw;
    return json(value, raw);
}

bool Scan::json(JsonValue& value, std::string_view& raw)
{
    raw = value.raw_json_token();
    const std::uint64_t offset = offsetOf(value);
    if (const char first = raw.front(); first == '[' || first == '{')
        if (const auto code = rawContainer(value, first == '[', raw); code != simdjson::SUCCESS)
            return refuseJson(code);
    const std::optional<base::JsonFault> fault = base::checkJson(raw);
    if (!fault)
        return true;
    switch (fault->kind) {
    case base::JsonFault::Kind::TooDeep: return refuseDepth(offset);
    case base::JsonFault::Kind::RepeatedKey:
        return refuseAt(offset + fault->at, base::repeatedKeyText(fault->key));
    case base::JsonFault::Kind::TooMany:
        return refuseAt(offset + fault->at, base::tooManyValuesText());
    case base::JsonFault::Kind::NotJson: break;
    }
    return refuseToken(offset + fault->at);
}

} // namespace plimsoll::readers::plimsoll_graph
