// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/data_parallel.h"

namespace plimsoll::plan {

/// A ring's all-reduce: 2(w-1)/w of the bytes over each link, in 2(w-1) hops.
[[nodiscard]] base::Nanoseconds allReduceTime(const DataParallel& setting, base::Bytes bytes);

/// Half of that: a ring's all-gather or reduce-scatter of what all processes have together.
[[nodiscard]] base::Nanoseconds halfRingTime(const DataParallel& setting, base::Bytes bytes);

/// A pipelined broadcast along a ring: all bytes over each link, after w-1 hops.
[[nodiscard]] base::Nanoseconds broadcastTime(const DataParallel& setting, base::Bytes bytes);

/// A kernel that reads and writes so many bytes.
[[nodiscard]] base::Nanoseconds copyTime(const Device& device, base::Bytes bytes);

} // namespace plimsoll::plan
