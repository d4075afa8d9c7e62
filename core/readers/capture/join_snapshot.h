// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/memtrace/memory_trace.h"

namespace plimsoll::readers::capture {

/// A recording and PyTorch's snapshot of the same process as one trace: the snapshot's, with what
/// the driver gave to others than PyTorch's allocator (DeviceTrace::foreign()), and with the
/// ranges, settings and gaps of both. An error of kind File if the two can't be of one process.
[[nodiscard]] base::Result<memtrace::MemoryTracePtr>
joinSnapshot(const memtrace::MemoryTrace& recording, const memtrace::MemoryTrace& snapshot);

} // namespace plimsoll::readers::capture
