// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace plimsoll::io {

/// A 64-bit hash as 16 hexadecimal digits, equal on every machine and in every version: sessions
/// use it to recognise a graph. It doesn't protect against deliberate collisions.
[[nodiscard]] std::string contentHash(std::string_view bytes);

} // namespace plimsoll::io
