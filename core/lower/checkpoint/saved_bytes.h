// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

namespace plimsoll::plan {

/// Distinct storages that autograd itself saves in forward and loss under a plan of regions,
/// parameters included, not rounded: what ops outside of them save, and the arguments of the
/// outermost ones, which their checkpoints have saved. O(ops + saved).
[[nodiscard]] base::Bytes savedForBackward(const graph::Program& program,
                                           const CheckpointRegions& plan);

} // namespace plimsoll::plan
