// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace plimsoll::io {

/// zlib's window bits of a gzip file: the largest window, plus 16 for gzip's framing and checksum.
inline constexpr int kGzipWindow = 15 + 16;

/// The bytes as a gzip file without name or time: equal bytes give equal files. Internal error if
/// memory runs out.
[[nodiscard]] base::Result<std::string> gzipped(std::string_view bytes);

} // namespace plimsoll::io
