// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/memtrace/memory_trace.h"

#include <memory>
#include <string>

namespace plimsoll::memtrace {

/// A trace as sessions keep it (FORMAT.md): its columns as they are in memory, so that reading them
/// takes no more than checking them.
[[nodiscard]] std::string writeColumns(const MemoryTrace& trace);

/// The trace of what writeColumns() returned; large columns stay in `bytes`. Anything else is an
/// error of kind File that begins with the offset: "byte 17: the number of events is wrong".
[[nodiscard]] base::Result<MemoryTracePtr> readColumns(std::shared_ptr<const std::string> bytes);

} // namespace plimsoll::memtrace
