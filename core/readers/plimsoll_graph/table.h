// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/plimsoll_graph/scan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers::plimsoll_graph {

/// The columns of one row, from left to right. Ends in finish(), or in an error.
class Row
{
public:
    Row(Scan& scan, JsonValue& value, std::span<const std::string_view> columns);

    [[nodiscard]] std::uint64_t offset() const { return m_offset; }

    bool integer(Range range, std::int64_t& out) { return as(&Scan::integer, range, out); }
    bool integerOrNull(Range range, std::optional<std::int64_t>& out)
    {
        return as(&Scan::integerOrNull, range, out);
    }
    bool text(std::string& out) { return as(&Scan::text, out); }
    bool texts(std::vector<std::string>& out) { return as(&Scan::texts, out); }
    bool integers(Range range, std::vector<std::int64_t>& out)
    {
        return as(&Scan::integers, range, out);
    }
    bool json(std::string_view& out) { return as(&Scan::json, out); }
    /// Passes the next column to `take(JsonValue&) -> bool` unchanged.
    template <typename Take>
    bool read(Take take)
    {
        JsonValue value;
        return next(value) && take(value);
    }
    /// Whether the row has more columns.
    bool hasMore();
    /// Columns beyond those known are tolerated.
    bool finish();

private:
    bool next(JsonValue& out);
    /// Reads the next column with one of Scan's functions.
    template <typename Read, typename... Args>
    bool as(Read how, Args&... args)
    {
        return read([&](JsonValue& value) { return (m_scan.*how)(value, args...); });
    }
    void advance();

    Scan& m_scan;
    JsonValue m_value;
    std::span<const std::string_view> m_columns;
    std::uint64_t m_offset = 0;
    std::size_t m_column = 0;
    simdjson::ondemand::array_iterator m_at;
    simdjson::ondemand::array_iterator m_end;
    bool m_started = false;
    bool m_ahead = false; ///< m_at points to a column that has not been read
};

/// Reads rows with `read(Row&) -> bool` and notes where each began.
template <typename Read>
bool readTable(Scan& scan, JsonValue& value, std::span<const std::string_view> columns,
               std::vector<std::uint64_t>& offsets, Read read)
{
    constexpr std::size_t kRowsPerStopCheck = 1024;
    return scan.eachElement(value, [&](JsonValue& item) {
        scan.enterRow(offsets.size());
        Row row{scan, item, columns};
        offsets.push_back(row.offset());
        if (offsets.size() % kRowsPerStopCheck == 0 && !scan.goOn(row.offset()))
            return false;
        return read(row) && row.finish();
    });
}

} // namespace plimsoll::readers::plimsoll_graph
