// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace plimsoll::io {

/// 64 bits of hash as 16 hexadecimal digits, equal on every machine and in every version: sessions
/// keep it to recognise a graph. Not a defence against somebody who wants two files to collide.
[[nodiscard]] std::string contentHash(std::string_view bytes);

} // namespace plimsoll::io
