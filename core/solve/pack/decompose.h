// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/packing.h"

namespace plimsoll::solve {

/// Buffers that share their time with no buffer of another part, except those below `base`, where
/// the part begins.
struct PackPart
{
    std::int64_t base = 0;
    std::vector<std::uint32_t> buffers; ///< by begin
};

struct Decomposition
{
    PackOffsets offsets;         ///< of the buffers in no part; 0 for the others
    std::vector<PackPart> parts; ///< by time
};

/// Splits a packing problem at its low-water cuts: times that only buffers cross that are live as
/// long as any of their stretch of time. Such buffers can lie side by side at the bottom without
/// making any packing higher, and the buffers between two cuts form an independent problem, which
/// is split in the same way. The highest of the parts' lowest packings is thus the lowest of all.
/// O(n log n).
[[nodiscard]] Decomposition decompose(const PackBuffers& buffers);

} // namespace plimsoll::solve
