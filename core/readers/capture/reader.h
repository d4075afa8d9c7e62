// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/descriptor.h"

namespace plimsoll::readers::capture {

inline constexpr const char* kFormatId = "plimsoll-capture";

/// What `plimsoll-cli record` writes: FORMAT.md.
[[nodiscard]] ReaderDescriptor descriptor();

} // namespace plimsoll::readers::capture
