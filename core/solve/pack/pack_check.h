// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/packing.h"

namespace plimsoll::solve {

/// The height of a packing, after checking that no two buffers share a byte at any time. Shares no
/// code with the packers. CheckFailed with the two buffers, the negative offset, or the missing
/// one. O(n log n).
[[nodiscard]] base::Result<std::int64_t> checkPacking(const PackBuffers& buffers,
                                                      const PackOffsets& offsets);

} // namespace plimsoll::solve
