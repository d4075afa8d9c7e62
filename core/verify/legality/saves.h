// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/fault.h"
#include "core/plan/plan.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// SAVED SETS of LIFETIMES.md, which are legal: one sentence per fault. The regions themselves must
/// be legal.
[[nodiscard]] std::vector<Fault> saveFaults(const graph::Program& program,
                                            const CheckpointRegions& plan);

} // namespace plimsoll::plan::verifying
