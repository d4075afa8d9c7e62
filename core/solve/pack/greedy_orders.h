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

/// First fit in several orders, then in orders repaired after each packing: what lies too high is
/// placed earlier. The best packing; done once it is no higher than `goal`, after `passes`, or when
/// stopped, but not before the first packing.
[[nodiscard]] Packed packGreedily(const PackBuffers& buffers, std::int64_t goal, int passes,
                                  const base::JobContext& context);

} // namespace plimsoll::solve
