// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

namespace plimsoll::tests {

/// Feeds a file to a reader that takes it in parts, in parts of so many bytes.
template <typename Reading>
[[nodiscard]] base::Result<void> feedParts(Reading& reading, std::string_view bytes,
                                           std::size_t part)
{
    while (!bytes.empty()) {
        // A buffer of exactly that size, so that a sanitizer sees a read beyond it.
        const std::size_t size = std::min(part, bytes.size());
        const auto buffer = std::make_unique<char[]>(size); // NOLINT(*-avoid-c-arrays)
        std::memcpy(buffer.get(), bytes.data(), size);
        if (auto fed = reading.feed({buffer.get(), size}); !fed)
            return fed;
        bytes.remove_prefix(size);
    }
    return {};
}

/// The same to its end: what Reading::finish() makes of it.
template <typename Reading>
[[nodiscard]] auto readParts(Reading reading, std::string_view bytes, std::size_t part)
    -> decltype(reading.finish())
{
    if (auto fed = feedParts(reading, bytes, part); !fed)
        return tl::unexpected{std::move(fed.error())};
    return reading.finish();
}

} // namespace plimsoll::tests
