// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/table.h"

#include <fmt/format.h>

namespace plimsoll::readers::plimsoll_graph {

Row::Row(Scan& scan, JsonValue& value, std::span<const std::string_view> columns)
    : m_scan{scan}, m_value{value}, m_columns{columns}, m_offset{scan.offsetOf(value)}
{
    simdjson::ondemand::array array;
    if (m_value.get_array().get(array) != simdjson::SUCCESS) {
        m_scan.refuse(m_value, "a row (an array)");
        return;
    }
    if (const auto code = array.begin().get(m_at); code != simdjson::SUCCESS)
        m_scan.refuseJson(code);
}

void Row::advance()
{
    if (m_started && !m_ahead)
        ++m_at;
    m_started = m_ahead = true;
}

bool Row::hasMore()
{
    if (!m_scan.ok())
        return false;
    advance();
    return m_at != m_end;
}

bool Row::next(JsonValue& out)
{
    if (!m_scan.ok())
        return false;
    advance();
    m_scan.enterColumn(m_columns[m_column]);
    if (!(m_at != m_end)) {
        m_scan.enterColumn({});
        return m_scan.refuseAt(m_offset, fmt::format("the row ends after {} of its {} columns",
                                                     m_column, m_columns.size()));
    }
    ++m_column;
    m_ahead = false;
    if (const auto code = (*m_at).get(out); code != simdjson::SUCCESS)
        return m_scan.refuseJson(code);
    return true;
}

bool Row::finish()
{
    if (!m_scan.ok())
        return false;
    advance();
    for (bool first = true; m_at != m_end; ++m_at, first = false) {
        JsonValue value;
        if (const auto code = (*m_at).get(value); code != simdjson::SUCCESS)
            return m_scan.refuseJson(code);
        if (!m_scan.skip(value))
            return false;
        if (first)
            m_scan.tolerate("rows with columns beyond those of version 1");
    }
    m_scan.enterColumn({});
    return true;
}

} // namespace plimsoll::readers::plimsoll_graph
