// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/fault.h"
#include "core/plan/plan.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// REGIONS AT OP GRANULARITY of LIFETIMES.md: one sentence per fault.
[[nodiscard]] std::vector<Fault> opRegionFaults(const graph::Program& program,
                                                const CheckpointRegions& plan);

} // namespace plimsoll::plan::verifying
