// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/schedule.h"

#include <string>

namespace plimsoll::plan {

/// Why nested checkpoint regions, with or without saved sets, don't express a plan of runtime
/// Step: a sentence that names ops. First what no regions can run (LIFETIMES.md): another order,
/// repetitions of backward or in forward, a region of which only a part runs again, nested regions
/// that run again apart. Else what no runtime of regions does with memory. Empty for plans of
/// regions, and for those that repeat nothing. `schedule` is the plan's.
[[nodiscard]] std::string whyNoRegions(const graph::Program& program, const Plan& plan,
                                       const Schedule& schedule);

} // namespace plimsoll::plan
