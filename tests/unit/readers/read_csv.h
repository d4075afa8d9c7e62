// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/csv/reader.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

namespace plimsoll::tests {

/// Reads a table of allocations in parts of so many bytes, as if it were the file "net.csv".
[[nodiscard]] inline base::Result<readers::ReadProfile> readCsv(std::string_view bytes,
                                                                std::size_t part = 1U << 20U)
{
    readers::csv::Reading reading{"net.csv"};
    while (!bytes.empty()) {
        // A buffer of exactly that size, so that a sanitizer sees a read beyond it.
        const std::size_t size = std::min(part, bytes.size());
        const auto buffer = std::make_unique<char[]>(size); // NOLINT(*-avoid-c-arrays)
        std::memcpy(buffer.get(), bytes.data(), size);
        if (auto fed = reading.feed({buffer.get(), size}); !fed)
            return tl::unexpected{fed.error()};
        bytes.remove_prefix(size);
    }
    return reading.finish();
}

} // namespace plimsoll::tests
