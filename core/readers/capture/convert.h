// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/capture/capture.h"
#include "core/memtrace/builder.h"

namespace plimsoll::readers::capture {

/// Adds a recording to a trace. What the driver was asked for is a segment with one block: an
/// allocation, or memory that was mapped into a range. Pinned memory of the host is device -1.
/// Fails as the builder does.
[[nodiscard]] base::Result<void> convert(const plimsoll::capture::Capture& capture,
                                         memtrace::Builder& builder);

} // namespace plimsoll::readers::capture
