// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/plimsoll_graph/scan.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace plimsoll::readers::plimsoll_graph {

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
