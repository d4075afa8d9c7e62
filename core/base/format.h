// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"

#include <string>
#include <string_view>

namespace plimsoll::base {

/// "2100 MiB", "1.50 GiB", "512 B": binary units, at most three decimals' worth of meaning. Never
/// used for JSON.
[[nodiscard]] std::string bytesText(Bytes bytes);
/// "1,933,022,208 B".
[[nodiscard]] std::string exactBytesText(Bytes bytes);
/// "12.3 ms", "850 µs", "1.20 s".
[[nodiscard]] std::string timeText(Nanoseconds time);
/// "+3.2 %", "−1.0 %" for a ratio such as 1.032, 0.99.
[[nodiscard]] std::string overheadText(double ratio);

/// Reads "1234", "512KiB", "2100MiB", "6GiB", "6GB", "1.5GiB", spaces allowed before the unit
/// (cli.md). At least 0.
[[nodiscard]] Result<Bytes> parseBytes(std::string_view text);

/// A text from a file made safe to show on one line: control characters escaped, at most `limit`
/// bytes, valid UTF-8.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 200);

} // namespace plimsoll::base
