// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/fault.h"
#include "core/plan/plan.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// REGIONS of LIFETIMES.md, checked one by one: one sentence per fault, none when the runtime can
/// execute the regions with the same results.
[[nodiscard]] std::vector<Fault> regionFaults(const graph::Program& program,
                                              const CheckpointRegions& plan);

/// Regions that would be recomputed inside forward or loss, because something there unpacks what
/// they save (a gradient taken inside of the forward, say): rule 7 of LIFETIMES.md.
[[nodiscard]] std::vector<Fault> triggerFaults(const graph::Program& program,
                                               const CheckpointRegions& plan);

} // namespace plimsoll::plan::verifying
