// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/plimsoll_graph/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plimsoll::readers::plimsoll_graph {

/// Reads an object that has each of `names` with `read(position in names, JsonValue&) -> bool`.
/// `column` is the column of the object itself; `left` is an optional key that isn't read.
template <std::size_t Count, typename Read>
bool readNamed(Scan& scan, JsonValue& value, std::string_view column,
               const std::array<const char*, Count>& names, Read read, std::string_view left = {})
{
    const std::uint64_t offset = scan.offsetOf(value);
    std::array<bool, Count> seen{};
    const bool done = scan.eachField(value, [&](std::string_view key, JsonValue& item) {
        const auto at = static_cast<std::size_t>(std::ranges::find(names, key) - names.begin());
        if (at < Count) {
            seen.at(at) = true;
            return read(at, item);
        }
        if (left.empty() || key != left)
            scan.tolerate("unknown keys");
        return scan.skip(item);
    });
    if (!done)
        return false;
    scan.enterColumn(column);
    const auto missing = static_cast<std::size_t>(std::ranges::find(seen, false) - seen.begin());
    return missing == Count
           || scan.refuseAt(offset, fmt::format("\"{}\" is missing", names.at(missing)));
}

} // namespace plimsoll::readers::plimsoll_graph
