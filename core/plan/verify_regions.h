// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/verify.h"

#include <string>
#include <vector>

namespace plimsoll::plan::verifying {

/// REGIONS of LIFETIMES.md, checked one by one: one sentence per fault, none when the runtime can
/// execute the regions with the same results.
[[nodiscard]] std::vector<Fault> regionFaults(const graph::Program& program, const Plan& plan);

/// python_free as LIFETIMES.md takes it: the recording's free where that is later than everything
/// known to hold the storage.
[[nodiscard]] std::vector<graph::Moment> pythonHolds(const graph::Program& program);

} // namespace plimsoll::plan::verifying
