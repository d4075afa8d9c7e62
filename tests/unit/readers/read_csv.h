// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/csv/reader.h"

#include "tests/support/readers/feed_parts.h"

#include <string_view>

namespace plimsoll::tests {

/// Reads a table of allocations in parts of so many bytes, as if it were the file "net.csv".
[[nodiscard]] inline base::Result<readers::ReadProfile> readCsv(std::string_view bytes,
                                                                std::size_t part = 1U << 20U)
{
    return readParts(readers::csv::Reading{"net.csv"}, bytes, part);
}

} // namespace plimsoll::tests
