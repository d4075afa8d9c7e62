// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/classify.h"

namespace plimsoll::doctor {

/// memtrace::classify(), and for a recording that ends before the backward pass that would tell:
/// what a function forward() allocated, and is live at the step, is an activation there.
[[nodiscard]] memtrace::Classes classesAtFailure(const memtrace::MemoryTrace& trace,
                                                 const memtrace::DeviceTrace& device,
                                                 std::size_t step);

} // namespace plimsoll::doctor
