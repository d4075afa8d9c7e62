// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/builder.h"
#include "core/readers/nsys/database.h"

namespace plimsoll::readers::nsys {

/// Adds an export of Nsight Systems to a trace. What the driver was asked for is a segment with one
/// block; pinned memory of the host is device -1. Fails, with the end of a sentence, if it has no
/// memory events, is damaged, or tells what no device has.
[[nodiscard]] base::Result<void> convert(Database& database, memtrace::Builder& builder,
                                         const base::JobContext& context);

} // namespace plimsoll::readers::nsys
