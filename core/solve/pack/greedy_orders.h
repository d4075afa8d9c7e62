// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/pack/packing.h"

namespace plimsoll::solve {

/// A packing and its height.
struct Packed
{
    std::int64_t height = 0;
    PackOffsets offsets;
};

/// When the greedy orders are done, whatever they have.
struct GreedyLimits
{
    std::int64_t goal = 0;                ///< at that height
    int passes = 40;                      ///< after that many packings
    std::uint64_t mostWork = 500'000'000; ///< after that many buffers placed and met: seconds
};

/// First fit in several orders, then in orders repaired after each packing: what lies too high is
/// placed earlier. The best packing; there is one packing at least, also when stopped.
[[nodiscard]] Packed packGreedily(const PackBuffers& buffers, const GreedyLimits& limits,
                                  const base::JobContext& context);

} // namespace plimsoll::solve
