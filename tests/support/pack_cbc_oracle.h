// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/packing.h"

#include <optional>

namespace plimsoll::tests {

struct PackCbcAnswer
{
    std::optional<std::int64_t> height; ///< of the lowest packing, proven; empty: out of time
    double seconds = 0;                 ///< of CBC itself
};

/// The lowest height that any offsets give, proven by CBC on one thread: for each two buffers that
/// are live together a binary says which lies below. Sizes must be small enough for its tolerances:
/// all together below 2^20.
[[nodiscard]] PackCbcAnswer packWithCbc(const solve::PackBuffers& buffers, int mostSeconds);

} // namespace plimsoll::tests
