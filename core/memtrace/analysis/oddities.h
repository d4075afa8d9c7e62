// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace plimsoll::memtrace {

/// What one of MemoryTrace::statistics() counts, in words; the name where there are none.
[[nodiscard]] std::string oddityText(const std::string& name);
/// Whether it speaks of a damaged or incomplete file, and not only of a recording that began after
/// the program.
[[nodiscard]] bool isOddity(const std::string& name);

} // namespace plimsoll::memtrace
